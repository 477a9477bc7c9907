import { resolve } from 'node:path'
import { isInside } from '../../files/local-file.ts'
import type { Workspace } from '../../files/workspace.ts'
import { stampFile } from '../../search/file-stamp.ts'
import { type IndexFile, noIndexFile, openIndexFile } from '../../search/index-file.ts'
import type { IndexHits, SearchIndex } from '../../search/search-index.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { walkFolder } from './walk-folder.ts'

export interface MarkdownLimits {
  /** Larger files are skipped. */
  fileBytes: number
  /** The limit on indexed files; more are skipped. */
  mostFiles: number
  /** The limit on the index in characters; more files are skipped. */
  indexSize: number
}

export interface MarkdownUpdate {
  files: number
  /** Includes new files. */
  changed: number
  removed: number
  notices: string[]
}

const defaultLimits: MarkdownLimits = { fileBytes: 4 * 1024 * 1024, mostFiles: 50_000, indexSize: 128 * 1024 * 1024 }
const MAX_ENTRIES = 200_000

/**
 * The index of the Markdown files in a run's folders, stored in `.chatmd/search` of the first one. Each search first
 * updates it. The text that a model sees is read from the files themselves, so a forged index can hide a file but
 * nothing else.
 */
export class MarkdownFolder {
  readonly #workspace: Workspace
  readonly #limits: MarkdownLimits
  readonly #key: () => Promise<Uint8Array | undefined>
  #opening: Promise<{ index: SearchIndex; file: IndexFile }> | undefined
  #lastUpdate: Promise<unknown> = Promise.resolve()

  constructor(
    workspace: Workspace,
    key: () => Promise<Uint8Array | undefined> = async () => undefined,
    limits: Partial<MarkdownLimits> = {},
  ) {
    this.#workspace = workspace
    this.#key = key
    this.#limits = { ...defaultLimits, ...limits }
  }

  /** Updates the index of a folder, given by a path from a model. Only one update runs at a time. */
  update(path: string, signal: AbortSignal): Promise<MarkdownUpdate> {
    const work = this.#lastUpdate.then(async () => {
      const start = await this.#workspace.locate(path)
      return this.#update(start, signal)
    })
    this.#lastUpdate = work.catch(() => {})
    return work
  }

  async search(path: string, query: string): Promise<IndexHits> {
    const start = await this.#workspace.locate(path)
    const { index } = await this.#open()
    return index.search({ query, filter: one => this.#isBelow(start, one) })
  }

  /** A file's current text; undefined if it no longer exists or leads out of the folders. */
  async read(path: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      return await this.#workspace.read(path, this.#limits.fileBytes, signal)
    } catch (error) {
      if (error instanceof ToolFailure) return undefined
      throw error
    }
  }

  async #update(start: string, signal: AbortSignal): Promise<MarkdownUpdate> {
    const { index, file } = await this.#open()
    const { fileBytes, mostFiles, indexSize } = this.#limits
    const enter = (_: string, name: string): boolean => !name.startsWith('.') && name !== 'node_modules'
    const walk = walkFolder(start, { enter, signal, limit: MAX_ENTRIES })
    const present = new Set<string>()
    let changed = 0
    let tooLarge = 0
    let tooMany = 0
    for await (const { real, link } of walk.files) {
      if (link || !/\.(?:md|mdx|markdown)$/i.test(real)) continue
      const stamp = await stampFile(real)
      if (stamp === undefined) continue
      if (stamp.bytes > fileBytes) {
        tooLarge++
        continue
      }
      const path = this.#workspace.show(real)
      const isKnown = index.stamp(path) === stamp.stamp
      if (present.size >= mostFiles || (!isKnown && index.size > indexSize)) {
        tooMany++
        continue
      }
      const text = isKnown ? undefined : await this.read(real, signal)
      if (!isKnown && text === undefined) continue
      present.add(path)
      if (text === undefined) continue
      const storedStamp = stamp.isFresh ? `${stamp.stamp} fresh` : stamp.stamp
      const title = /^#{1,6}[ \t]+(.*)$/m.exec(text)?.[1] ?? ''
      index.set({ path, stamp: storedStamp, title, text })
      changed++
    }
    const removedPaths = index.paths().filter(path => this.#isBelow(start, path) && !present.has(path))
    for (const path of removedPaths) index.delete(path)
    if (changed + removedPaths.length > 0) await file.save(index)
    const notices = [
      ...(tooLarge > 0 ? [`Files that are too large were left out: ${tooLarge}.`] : []),
      ...(tooMany > 0 ? [`The index is full. Files that were left out: ${tooMany}. Name a smaller folder.`] : []),
      ...walk.notices(),
    ]
    return { files: present.size, changed, removed: removedPaths.length, notices }
  }

  #isBelow(start: string, path: string): boolean {
    return isInside(start, resolve(this.#workspace.root, path))
  }

  #open(): Promise<{ index: SearchIndex; file: IndexFile }> {
    this.#opening ??= (async () => {
      const key = await this.#key()
      const file = key === undefined ? noIndexFile : openIndexFile(this.#workspace.root, 'markdown', key)
      return { index: await file.load(), file }
    })()
    return this.#opening
  }
}
