import { isFlag, isKnownAttribute } from '../vocabulary.ts'
import { tagAt } from './landmarks.ts'
import { isBlank, type TagName } from './tag.ts'

const LT = 60
const GT = 62
const SLASH = 47
const EQUALS = 61
const BRACE = 123
const DOUBLE = 34
const SINGLE = 39
const LF = 10
const CR = 13
/** A value is looked through for its lost end only so far. */
const LONGEST = 10_000

const name = /[\w:-]*\w/.source
const value = /(?:"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|[^\s"'<>=]+)/.source
const attributesAndEnd = new RegExp(`^${name}(?:\\s+${name}(?:\\s*=\\s*${value})?)*(?:\\s*/>|>|\\s+>(?![ \\t]))`)

/**
 * Where a value ends that has lost its closing quote, so that what seems to close it is a later one. Undefined for a value
 * that is complete.
 *
 *   | <config model="demo temperature="0.2"/>
 *                        ^
 */
export function unclosedEnd(source: string, element: TagName, open: number, close: number): number | undefined {
  const line = lineWithTag(source, open + 1, close)
  const next = source.charCodeAt(close + 1)
  const runsOn = close + 1 < source.length && !isBlank(next) && next !== GT && next !== SLASH && next !== LT
  if (line === undefined && !runsOn && close < source.length) return undefined
  const value = source.slice(open + 1, line ?? Math.min(close, open + LONGEST))
  const attribute = line === undefined ? /\s+([\w:-]+)\s*=\s*$/.exec(value) : null
  if (attribute !== null && isKnownAttribute(element, attribute[1]!)) return open + 1 + attribute.index
  return boundary(source, element, open + 1)
}

/**
 * The quote that closes a value which has lost its opening one.
 *
 *   | <tool name=a description=Lists files" local/>
 *                                         ^
 */
export function unopenedEnd(source: string, valueStart: number): number | undefined {
  // Only JSON holds `=` inside.
  const isJson = source.charCodeAt(valueStart) === BRACE
  const limit = Math.min(source.length, valueStart + LONGEST)
  for (let at = valueStart; at < limit; at++) {
    const code = source.charCodeAt(at)
    if (code === GT || (code === EQUALS && !isJson) || (code === LT && tagAt(source, at))) return undefined
    if (at === valueStart || (code !== DOUBLE && code !== SINGLE)) continue
    const next = source.charCodeAt(at + 1)
    if (isBlank(next) || next === SLASH || next === GT) return at
  }
  return undefined
}

/** Where a value whose end is not known ends at the latest: at a `>`, another attribute, or a line that starts a tag. */
export function boundary(source: string, element: TagName, from: number, limit: number = source.length): number {
  for (let at = from; at < limit; at++) {
    const code = source.charCodeAt(at)
    if (code === GT) return source.charCodeAt(at - 1) === SLASH ? at - 1 : at
    if (code === LT && tagAt(source, at) !== undefined) return at
    if (isBlank(code) && startsAttribute(source, element, at)) return at
    if ((code === LF || code === CR) && startsTag(source, at)) return at
  }
  return limit
}

/** Blanks, a name that the element knows, and `=`; or a flag. */
export function startsAttribute(source: string, element: TagName, at: number): boolean {
  const found = /^\s+([\w:-]+)(\s*=|[\s/>])/.exec(source.slice(at, at + 60))
  if (found === null || !isKnownAttribute(element, found[1]!)) return false
  return found[2]!.endsWith('=') || isFlag(found[1]!)
}

/**
 * True where attributes are followed by the `>` of their tag. A `>` with blanks around it, and what `->` ends in, is one of
 * prose.
 *
 *   | <user
 *   | src state
 *     ^
 *   | id="a">
 */
export function endsAttributes(text: string): boolean {
  return attributesAndEnd.test(text)
}

/** Blanks, and then a tag at the start of a line. */
export function startsTag(source: string, at: number): boolean {
  let next = at
  while (isBlank(source.charCodeAt(next))) next++
  return source.charCodeAt(next) === LT && startsLine(source, next) && tagAt(source, next) !== undefined
}

/** Where a line starts between two places that begins with a tag. */
function lineWithTag(source: string, from: number, to: number): number | undefined {
  for (let at = source.indexOf('<', from); at !== -1 && at < to; at = source.indexOf('<', at + 1)) {
    if (startsLine(source, at) && tagAt(source, at) !== undefined) return at
  }
  return undefined
}

function startsLine(source: string, at: number): boolean {
  const before = source.charCodeAt(at - 1)
  return at === 0 || before === LF || before === CR
}
