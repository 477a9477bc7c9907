import { firstCharacters } from '@argot/core/stream/internal'
import { splitWords } from './split-words.ts'

/** What an index keeps of a text: no sentence, only which words it has and how often. */
export interface IndexEntry {
  path: string
  /** Changes with the text. */
  stamp: string
  title: string
  /** How many words the text has. */
  length: number
  /** ` word other:3 `: each word once, with its count if that is not 1. */
  words: string
}

export interface IndexedText {
  path: string
  stamp: string
  title: string
  text: string
}

/** A text has no more different words in the index. */
const MOST_WORDS = 50_000
const TITLE_LENGTH = 200
/** A word of the title counts as often as this. */
const TITLE_WEIGHT = 3

/** Makes the entry of a text. The words of its title and its path are found too. */
export function createEntry({ path, stamp, title, text }: IndexedText): IndexEntry {
  const counts = new Map<string, number>()
  let length = 0
  const add = (source: string, weight: number): void => {
    for (const { word } of splitWords(source)) {
      length++
      const count = counts.get(word)
      if (count !== undefined || counts.size < MOST_WORDS) counts.set(word, (count ?? 0) + weight)
    }
  }
  add(title.slice(0, TITLE_LENGTH), TITLE_WEIGHT)
  add(path, 1)
  add(text, 1)
  const words = Array.from(counts, ([word, count]) => (count === 1 ? word : `${word}:${count}`))
  // A copy: a slice would keep the text that it was cut from in memory.
  const line = JSON.parse(JSON.stringify(firstCharacters(title, TITLE_LENGTH))) as string
  return { path, stamp, title: line, length, words: ` ${words.join(' ')} ` }
}

/** How often a text has a word, and words that begin with it. */
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
