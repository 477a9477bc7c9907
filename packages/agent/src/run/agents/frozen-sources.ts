import { createHash } from 'node:crypto'
import type { Resolver } from '@argot/core/chatmd'
import type { FrozenPlace, FrozenSource, FrozenSourceStore } from '@argot/core/chatmd/internal'
import { defined } from '@argot/core/stream/internal'
import type { DocumentFiles } from '../../store/store.ts'

/** What one place in a document brought in. `file` is where it came from. */
interface SourceEntry {
  hash: string
  file: string
  mediaType?: string
}

const INDEX = 'index.json'
const MOST_PLACES = 10_000

export interface ChangedSource {
  place: FrozenPlace
  how: 'changed' | 'gone'
}

/**
 * What a document brought in from outside when its turns were first sent. It is stored beside the document, where
 * others can write. So content that doesn't match its hash isn't trusted, and its source is read again.
 */
export class FrozenSources implements FrozenSourceStore {
  readonly #files: DocumentFiles
  readonly #stored: ReadonlyMap<string, SourceEntry>
  readonly #isRefresh: boolean
  /** The sources of the document that this one was copied from. */
  readonly #origin: FrozenSources | undefined
  readonly #entries: Map<string, SourceEntry> = new Map()
  readonly #texts: Map<string, string> = new Map()
  readonly #answers: Set<string>
  readonly #recalled: { place: FrozenPlace; hash: string }[] = []

  private constructor(
    files: DocumentFiles,
    stored: ReadonlyMap<string, SourceEntry>,
    isRefresh: boolean,
    origin: FrozenSources | undefined,
    answers: readonly string[],
  ) {
    this.#origin = origin
    this.#answers = new Set(answers)
    this.#files = files
    this.#stored = stored
    this.#isRefresh = isRefresh
  }

  /** Opens a document's stored sources. With `refresh`, none of them is used. */
  static async open(files: DocumentFiles, refresh = false, origin?: FrozenSources): Promise<FrozenSources> {
    const index = await readText(files, INDEX)
    return new FrozenSources(files, readIndex(index), refresh, origin, readAnswers(index))
  }

  async recall(place: FrozenPlace): Promise<FrozenSource | undefined> {
    if (this.#isRefresh) return undefined
    const entry = this.#stored.get(toKey(place))
    const text = entry && (this.#texts.get(entry.hash) ?? (await readText(this.#files, entry.hash)))
    if (entry === undefined || text === undefined || hashText(text) !== entry.hash) return this.#inherit(place)
    this.#entries.set(toKey(place), entry)
    this.#recalled.push({ place, hash: entry.hash })
    const { file, mediaType } = entry
    return mediaType === undefined ? { ok: true, text, file } : { ok: true, url: text, mediaType, file }
  }

  async #inherit(place: FrozenPlace): Promise<FrozenSource | undefined> {
    const source = await this.#origin?.recall(place)
    if (source !== undefined) this.keep(place, source)
    return source
  }

  keep(place: FrozenPlace, source: FrozenSource): void {
    if (this.#entries.size >= MOST_PLACES) return
    const text = 'text' in source ? source.text : source.url
    const hash = hashText(text)
    const mediaType = 'url' in source ? source.mediaType : undefined
    this.#entries.set(toKey(place), { hash, file: source.file, ...defined({ mediaType }) })
    this.#texts.set(hash, text)
  }

  /** The last value given for a parameter. It applies until another is given, even if sources are read again. */
  async recallParam(name: string): Promise<string | undefined> {
    const entry = this.#stored.get(toKey(lastValuePlace(name)))
    const text = entry && (this.#texts.get(entry.hash) ?? (await readText(this.#files, entry.hash)))
    const isIntact = entry !== undefined && text !== undefined && hashText(text) === entry.hash
    return isIntact ? text : this.#origin?.recallParam(name)
  }

  keepParam(name: string, value: string): void {
    this.keep(lastValuePlace(name), { ok: true, text: value, file: name })
  }

  noteCachedAnswer(key: string): void {
    this.#answers.add(key)
  }

  /** Writes what this run recalled or kept: contents before the index that names them. */
  async save(): Promise<void> {
    if (this.#entries.size === 0 && this.#answers.size === 0) return
    for (const [hash, text] of this.#texts) await this.#files.write('sources', hash, text)
    const places = [...this.#entries].map(([place, entry]) => ({ place, ...entry }))
    const answers = this.#answers.size === 0 ? undefined : [...this.#answers]
    const index = { argot: 'sources', v: 1, places, ...defined({ answers }) }
    await this.#files.write('sources', INDEX, `${JSON.stringify(index)}\n`)
  }

  /** The sources of answered turns that have changed: files, and parameter values. Doesn't request addresses. */
  async changes(
    resolver: Resolver,
    document: string | undefined,
    params: ReadonlyMap<string, string> = new Map(),
  ): Promise<ChangedSource[]> {
    const changed: ChangedSource[] = []
    for (const { place, hash } of this.#recalled) {
      const { kind, src, local, html, from } = place
      if (kind === 'param') {
        const value = params.get(src)
        if (value !== undefined && hashText(value) !== hash) changed.push({ place, how: 'changed' })
        continue
      }
      if (kind === 'answer' || !local) continue
      const now = await resolver.resolve({ kind, src, local, html, from: from ?? document, document })
      if (!now.ok) changed.push({ place, how: 'gone' })
      else if (hashText('text' in now ? now.text : now.url) !== hash) changed.push({ place, how: 'changed' })
    }
    return changed
  }
}

async function readText(files: DocumentFiles, name: string): Promise<string | undefined> {
  const bytes = await files.read('sources', name)
  return bytes === undefined ? undefined : Buffer.from(bytes).toString()
}

/** Not a place in the document: places are numbered from 0. */
function lastValuePlace(name: string): FrozenPlace {
  return { kind: 'param', src: name, local: true, html: 'keep', from: undefined, nth: -1 }
}

function toKey({ kind, src, local, html, from, nth }: FrozenPlace): string {
  return JSON.stringify([kind, src, local, html, from ?? null, nth])
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Anyone may have written them, so invalid keys are dropped. */
function readAnswers(text: string | undefined): string[] {
  try {
    const { answers } = JSON.parse(text ?? '{}') as { answers?: unknown }
    const keys = Array.isArray(answers) ? answers.slice(0, MOST_PLACES) : []
    return keys.filter((key): key is string => typeof key === 'string' && /^[0-9a-f]{64}$/.test(key))
  } catch {
    return []
  }
}

/** The valid part of the index: anyone may have written it. */
function readIndex(text: string | undefined): Map<string, SourceEntry> {
  const entries = new Map<string, SourceEntry>()
  let places: unknown
  try {
    places = (JSON.parse(text ?? '{}') as { places?: unknown }).places
  } catch {
    return entries
  }
  if (!Array.isArray(places)) return entries
  for (const one of places.slice(0, MOST_PLACES)) {
    const { place, hash, file, mediaType } = (one ?? {}) as Record<string, unknown>
    if (typeof place !== 'string' || typeof file !== 'string' || typeof hash !== 'string') continue
    if (!/^[0-9a-f]{64}$/.test(hash)) continue
    entries.set(place, { hash, file, ...defined({ mediaType: typeof mediaType === 'string' ? mediaType : undefined }) })
  }
  return entries
}
