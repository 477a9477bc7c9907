import { firstCharacters } from '@argot/core/stream/internal'

/** A word in the normalized form that words are compared in. */
export interface PlacedWord {
  word: string
  start: number
  end: number
  /** The lone last character of a text without spaces. A query of several characters leaves it out. */
  isLastCharacter?: true
}

/** Longer words are cut: users don't search for the end of a key or a Base64 image. */
const WORD_LENGTH = 64

/** Scripts without spaces between words. Every two adjacent characters are indexed as a word. */
const unspaced = String.raw`(?=[\p{L}\p{N}ー])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}々〆ー]`
const everyRun = new RegExp(String.raw`(?<unspaced>(?:${unspaced}\p{M}*)+)|(?:(?!${unspaced})[\p{L}\p{N}\p{M}])+`, 'gu')
const everyCharacter = /\P{M}\p{M}*/gu

/** The words of a text, in order. Ignores case, accents and widths; an underscore separates words. */
export function* splitWords(text: string): Generator<PlacedWord> {
  for (const match of text.matchAll(everyRun)) {
    const [run] = match
    const start = match.index
    if (match.groups?.unspaced !== undefined) yield* splitPairs(run, start)
    else {
      const head = firstCharacters(run, 2 * WORD_LENGTH)
      const word = firstCharacters(foldWord(head), WORD_LENGTH)
      if (word !== '') yield { word, start, end: start + head.length }
    }
  }
}

/**
 *   全文検索
 *   全文  文検  検索  索
 */
function* splitPairs(run: string, start: number): Generator<PlacedWord> {
  let previous: { word: string; start: number; end: number } | undefined
  let isFirst = true
  for (const match of run.matchAll(everyCharacter)) {
    const head = firstCharacters(match[0], WORD_LENGTH)
    const place = { word: foldWord(head), start: start + match.index, end: start + match.index + head.length }
    if (previous !== undefined) {
      yield {
        word: `${previous.word}${place.word}`,
        start: previous.start,
        end: Math.min(place.end, previous.start + 2 * WORD_LENGTH),
      }
      isFirst = false
    }
    previous = place
  }
  if (previous !== undefined) yield isFirst ? previous : { ...previous, isLastCharacter: true }
}

/** Folding letters must never produce a separator of the index. */
function foldWord(word: string): string {
  if (/^[a-z0-9]+$/.test(word)) return word
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}\p{M}]/gu, '')
}

export function queryWords(query: string, limit: number): string[] {
  const words = new Set<string>()
  for (const { word, isLastCharacter } of splitWords(query)) {
    if (isLastCharacter !== true) words.add(word)
    if (words.size === limit) break
  }
  return [...words]
}
