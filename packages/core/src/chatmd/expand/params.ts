import type { Problems } from '../problems.ts'
import type { Attribute } from '../reader/attribute.ts'

/** A value that is set when running a document: `<config params="topic, lang=en"/>`. */
export interface DocumentParameter {
  name: string
  /** Used if there is no value. Without a default, a value is required. */
  default?: string
}

/** With `name`, the text is a placeholder for a parameter. */
export type TemplatePart = { text: string; start: number; end: number; name?: string }

const namePattern = '[A-Za-z_][A-Za-z0-9_-]{0,63}'
const placeholder = new RegExp(`\\{\\{\\s*(${namePattern})\\s*\\}\\}`, 'g')
const wholeNamePattern = new RegExp(`^${namePattern}$`)
const anyPlaceholder = new RegExp(placeholder.source)

const MAX_PARAMETERS = 100

const reserved: ReadonlySet<string> = new Set(['tools', 'syntax'])

/** Joined, the parts are the text. */
export function splitTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let from = 0
  if (!text.includes('{{')) return [{ text, start: 0, end: text.length }]
  for (const match of text.matchAll(placeholder)) {
    const { index } = match
    if (index > from) parts.push({ text: text.slice(from, index), start: from, end: index })
    from = index + match[0].length
    parts.push({ text: match[0], start: index, end: from, name: match[1]! })
  }
  if (from < text.length) parts.push({ text: text.slice(from), start: from, end: text.length })
  return parts
}

export function hasPlaceholder(text: string): boolean {
  return anyPlaceholder.test(text)
}

export function placeholderNames(text: string): string[] {
  return [...new Set(splitTemplate(text).flatMap(part => (part.name === undefined ? [] : [part.name])))].sort()
}

/** True for the placeholders that are not parameters: the tools and the lesson of the syntax. */
export function isLessonPlaceholder(one: string): boolean {
  return reserved.has(one)
}

/**
 * Reads `params`: names separated by commas, each with an optional default after `=`. A default that contains a comma
 * is in quotes. Any problem is an error at the attribute.
 */
export function readParams(problems: Problems, attribute: Attribute): DocumentParameter[] {
  const parameters: DocumentParameter[] = []
  const names = new Set<string>()
  const refuse = (message: string, cure: string): void =>
    problems.error('CHATMD_BAD_PARAMS', attribute.start, attribute.end, message, cure)
  for (const one of splitList(attribute.value === true ? '' : attribute.value)) {
    const at = one.indexOf('=')
    const parameterName = (at === -1 ? one : one.slice(0, at)).trim()
    if (!wholeNamePattern.test(parameterName)) {
      const what =
        parameterName === '' ? 'A parameter has no name.' : `\`${shortenText(parameterName)}\` is not a valid name.`
      refuse(what, 'Write `params="topic, lang=en"`: letters, digits, `_` and `-`, at most 64, starting with a letter.')
    } else if (reserved.has(parameterName)) {
      refuse(
        `\`{{${parameterName}}}\` is reserved for the tools; no parameter can have that name.`,
        'Choose another name.',
      )
    } else if (names.has(parameterName)) {
      refuse(`The parameter \`${parameterName}\` is declared twice.`, 'Remove one of the two.')
    } else if (parameters.length === MAX_PARAMETERS) {
      refuse(`More than ${MAX_PARAMETERS} parameters are declared.`, 'Declare fewer.')
      break
    } else {
      parameters.push(
        at === -1 ? { name: parameterName } : { name: parameterName, default: unquote(one.slice(at + 1).trim()) },
      )
      names.add(parameterName)
    }
  }
  return parameters
}

/**
 * The items between commas. Commas inside quotes that begin immediately after `=` don't separate items.
 *
 *   | topic, tone='short, plain'
 *          ^
 */
function splitList(list: string): string[] {
  const items: string[] = []
  let from = 0
  let quote = ''
  let isValue = false
  for (let at = 0; at < list.length; at++) {
    const character = list[at]!
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === ',') {
      items.push(list.slice(from, at))
      from = at + 1
      isValue = false
    } else if (character === '=') isValue = true
    else if (isValue && (character === "'" || character === '"')) {
      if (list.indexOf(character, at + 1) !== -1) quote = character
      isValue = false
    } else if (character.trim() !== '') isValue = false
  }
  items.push(list.slice(from))
  // A comma at the end, or an empty text, declares nothing.
  if (items.at(-1)!.trim() === '') items.pop()
  return items
}

function unquote(value: string): string {
  const quote = value[0]
  const isQuoted = value.length > 1 && (quote === "'" || quote === '"') && value.endsWith(quote)
  return isQuoted ? value.slice(1, -1) : value
}

function shortenText(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
