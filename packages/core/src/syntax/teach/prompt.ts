import type { ToolDefinition } from '../../message/tool-definition.ts'
import { ArgotError } from '../../source/error.ts'
import { findSyntax } from '../find-syntax.ts'
import type { Syntax } from '../syntax.ts'

/**
 * Fills the placeholders of a system prompt: `{{syntax}}` with how calls are written, `{{tools}}` with the tools. If
 * the template has no `{{syntax}}`, the tools include the lesson. Both may occur several times.
 */
export function fillPrompt(template: string, syntax: Syntax, tools: readonly ToolDefinition[]): string {
  return createPromptFiller(template, findSyntax(syntax), tools)(template)
}

/** Fills a part of a template the way `fillPrompt` fills the whole. */
export function createPromptFiller(
  template: string,
  syntax: Syntax,
  tools: readonly ToolDefinition[],
): (part: string) => string {
  if (typeof template !== 'string') throw new ArgotError('SYNTAX_BAD_TEXT', 'A prompt must be a string.')
  const lesson = syntax.describe([])
  const all = syntax.describe(tools)
  const toolsText =
    /\{\{\s*syntax\s*\}\}/.test(template) && all.startsWith(lesson) ? all.slice(lesson.length).trim() : all
  return part => part.replace(placeholders, (_, place) => (place === 'syntax' ? lesson : toolsText))
}

const placeholders = /\{\{\s*(syntax|tools)\s*\}\}/g

export function hasPlaceholders(text: string): boolean {
  return text.search(placeholders) !== -1
}

export function removePlaceholders(text: string): string {
  return text.replace(placeholders, '')
}
