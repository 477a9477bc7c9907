import type { Style } from '../io/paint.ts'

export interface Span {
  text: string
  styles: readonly Style[]
}

/** Longer code, links and emphasis aren't waited for. */
const LONGEST_SPAN = 500

const special = /[\\`*_[!]/g

/**
 * Reads inline Markdown: code, emphasis, links. Returns the spans that are certain and how much of the text they cover.
 * The rest may still change until the line is `complete`.
 */
export function readInline(
  text: string,
  complete: boolean,
  before = ' ',
  styles: readonly Style[] = [],
): { spans: Span[]; read: number } {
  const spans: Span[] = []
  let at = 0
  let plain = 0
  const take = (end: number): void => {
    if (end > plain) spans.push({ text: text.slice(plain, end), styles })
  }
  while (at < text.length) {
    special.lastIndex = at
    const match = special.exec(text)
    if (match === null) break
    at = match.index
    const previous = at === 0 ? before : text[at - 1]!
    const mark = readMark(text, at, previous, complete)
    if (mark === 'wait') {
      take(at)
      return { spans, read: at }
    }
    if (mark === undefined) {
      at = findRunEnd(text, at)
      continue
    }
    take(at)
    spans.push(...mark.spans(styles))
    at = mark.end
    plain = at
  }
  take(text.length)
  return { spans, read: text.length }
}

/** A run of marker characters is one unit: its second character opens nothing. */
function findRunEnd(text: string, at: number): number {
  const mark = text[at]!
  let end = at + 1
  if (mark === '*' || mark === '_' || mark === '`') while (text[end] === mark) end++
  return end
}

interface Mark {
  end: number
  spans: (styles: readonly Style[]) => Span[]
}

function readMark(text: string, at: number, previous: string, complete: boolean): Mark | 'wait' | undefined {
  const rest = text.slice(at, at + LONGEST_SPAN)
  const isAll = complete || rest.length === LONGEST_SPAN
  switch (text[at]) {
    case '\\':
      if (rest.length === 1) return complete ? undefined : 'wait'
      return /[!-/:-@[-`{-~]/.test(rest[1]!)
        ? { end: at + 2, spans: styles => [{ text: rest[1]!, styles }] }
        : undefined
    case '`':
      return readCode(rest, at, isAll)
    case '!':
    case '[':
      return readLink(rest, at, isAll)
    default:
      return readEmphasis(rest, at, previous, isAll)
  }
}

function readCode(rest: string, at: number, isAll: boolean): Mark | 'wait' | undefined {
  const fence = /^`+/.exec(rest)![0]
  if (fence.length === rest.length) return isAll ? undefined : 'wait'
  const close = new RegExp(`(?<!\`)${fence}(?!\`)`, 'g')
  close.lastIndex = fence.length
  const match = close.exec(rest)
  if (match === null || (!isAll && match.index + fence.length === rest.length)) return isAll ? undefined : 'wait'
  const inner = rest.slice(fence.length, match.index)
  const code = /^ .* $/.test(inner) && inner.trim() !== '' ? inner.slice(1, -1) : inner
  return { end: at + match.index + fence.length, spans: styles => [{ text: code, styles: [...styles, 'cyan'] }] }
}

/** `[text](address)`, also after a `!`. The address follows in brackets unless it equals the text. */
function readLink(rest: string, at: number, isAll: boolean): Mark | 'wait' | undefined {
  const match = /^!?\[((?:[^[\]\\]|\\.)*)\]\(\s*<?([^()\s<>]*)>?(?:\s+"[^"]*")?\s*\)/.exec(rest)
  if (match !== null) {
    const [whole, text, address] = match as unknown as [string, string, string]
    const spans = (styles: readonly Style[]): Span[] => {
      const label = text === '' ? address : text
      const name = readInline(label, true, ' ', [...styles, 'underline']).spans
      return label === address ? name : [...name, { text: ` (${address})`, styles: [...styles, 'dim'] }]
    }
    return { end: at + whole.length, spans }
  }
  const mayBecome = /^!?(?:\[(?:[^[\]\\]|\\.?)*(?:\](?:\([^()]*)?)?)?$/.test(rest)
  return !isAll && mayBecome ? 'wait' : undefined
}

const emphasisStyles: Record<number, readonly Style[]> = { 1: ['italic'], 2: ['bold'], 3: ['bold', 'italic'] }

/** Markers inside words are letters, so `snake_case` and `2*3*4` stay unchanged. */
function readEmphasis(rest: string, at: number, previous: string, isAll: boolean): Mark | 'wait' | undefined {
  const mark = rest[0]!
  let length = 1
  while (rest[length] === mark) length++
  if (length === rest.length) return isAll ? undefined : 'wait'
  const emphasis = emphasisStyles[length]
  if (emphasis === undefined || isWordCharacter(previous) || /\s/.test(rest[length]!)) return undefined
  const closing = mark.repeat(length)
  for (let end = rest.indexOf(closing, length); end !== -1; end = rest.indexOf(closing, end + length)) {
    const after = rest[end + length]
    if (after === undefined && !isAll) return 'wait'
    if (after === mark) {
      while (rest[end + length] === mark) end++
      continue
    }
    if (/\s/.test(rest[end - 1]!) || rest[end - 1] === '\\' || (after !== undefined && isWordCharacter(after))) continue
    const inner = rest.slice(length, end)
    return { end: at + end + length, spans: styles => readInline(inner, true, ' ', [...styles, ...emphasis]).spans }
  }
  return isAll ? undefined : 'wait'
}

function isWordCharacter(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character)
}
