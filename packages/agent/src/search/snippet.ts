import { afterPair } from '@argot/core/stream/internal'
import { splitWords } from './split-words.ts'

/** An excerpt of a text on one line, with the matches in it. */
export interface Snippet {
  text: string
  marks: [start: number, end: number][]
}

interface WordMatch {
  word: string
  start: number
  end: number
}

export interface TextMatches {
  wordCount: number
  matches: readonly WordMatch[]
}

const MOST_MATCHES = 10_000

/** Finds the query's words, and longer words that start with them, in a text. */
export function findMatches(text: string, words: readonly string[]): TextMatches {
  const matches: WordMatch[] = []
  const distinctWords = new Set<string>()
  const longestFirst = words.toSorted((a, b) => b.length - a.length)
  for (const { word: one, start, end } of splitWords(text)) {
    const word = longestFirst.find(other => one.startsWith(other))
    if (word === undefined) continue
    distinctWords.add(word)
    matches.push({ word, start, end })
    if (matches.length === MOST_MATCHES) break
  }
  return { wordCount: distinctWords.size, matches }
}

/** The part with the most words of the query, or the start. `at` is where the first match begins. */
export function createSnippet(text: string, { matches }: TextMatches, width = 160): Snippet & { at: number } {
  const { from, to, at: matchStart } = chooseWindow(text, matches, width)
  const snippet = { text: from > 0 ? '…' : '', marks: [] as Snippet['marks'], at: matchStart }
  let at = from
  const inside = matches.filter(({ start, end }) => start >= from && end <= to)
  for (const { start, end } of mergeMatches(inside)) {
    add(snippet, text.slice(at, start))
    const begin = snippet.text.length
    add(snippet, text.slice(start, end))
    snippet.marks.push([begin, snippet.text.length])
    at = end
  }
  add(snippet, text.slice(at, to))
  snippet.text = snippet.text.trimEnd()
  if (to < text.length) snippet.text += '…'
  return snippet
}

function chooseWindow(
  text: string,
  matches: readonly WordMatch[],
  width: number,
): { from: number; to: number; at: number } {
  let best = { words: 0, first: 0, last: 0 }
  let head = 0
  const inside = new Map<string, number>()
  for (const { word, end } of matches) {
    inside.set(word, (inside.get(word) ?? 0) + 1)
    for (let first = matches[head]!; end - first.start > width && first.end < end; first = matches[++head]!) {
      const count = inside.get(first.word)! - 1
      if (count === 0) inside.delete(first.word)
      else inside.set(first.word, count)
    }
    if (inside.size > best.words) best = { words: inside.size, first: matches[head]!.start, last: end }
  }
  const room = Math.max(0, width - (best.last - best.first))
  const from = Math.max(0, best.first - Math.floor(room / 2))
  const to = wordEnd(text, Math.max(best.last, from + width), best.last)
  return { from: wordStart(text, from, best.first), to, at: best.first }
}

/** The next position after a space, if there is one before `limit`; never the middle of a character. */
function wordStart(text: string, from: number, limit: number): number {
  if (from === 0) return 0
  const space = text.slice(from, limit).search(/\s/)
  const start = space === -1 ? from : from + space + 1
  return afterPair(text, start)
}

function wordEnd(text: string, to: number, limit: number): number {
  if (to >= text.length) return text.length
  const space = text.slice(limit, to).search(/\s\S*$/)
  const end = space === -1 ? to : limit + space
  return afterPair(text, end)
}

/** Overlapping matches, such as pairs of characters, become one. */
function mergeMatches(matches: readonly WordMatch[]): WordMatch[] {
  const merged: WordMatch[] = []
  for (const match of matches) {
    const previous = merged.at(-1)
    if (previous !== undefined && match.start < previous.end)
      merged[merged.length - 1] = { ...previous, end: match.end }
    else merged.push(match)
  }
  return merged
}

function add(snippet: Snippet, text: string): void {
  const line = text.replace(/\s+/g, ' ')
  snippet.text += line.startsWith(' ') && /(?:^|\s|^…)$/.test(snippet.text) ? line.slice(1) : line
}
