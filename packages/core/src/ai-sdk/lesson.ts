import type { ToolDefinition } from '../message/tool-definition.ts'
import { native } from '../syntax/native.ts'
import { fillPrompt } from '../syntax/prompt.ts'
import type { Syntax } from '../syntax/syntax.ts'

/** How a model is taught its tools in a text syntax. */
export interface Lesson {
  /** A system message for it, where no system message has a place for it. */
  added: string | undefined
  /** A system message with its places filled; removed where there is nothing to teach. */
  fill(text: string): string
}

/**
 * The lesson for a conversation with these system messages. With native calls, or without tools, there is nothing to teach.
 */
export function createLesson(syntax: Syntax, tools: readonly ToolDefinition[], systemTexts: readonly string[]): Lesson {
  if (syntax === native || tools.length === 0) {
    return { added: undefined, fill: text => text.replaceAll(allPlaces, '') }
  }
  const isTaught = systemTexts.some(text => places.test(text))
  return {
    added: isTaught ? undefined : syntax.describe(tools),
    fill: text => fillPrompt(text, syntax, tools),
  }
}

const places = /\{\{\s*(?:syntax|tools)\s*\}\}/
const allPlaces = new RegExp(places, 'g')
