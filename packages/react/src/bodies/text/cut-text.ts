import { afterPair, firstCharacters, isHalf } from '@argot/core/stream/internal'

/** A longer payload is cut until a reader asks for all of it. */
export const LONG_PAYLOAD = 100_000
/** This much of a growing payload's beginning stays; the remaining room is for the newest text. */
const KEPT_BEGINNING = 2000

/** A line break at the end begins no further line. */
export function countLines(text: string): number {
  if (text === '') return 0
  let count = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

export function firstLines(text: string, lines: number, characters: number): string {
  let end = -1
  for (let line = 0; line < lines; line++) {
    const next = text.indexOf('\n', end + 1)
    if (next < 0) return cutHead(text, characters)
    if (next > characters) return cutHead(text, characters)
    end = next
  }
  return text.slice(0, end)
}

export function lastLines(text: string, lines: number, characters: number): string {
  let start = text.endsWith('\n') ? text.length - 1 : text.length
  const last = start
  for (let line = 0; line < lines && start > 0; line++) start = text.lastIndexOf('\n', start - 1)
  return cutTail(text.slice(Math.max(0, start + (start === last ? 0 : 1)), last), characters)
}

function cutHead(text: string, characters: number): string {
  if (text.length <= characters) return withoutLastBreak(text)
  return firstCharacters(text, characters)
}

function cutTail(text: string, characters: number): string {
  if (text.length <= characters) return text
  return text.slice(afterPair(text, text.length - characters))
}

export interface CutText {
  head: string
  /** The newest part of a growing text; nothing is missing after it. */
  tail: string
  /** Hidden characters between head and tail, or after the head. */
  hidden: number
}

/** As much of a payload as is drawn by default: its first 100 kB, or its first 2 kB and newest 98 kB while it grows. */
export function cutPayload(text: string, isGrowing: boolean): CutText {
  if (text.length <= LONG_PAYLOAD) return { head: text, tail: '', hidden: 0 }
  const head = cutHead(text, isGrowing ? KEPT_BEGINNING : LONG_PAYLOAD)
  const tail = isGrowing ? cutTail(text, LONG_PAYLOAD - KEPT_BEGINNING) : ''
  return { head, tail, hidden: text.length - head.length - tail.length }
}

/** In UTF-8, without encoding the text. */
export function byteLength(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x80) continue
    bytes += code < 0x800 || isHalf(code) ? 1 : 2
  }
  return bytes
}

/** A text without the line break at its end, which would draw an empty line. */
export function withoutLastBreak(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text
}
