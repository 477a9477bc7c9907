import { countWord, createEntry, type IndexEntry, type IndexedText } from './index-entry.ts'
import { queryWords } from './split-words.ts'

export interface IndexHit {
  path: string
  title: string
  score: number
}

export interface IndexQuery {
  query: string
  filter?: ((path: string) => boolean) | undefined
}

export interface IndexHits {
  /** The best first. All of them have every word of the query, unless no text has. */
  hits: IndexHit[]
  /** If false, no text has all words, and the hits have some of them. */
  hasAll: boolean
}

export const QUERY_WORDS = 32
/** BM25: how soon more occurrences of a word add nothing, and how much the length of a text matters. */
const SATURATION = 1.2
const LENGTH_WEIGHT = 0.75
/** The weight of a longer word that starts with a word of the query. */
const LONGER_WEIGHT = 0.4

/**
 * Which texts have which words: a list of entries that a query scans from end to end, so that adding, replacing or
 * removing a text changes nothing else. docs/decisions/search-index.md has the reasons and the figures.
 */
export class SearchIndex {
  readonly #entries: Map<string, IndexEntry>
  #size = 0

  constructor(entries: Iterable<IndexEntry> = []) {
    this.#entries = new Map()
    for (const entry of entries) this.#put(entry)
  }

  get count(): number {
    return this.#entries.size
  }

  get size(): number {
    return this.#size
  }

  entries(): IterableIterator<IndexEntry> {
    return this.#entries.values()
  }

  paths(): string[] {
    return [...this.#entries.keys()]
  }

  stamp(path: string): string | undefined {
    return this.#entries.get(path)?.stamp
  }

  set(text: IndexedText): void {
    this.#put(createEntry(text))
  }

  delete(path: string): boolean {
    const entry = this.#entries.get(path)
    if (entry === undefined) return false
    this.#size -= measureEntry(entry)
    return this.#entries.delete(path)
  }

  /** The matching texts. Ties are sorted by path, so that the same texts always give the same list. */
  search({ query, filter = () => true }: IndexQuery): IndexHits {
    const words = queryWords(query, QUERY_WORDS)
    const entries = [...this.#entries.values()].filter(({ path }) => filter(path))
    const average = entries.reduce((sum, { wordCount }) => sum + wordCount, 0) / Math.max(1, entries.length)
    const scores = new Map<IndexEntry, { score: number; matches: number }>()
    for (const word of words) {
      const counts = entries.flatMap(entry => {
        const { exact, longer } = countWord(entry, word)
        const count = exact + LONGER_WEIGHT * longer
        return count > 0 ? [{ entry, count }] : []
      })
      const rarity = Math.log(1 + (entries.length - counts.length + 0.5) / (counts.length + 0.5))
      for (const { entry, count } of counts) {
        const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * entry.wordCount) / Math.max(1, average))
        const { score, matches } = scores.get(entry) ?? { score: 0, matches: 0 }
        const more = (rarity * count * (SATURATION + 1)) / (count + norm)
        scores.set(entry, { score: score + more, matches: matches + 1 })
      }
    }
    const hits = [...scores].map(([{ path, title }, { score, matches }]) => ({ path, title, score, matches }))
    const complete = hits.filter(({ matches }) => matches === words.length)
    const hasAll = complete.length > 0 || hits.length === 0
    const best = (hasAll ? complete : hits).sort(
      (a, b) => b.matches - a.matches || b.score - a.score || (a.path < b.path ? -1 : 1),
    )
    return { hits: best.map(({ path, title, score }) => ({ path, title, score })), hasAll }
  }

  #put(entry: IndexEntry): void {
    this.delete(entry.path)
    this.#entries.set(entry.path, entry)
    this.#size += measureEntry(entry)
  }
}

function measureEntry({ path, title, words }: IndexEntry): number {
  return path.length + title.length + words.length
}
