import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { isInside } from '../files/local-file.ts'
import { chooseTitle } from '../store/document-title.ts'
import { documentIndexName } from '../store/folder/layout.ts'
import type { Store } from '../store/store.ts'
import { stampFile } from './file-stamp.ts'
import { type IndexFile, noIndexFile, openIndexFile } from './index-file.ts'
import { readMessages, type SearchedMessage } from './read-messages.ts'
import { QUERY_WORDS, type SearchIndex } from './search-index.ts'
import { createSnippet, findMatches, type Snippet } from './snippet.ts'
import { queryWords } from './split-words.ts'

/** A matching document, with the message that matches most words of the query. */
export interface DocumentHit {
  path: string
  title: string
  /** The message's position in the document, from 1; 0 if only the title or the path matches. */
  message: number
  id: string | undefined
  role: SearchedMessage['role'] | undefined
  snippet: Snippet
  score: number
}

export interface DocumentHits {
  hits: DocumentHit[]
  /** How many documents match, including those not in `hits`. */
  total: number
  /** If false, no document has all words, and the hits have some of them. */
  hasAll: boolean
  /** Documents that were not searched: too large, too many, or unreadable. */
  skipped: number
}

export interface DocumentSearchOptions {
  /** Signs a folder's index. Without it, the index ends with the process. */
  key?: (() => Promise<Uint8Array | undefined>) | undefined
  /** Longer documents are skipped. In bytes; 16 MiB by default. */
  documentBytes?: number | undefined
  /** More documents are skipped; 100,000 by default. */
  mostDocuments?: number | undefined
}

const DOCUMENT_BYTES = 16 * 1024 * 1024
const MOST_DOCUMENTS = 100_000
/** The limit on the index in characters; more documents are skipped. */
const INDEX_SIZE = 192 * 1024 * 1024
const BATCH = 16
/** The index is written if at least one in this many entries is new. */
const WORTH_WRITING = 100

/**
 * Searches the documents of a store. Each search first updates the index. A store in a folder keeps it in
 * `.chatmd/search`; any other store has one per process, because writing it would cost more than it saves.
 */
export class DocumentSearch {
  readonly #store: Store
  readonly #key: () => Promise<Uint8Array | undefined>
  readonly #documentBytes: number
  readonly #mostDocuments: number
  #file: IndexFile = noIndexFile
  #index: SearchIndex | undefined
  /** Searches run one after another. This is the newest. */
  #lastSearch: Promise<unknown> = Promise.resolve()
  #skipped: Map<string, string> = new Map()
  /** How many entries the file lacks, and whether it still has words of deleted documents. */
  #unsaved = 0
  #hasDeleted = false

  constructor(store: Store, { key, documentBytes, mostDocuments }: DocumentSearchOptions = {}) {
    this.#store = store
    this.#key = key ?? (async () => undefined)
    this.#documentBytes = documentBytes ?? DOCUMENT_BYTES
    this.#mostDocuments = mostDocuments ?? MOST_DOCUMENTS
  }

  /** The best first. Titles and snippets are read from the documents now, not from the index. */
  search(query: string, limit: number, signal?: AbortSignal): Promise<DocumentHits> {
    const work = this.#lastSearch.then(() => this.#search(query, limit, signal))
    this.#lastSearch = work.catch(() => {})
    return work
  }

  async #search(query: string, limit: number, signal: AbortSignal | undefined): Promise<DocumentHits> {
    signal?.throwIfAborted()
    const index = await this.#refresh(signal)
    const { hits, hasAll } = index.search({ query })
    const words = queryWords(query, QUERY_WORDS)
    const visibleHits: DocumentHit[] = []
    for (const { path, score } of hits) {
      if (visibleHits.length === limit) break
      signal?.throwIfAborted()
      const hit = await this.#createHit(path, words)
      if (hit !== undefined) visibleHits.push({ ...hit, score })
    }
    return { hits: visibleHits, total: Math.max(hits.length, visibleHits.length), hasAll, skipped: this.#skipped.size }
  }

  /** Undefined if the document no longer exists. */
  async #createHit(path: string, words: readonly string[]): Promise<Omit<DocumentHit, 'score'> | undefined> {
    const text = await this.#read(path)
    if (text === undefined) return undefined
    const { title: first, messages } = await readMessages(path, text)
    const title = chooseTitle(first, await this.#store.sidecars.read(path).catch(() => ({ records: [] })))
    const looks = messages.map(message => ({ message, matches: findMatches(message.text, words) }))
    const best = looks.reduce<(typeof looks)[number] | undefined>((one, other) => {
      if (other.matches.wordCount === 0) return one
      return one === undefined || other.matches.wordCount > one.matches.wordCount ? other : one
    }, undefined)
    if (best === undefined) {
      const { text: line, marks } = createSnippet(first, findMatches(first, words))
      const snippet = { text: line, marks }
      return { path, title, message: 0, id: undefined, role: undefined, snippet }
    }
    const { number, id, role } = best.message
    const { text: line, marks } = createSnippet(best.message.text, best.matches)
    return { path, title, message: number, id, role, snippet: { text: line, marks } }
  }

  /** Updates the index. A search that ends early leaves an index that the next one continues. */
  async #refresh(signal: AbortSignal | undefined): Promise<SearchIndex> {
    const index = this.#index ?? (await this.#open())
    this.#index = index
    const all = await this.#store.documents.list()
    const paths = all.slice(0, this.#mostDocuments)
    const stamps = await this.#store.documents.stamps?.()
    const present = new Set(paths)
    for (const path of index.paths()) if (!present.has(path)) this.#forget(index, path)
    const skipped = new Map(all.slice(this.#mostDocuments).map(path => [path, '']))
    for (let at = 0; at < paths.length; at += BATCH) {
      signal?.throwIfAborted()
      const batch = paths.slice(at, at + BATCH)
      await Promise.all(batch.map(path => this.#indexDocument(index, path, stamps?.get(path)?.version, skipped)))
    }
    this.#skipped = skipped
    const isWorthIt = this.#hasDeleted || this.#unsaved * WORTH_WRITING >= Math.max(1, index.count)
    if (isWorthIt && (await this.#file.save(index))) {
      this.#unsaved = 0
      this.#hasDeleted = false
    }
    return index
  }

  async #open(): Promise<SearchIndex> {
    const { root } = this.#store
    if (root !== undefined) this.#file = openIndexFile(await realpath(root), documentIndexName, await this.#key())
    return this.#file.load()
  }

  async #indexDocument(
    index: SearchIndex,
    path: string,
    version: string | undefined,
    skipped: Map<string, string>,
  ): Promise<void> {
    const { root } = this.#store
    const file = root === undefined ? undefined : await stampFile(join(root, path))
    const stamp = file?.stamp ?? version
    if (stamp === undefined) {
      this.#forget(index, path)
      return
    }
    if (index.stamp(path) === stamp) return
    const isKnown = this.#skipped.get(path) === stamp
    const text = isKnown || index.size > INDEX_SIZE ? undefined : await this.#read(path)
    if (text === undefined) {
      this.#forget(index, path)
      skipped.set(path, stamp)
      return
    }
    const { title, messages } = await readMessages(path, text)
    // A file written right after this read may get the same stamp.
    const storedStamp = file?.isFresh === true ? `${stamp} fresh` : stamp
    index.set({ path, stamp: storedStamp, title, text: messages.map(message => message.text).join('\n') })
    this.#unsaved++
  }

  #forget(index: SearchIndex, path: string): void {
    if (index.delete(path)) this.#hasDeleted = true
  }

  /** Undefined if it can't be read, or if a link leads out of the store. */
  async #read(path: string): Promise<string | undefined> {
    const { root } = this.#store
    try {
      if (root !== undefined && !isInside(await realpath(root), await realpath(join(root, path)))) return undefined
      return (await this.#store.documents.read(path, { most: this.#documentBytes })).text
    } catch {
      return undefined
    }
  }
}
