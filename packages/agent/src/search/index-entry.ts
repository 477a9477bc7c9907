import { firstCharacters } from '@argot/core/stream/internal'
import { splitWords } from './split-words.ts'

/** What the index stores about a text: no sentences, only its words and how often they occur. */
export interface IndexEntry {
  path: string
  stamp: string
  title: string
  wordCount: number
  /** ` word other:3 `: each word once, with its count if that is not 1. */
  words: string
}

export interface IndexedText {
  path: string
  stamp: string
  title: string
  text: string
}

const MOST_WORDS = 50_000
const TITLE_LENGTH = 200
/** A word in the title counts as this many occurrences. */
const TITLE_WEIGHT = 3

/** Words of the title and the path are indexed too. */
export function createEntry({ path, stamp, title, text }: IndexedText): IndexEntry {
  const counts = new Map<string, number>()
  let wordCount = 0
  const add = (source: string, weight: number): void => {
    for (const { word } of splitWords(source)) {
      wordCount++
      const count = counts.get(word)
      if (count !== undefined || counts.size < MOST_WORDS) counts.set(word, (count ?? 0) + weight)
    }
  }
  add(title.slice(0, TITLE_LENGTH), TITLE_WEIGHT)
  add(path, 1)
  add(text, 1)
  const words = Array.from(counts, ([word, count]) => (count === 1 ? word : `${word}:${count}`))
  // A copy: a slice would keep the whole text in memory.
  const line = JSON.parse(JSON.stringify(firstCharacters(title, TITLE_LENGTH))) as string
  return { path, stamp, title: line, wordCount, words: ` ${words.join(' ')} ` }
}

export function countWord({ words }: IndexEntry, word: string): { exact: number; longer: number } {
  let exact = 0
  let longer = 0
  const start = ` ${word}`
  for (let at = words.indexOf(start); at !== -1; at = words.indexOf(start, at + start.length)) {
    const after = at + start.length
    const isExact = words[after] === ' ' || words[after] === ':'
    const end = words.indexOf(' ', after)
    const colon = words.indexOf(':', after)
    const count = colon === -1 || colon > end ? 1 : Number(words.slice(colon + 1, end))
    if (isExact) exact += count
    else longer += count
  }
  return { exact, longer }
}
