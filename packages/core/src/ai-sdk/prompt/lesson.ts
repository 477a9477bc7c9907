import type { ToolDefinition } from '../../message/tool-definition.ts'
import type { Syntax } from '../../syntax/syntax.ts'
import { createPromptFiller, hasPlaceholders, removePlaceholders } from '../../syntax/teach/prompt.ts'

/** The instructions that teach a model its tools in a text syntax. */
export interface Lesson {
  /** The text of an extra system message; undefined if a system message has a placeholder for the lesson. */
  added: string | undefined
  /** A system message's parts with the placeholders filled, or removed if there is nothing to teach. */
  fill(parts: readonly SystemText[]): string
}

/** With native calls, or without tools, there is nothing to teach. */
export function createLesson(
  syntax: Syntax,
  tools: readonly ToolDefinition[],
  systemTexts: readonly SystemText[],
): Lesson {
  if (syntax.kind === 'native' || tools.length === 0) {
    return { added: undefined, fill: parts => fillParts(parts, removePlaceholders) }
  }
  const isTaught = systemTexts.some(({ text, literal }) => literal !== true && hasPlaceholders(text))
  return {
    added: isTaught ? undefined : syntax.describe(tools),
    fill(parts) {
      const template = fillParts(
        parts,
        text => text,
        () => '',
      )
      return fillParts(parts, createPromptFiller(template, syntax, tools))
    },
  }
}

/** Literal text has no placeholders. */
export interface SystemText {
  text: string
  literal?: true | undefined
}

/** A placeholder can't extend over two parts. */
function fillParts(
  parts: readonly SystemText[],
  fill: (text: string) => string,
  keep: (text: string) => string = text => text,
): string {
  return parts.map(({ text, literal }) => (literal === true ? keep(text) : fill(text))).join('')
}
