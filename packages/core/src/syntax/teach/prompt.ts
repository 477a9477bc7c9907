import type { ToolDefinition } from '../../message/tool-definition.ts'
import { ArgotError } from '../../source/error.ts'
import { findSyntax } from '../find-syntax.ts'
import type { Syntax } from '../syntax.ts'

/**
 * A system prompt with its places filled: `{{syntax}}` with how calls are written, `{{tools}}` with the tools. Where the
 * template has no `{{syntax}}`, the tools bring the lesson with them. Both may be in it several times.
 */
export function fillPrompt(template: string, syntax: Syntax, tools: readonly ToolDefinition[]): string {
  return createPromptFiller(template, findSyntax(syntax), tools)(template)
}

/** Fills a part of a template as `fillPrompt` fills the whole. */
export function createPromptFiller(
  template: string,
  syntax: Syntax,
  tools: readonly ToolDefinition[],
): (part: string) => string {
  if (typeof template !== 'string') throw new ArgotError('SYNTAX_BAD_TEXT', 'A prompt is a string.')
  const lesson = syntax.describe([])
  const all = syntax.describe(tools)
  const alone = /\{\{\s*syntax\s*\}\}/.test(template) && all.startsWith(lesson) ? all.slice(lesson.length).trim() : all
  return part => part.replace(PLACES, (_, place) => (place === 'syntax' ? lesson : alone))
}

const PLACES = /\{\{\s*(syntax|tools)\s*\}\}/g

/** Whether a text has places to be filled. */
export function hasPlaces(text: string): boolean {
  return text.search(PLACES) !== -1
}

/** The text with nothing in its places. */
export function clearPlaces(text: string): string {
  return text.replace(PLACES, '')
}
