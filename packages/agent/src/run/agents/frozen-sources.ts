import { createHash } from 'node:crypto'
import type { Resolver } from '@argot/core/chatmd'
import type { Frozen, FrozenPlace, FrozenSource } from '@argot/core/chatmd/internal'
import { defined } from '@argot/core/stream/internal'
import type { DocumentFiles } from '../../store/store.ts'

/** What one place of a document brought in: its content by hash, and what it was read from. */
interface SourceEntry {
  hash: string
  file: string
  mediaType?: string
}

/** The file that says which sources a document has. */
const INDEX = 'index.json'
/** More places than this are not kept. */
const MOST_PLACES = 10_000

/** A source that is not what it was when a turn was sent. */
export interface ChangedSource {
  place: FrozenPlace
  how: 'changed' | 'gone'
}

/**
 * What a document brought in from outside when its turns were first sent. It lies beside the document, where others can
 * write: a content that does not have its hash is not believed, and is read again.
 */
export class FrozenSources implements Frozen {
  readonly #files: DocumentFiles
  readonly #before: ReadonlyMap<string, SourceEntry>
  readonly #isRefreshed: boolean
  /** What the document knows that this one is a copy of. */
  readonly #origin: FrozenSources | undefined
  readonly #kept: Map<string, SourceEntry> = new Map()
  readonly #texts: Map<string, string> = new Map()
  /** The keys of answers of agents, before and now. */
  readonly #answers: Set<string>
  readonly #recalled: { place: FrozenPlace; hash: string }[] = []

  private constructor(
    files: DocumentFiles,
    before: ReadonlyMap<string, SourceEntry>,
    isRefreshed: boolean,
    origin: FrozenSources | undefined,
    answers: readonly string[],
  ) {
    this.#origin = origin
    this.#answers = new Set(answers)
    this.#files = files
    this.#before = before
    this.#isRefreshed = isRefreshed
  }

  /** Opens what was kept for a document; with `refresh` nothing of it counts. */
  static async open(files: DocumentFiles, refresh = false, before?: FrozenSources): Promise<FrozenSources> {
    const index = await readText(files, INDEX)
    return new FrozenSources(files, readIndex(index), refresh, before, readAnswers(index))
  }

  async recall(place: FrozenPlace): Promise<FrozenSource | undefined> {
    if (this.#isRefreshed) return undefined
    const entry = this.#before.get(toKey(place))
    const text = entry && (this.#texts.get(entry.hash) ?? (await readText(this.#files, entry.hash)))
    if (entry === undefined || text === undefined || hashText(text) !== entry.hash) return this.#inherit(place)
    this.#kept.set(toKey(place), entry)
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
    if (this.#kept.size >= MOST_PLACES) return
    const text = 'text' in source ? source.text : source.url
    const hash = hashText(text)
    const mediaType = 'url' in source ? source.mediaType : undefined
    this.#kept.set(toKey(place), { hash, file: source.file, ...defined({ mediaType }) })
    this.#texts.set(hash, text)
  }

  /** The value of a parameter that a run was given last. It counts until another is given, whatever is read again. */
  async recallParam(name: string): Promise<string | undefined> {
    const entry = this.#before.get(toKey(lastValue(name)))
    const text = entry && (this.#texts.get(entry.hash) ?? (await readText(this.#files, entry.hash)))
    const isKnown = entry !== undefined && text !== undefined && hashText(text) === entry.hash
    return isKnown ? text : this.#origin?.recallParam(name)
  }

  keepParam(name: string, value: string): void {
    this.keep(lastValue(name), { ok: true, text: value, file: name })
  }

  /** The document has an answer that is in the cache of agents under this key. */
  noteAnswer(key: string): void {
    this.#answers.add(key)
  }

  /** Writes what is new: contents before the index that names them. */
  async save(): Promise<void> {
    if (this.#kept.size === 0 && this.#answers.size === 0) return
    for (const [hash, text] of this.#texts) await this.#files.write('sources', hash, text)
    const places = [...this.#kept].map(([place, entry]) => ({ place, ...entry }))
    const answers = this.#answers.size === 0 ? undefined : [...this.#answers]
    const index = { argot: 'sources', v: 1, places, ...defined({ answers }) }
    await this.#files.write('sources', INDEX, `${JSON.stringify(index)}\n`)
  }

  /** The sources of answered turns that are not what they were: files, and values of parameters. Addresses are not asked. */
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

/** Not a place of the document: no place is counted below 0. */
function lastValue(name: string): FrozenPlace {
  return { kind: 'param', src: name, local: true, html: 'keep', from: undefined, nth: -1 }
}

function toKey({ kind, src, local, html, from, nth }: FrozenPlace): string {
  return JSON.stringify([kind, src, local, html, from ?? null, nth])
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Anybody may have written them: what is not a key is none. */
function readAnswers(text: string | undefined): string[] {
  try {
    const { answers } = JSON.parse(text ?? '{}') as { answers?: unknown }
    const keys = Array.isArray(answers) ? answers.slice(0, MOST_PLACES) : []
    return keys.filter((key): key is string => typeof key === 'string' && /^[0-9a-f]{64}$/.test(key))
  } catch {
    return []
  }
}

/** The index as far as it is one: it may have been written by anybody. */
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
