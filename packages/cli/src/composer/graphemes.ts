import { measureWidth } from '../io/width.ts'

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
const plain = /^[\x20-\x7e\n]*$/
/** Several code points that terminals with cluster support draw as one picture. */
const picture = /\u200d|\ufe0f|[\u{1f3fb}-\u{1f3ff}]|[\u{1f1e6}-\u{1f1ff}]{2}|\u20e3/u

export interface Grapheme {
  text: string
  start: number
}

export function graphemes(text: string): Grapheme[] {
  if (plain.test(text)) return Array.from(text, (character, start) => ({ text: character, start }))
  return Array.from(segmenter.segment(text), ({ segment, index }) => ({ text: segment, start: index }))
}

/** The columns of one grapheme. A tab is drawn as four. */
export function graphemeWidth(grapheme: string): number {
  if (grapheme === '\t') return 4
  if (grapheme.length === 1) return measureWidth(grapheme)
  return picture.test(grapheme) ? 2 : Math.min(2, measureWidth(grapheme))
}

export function hasDoubtfulWidth(grapheme: string): boolean {
  return grapheme.length > 1 && picture.test(grapheme)
}
