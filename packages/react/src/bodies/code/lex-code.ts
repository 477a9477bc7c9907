import type { CodeLanguage } from './code-language.ts'

export type CodeKind = 'comment' | 'string' | 'number' | 'keyword'

/** Plain if it has no kind. */
export interface CodeToken {
  text: string
  kind: CodeKind | undefined
}

/** What is still open at the end of a line: a multi-line comment or string, by its end mark. */
export type OpenToken = { kind: 'comment' | 'string'; end: string } | undefined

export interface LexedLine {
  tokens: readonly CodeToken[]
  open: OpenToken
}

const number = /(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)[a-zA-Z%]{0,3}/y
const word = /[@\p{L}_$][\p{L}\p{N}_$-]*/uy
const wordOnly = /[@\p{L}_$][\p{L}\p{N}_$]*/uy

/** The tokens of one line; `open` is what the lines before left open. Linear in the line; accepts any text. */
export function lexLine(line: string, language: CodeLanguage, open: OpenToken): LexedLine {
  const tokens: CodeToken[] = []
  let plain = 0
  let at = 0
  let openToken = open
  const unended = new Set<string>()
  const put = (end: number, kind: CodeKind | undefined): void => {
    if (plain < at) tokens.push({ text: line.slice(plain, at), kind: undefined })
    if (at < end) tokens.push({ text: line.slice(at, end), kind })
    at = end
    plain = end
  }
  const putUntil = (from: number, { kind, end }: NonNullable<OpenToken>): void => {
    const close = findEnd(line, from, end, kind === 'string')
    openToken = close < 0 ? { kind, end } : undefined
    put(close < 0 ? line.length : close, kind)
  }
  if (openToken !== undefined) putUntil(0, openToken)
  while (at < line.length) {
    const opened = openAt(line, at, language)
    if (opened !== undefined) putUntil(at + opened.length, opened)
    else if (language.line.some(mark => line.startsWith(mark, at)) && isCommentAt(line, at)) put(line.length, 'comment')
    else if (language.quotes.includes(line[at]!) && !unended.has(line[at]!)) {
      const end = findEnd(line, at + 1, line[at]!, true)
      // A string that does not end in its line is just an apostrophe. No later one in the line ends either.
      if (end < 0) unended.add(line[at++]!)
      else put(end, 'string')
    } else at = putWord(line, at, language, put)
  }
  at = line.length
  put(line.length, undefined)
  return { tokens, open: openToken }
}

function openAt(
  line: string,
  at: number,
  { block, longQuotes }: CodeLanguage,
): (NonNullable<OpenToken> & { length: number }) | undefined {
  if (block !== undefined && line.startsWith(block[0], at)) {
    return { kind: 'comment', end: block[1], length: block[0].length }
  }
  const quote = longQuotes.find(one => line.startsWith(one, at))
  return quote === undefined ? undefined : { kind: 'string', end: quote, length: quote.length }
}

/** A `#` inside a word begins no comment: `a#b`, `$#`. */
function isCommentAt(line: string, at: number): boolean {
  return line[at] !== '#' || at === 0 || /\s/.test(line[at - 1]!)
}

/** The position after `end`; -1 if the line does not contain it. */
function findEnd(line: string, from: number, end: string, hasEscapes: boolean): number {
  let at = from
  for (;;) {
    const position = line.indexOf(end, at)
    if (position < 0) return -1
    if (!hasEscapes || !isEscaped(line, from, position)) return position + end.length
    at = position + 1
  }
}

function isEscaped(line: string, from: number, at: number): boolean {
  let count = 0
  while (at - count - 1 >= from && line[at - count - 1] === '\\') count++
  return count % 2 === 1
}

/** A word that would be a keyword elsewhere: after a dot, or as the key of an object or a type (`from?: string`). */
function isName(line: string, at: number, end: number, block: CodeLanguage['block']): boolean {
  if (line[at - 1] === '.' && line[at - 2] !== '.') return true
  return block?.[0] === '/*' && /^\??:/.test(line.slice(end, end + 2)) && line.slice(at, end) !== 'default'
}

/** Adds a word or a number that begins here, and returns where to continue. */
function putWord(
  line: string,
  at: number,
  { keywords, isCaseInsensitive, block }: CodeLanguage,
  put: (end: number, kind: CodeKind | undefined) => void,
): number {
  number.lastIndex = at
  const digits = number.exec(line)
  if (digits !== null) {
    put(at + digits[0].length, 'number')
    return at + digits[0].length
  }
  // In CSS and markup, a hyphen is a letter.
  const pattern = block?.[0] === '<!--' || keywords.has('@media') ? word : wordOnly
  pattern.lastIndex = at
  const match = pattern.exec(line)?.[0]
  if (match === undefined) return at + 1
  const end = at + match.length
  if (keywords.has(isCaseInsensitive === true ? match.toLowerCase() : match) && !isName(line, at, end, block))
    put(end, 'keyword')
  return end
}
