import { createHash, randomUUID } from 'node:crypto'
import type { Store } from '@argot/agent'
import {
  type DocumentFiles,
  type Documents,
  endsRun,
  type FileKind,
  hashText,
  type Inbox,
  type Lease,
  type Leases,
  type OpenDocument,
  type Post,
  type RunEntry,
  type RunLog,
  type RunLogs,
  type SidecarRecord,
  type Sidecars,
  stateAfter,
  type Trash,
  type TrashedDocument,
  toBatch,
} from '@argot/agent/internal'
import type { KillPoint, StorePlace } from '@argot/agent/testing'
import { ArgotError, type Chunk } from '@argot/core'
import { writeChatMd } from '@argot/core/chatmd'
import type { TranscriptRecord } from '@argot/core/chatmd/internal'
import { isInternalMark, type LogLine } from '@argot/core/stream'

interface Log {
  path: string
  lines: LogLine[]
}

/** What belongs to one document, besides its text and its runs. */
interface Belongings {
  files: Map<string, Uint8Array>
  records: SidecarRecord[]
}

/** What stays when a process dies: the place of a database. */
export class MemoryPlace implements StorePlace {
  readonly documents: Map<string, string>
  readonly tails: string[] = []
  readonly trash: Map<string, { entry: TrashedDocument; text: string; logs: [string, Log][]; own: Belongings }> =
    new Map()
  readonly belongings: Map<string, Belongings> = new Map()
  readonly logs: Map<string, Log> = new Map()
  readonly posts: Map<string, Post[]> = new Map()
  /** Who holds each document, as an object of its own. */
  readonly holders: Map<string, object> = new Map()
  lastEpoch = 0
  readonly #waiting: Set<() => void> = new Set()

  constructor(documents: Readonly<Record<string, string>>) {
    this.documents = new Map(Object.entries(documents))
  }

  open(kill?: KillPoint): Store {
    return memoryStore(this, kill)
  }

  async expire(path: string): Promise<void> {
    this.holders.delete(path)
    this.changed()
  }

  async remove(): Promise<void> {}

  belongingsOf(path: string): Belongings {
    const own = this.belongings.get(path) ?? { files: new Map(), records: [] }
    this.belongings.set(path, own)
    return own
  }

  /** What belongs to a document that leaves this path. */
  takeBelongings(path: string): Belongings {
    const own = this.belongingsOf(path)
    this.belongings.delete(path)
    return own
  }

  changed(): void {
    for (const wake of [...this.#waiting]) wake()
  }

  /** Resolves when another process holds the document. */
  async replaced(path: string, own: object): Promise<void> {
    while (this.holders.get(path) === own || !this.holders.has(path)) await this.change(undefined)
  }

  /** Resolves with the next change, or with the signal. */
  async change(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted === true) return
    await new Promise<void>(resolve => {
      const wake = (): void => {
        this.#waiting.delete(wake)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal?.addEventListener('abort', wake)
    })
  }
}

/** A store that keeps everything in memory: one change of the place is one operation. */
export function memoryStore(place: MemoryPlace, kill?: KillPoint): Store {
  const process = new MemoryProcess(place, kill)
  const leases = memoryLeases(process)
  return {
    root: undefined,
    documents: memoryDocuments(process),
    logs: memoryLogs(process),
    leases,
    inbox: memoryInbox(process),
    trash: memoryTrash(process),
    sidecars: memorySidecars(process),
    files: path => memoryFiles(process, path),
  }
}

/** What one process may do to a place. */
class MemoryProcess {
  readonly place: MemoryPlace
  readonly #kill: KillPoint | undefined
  readonly #holds: WeakMap<Lease, () => boolean> = new WeakMap()

  constructor(place: MemoryPlace, kill: KillPoint | undefined) {
    this.place = place
    this.#kill = kill
  }

  do(operation: () => void): void {
    if (this.#kill === undefined) operation()
    else this.#kill.run(operation)
    this.place.changed()
  }

  remember(lease: Lease, holds: () => boolean): Lease {
    this.#holds.set(lease, holds)
    return lease
  }

  checkLease(lease: Lease, path: string): void {
    if (lease.path === path && this.#holds.get(lease)?.() === true) return
    throw new ArgotError('RUN_LEASE_LOST', `Another process has taken \`${path}\` over.`)
  }
}

function versionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function memoryDocuments(process: MemoryProcess): Documents {
  const { documents } = process.place
  const textOf = (path: string): string => {
    const text = documents.get(path)
    if (text === undefined) throw new ArgotError('RUN_FAILED', `There is no document \`${path}\`.`)
    return text
  }
  return {
    async read(path) {
      const text = textOf(path)
      return { text, version: versionOf(text) }
    },
    open: async (path, lease) => new MemoryDocument(process, path, lease, textOf(path)),
    async write(path, text, { after, lease }) {
      if (after !== undefined) process.checkLease(lease, path)
      const found = documents.get(path)
      if ((found === undefined ? undefined : versionOf(found)) !== after) throw changed(path)
      process.do(() => documents.set(path, text))
      return versionOf(text)
    },
    async branch(path, text, to) {
      let name = to ?? path
      for (let number = 1; to === undefined && documents.has(name); number++) {
        name = path.replace(/\.chatmd$/, `.${number}.chatmd`)
      }
      if (documents.has(name)) throw new ArgotError('RUN_OUTPUT_EXISTS', `\`${name}\` already exists.`)
      process.do(() => {
        documents.set(name, text)
        process.place.belongingsOf(name).records = structuredClone(process.place.belongingsOf(path).records)
      })
      return name
    },
    async remove(path, lease) {
      process.checkLease(lease, path)
      const text = textOf(path)
      const { logs, trash } = process.place
      const entry = { path, id: randomUUID(), at: Date.now() }
      process.do(() => {
        const own = [...logs].filter(([, log]) => log.path === path)
        for (const [run] of own) logs.delete(run)
        trash.set(entry.id, { entry, text, logs: own, own: process.place.takeBelongings(path) })
        documents.delete(path)
      })
      return entry
    },
    async rename(path, to, lease) {
      process.checkLease(lease, path)
      const text = textOf(path)
      if (to === path) return
      if (documents.has(to)) throw new ArgotError('RUN_OUTPUT_EXISTS', `\`${to}\` already exists.`)
      process.do(() => {
        for (const log of process.place.logs.values()) if (log.path === path) log.path = to
        process.place.belongings.set(to, process.place.takeBelongings(path))
        documents.delete(path)
        documents.set(to, text)
      })
    },
    async erase(path, lease) {
      process.checkLease(lease, path)
      textOf(path)
      process.do(() => {
        for (const [run, log] of process.place.logs) if (log.path === path) eraseRun(process.place, run)
        process.place.takeBelongings(path)
        documents.delete(path)
      })
    },
    list: async () => [...documents.keys()].sort(),
    async *watch(signal) {
      let before = new Map(documents)
      while (!signal.aborted) {
        await process.place.change(signal)
        const now = new Map(documents)
        for (const path of new Set([...before.keys(), ...now.keys()]))
          if (before.get(path) !== now.get(path)) yield path
        before = now
      }
    },
  }
}

function eraseRun({ logs, posts }: MemoryPlace, run: string): void {
  logs.delete(run)
  posts.delete(run)
}

function memoryTrash(process: MemoryProcess): Trash {
  const { trash, documents, logs } = process.place
  return {
    async list(path) {
      const entries = Array.from(trash.values(), ({ entry }) => entry)
      return entries.filter(entry => (path ?? entry.path) === entry.path).sort((a, b) => a.at - b.at)
    },
    async restore({ id, path }) {
      const found = trash.get(id)
      if (found === undefined) throw new ArgotError('RUN_NOT_IN_TRASH', `There is no \`${path}\` in the trash.`)
      if (documents.has(path)) throw new ArgotError('RUN_OUTPUT_EXISTS', `\`${path}\` already exists.`)
      process.do(() => {
        trash.delete(id)
        documents.set(path, found.text)
        for (const [run, log] of found.logs) logs.set(run, log)
        process.place.belongings.set(path, found.own)
      })
    },
    async erase({ id }) {
      process.do(() => {
        for (const [run] of trash.get(id)?.logs ?? []) eraseRun(process.place, run)
        trash.delete(id)
      })
    },
  }
}

function memoryFiles(process: MemoryProcess, path: string): DocumentFiles {
  const files = (): Map<string, Uint8Array> => process.place.belongingsOf(path).files
  const keyOf = (kind: FileKind, name: string): string => {
    if (/[\\/\0]/.test(name) || name === '' || name.startsWith('.')) throw new Error(`\`${name}\` isn't a name.`)
    return `${kind}/${name}`
  }
  return {
    read: async (kind, name) => files().get(keyOf(kind, name)),
    async write(kind, name, content) {
      const bytes = new Uint8Array(Buffer.from(content as Uint8Array))
      process.do(() => files().set(keyOf(kind, name), bytes))
    },
    list: async kind =>
      [...files().keys()].flatMap(key => (key.startsWith(`${kind}/`) ? [key.slice(kind.length + 1)] : [])).sort(),
    async remove(kind, name) {
      process.do(() => files().delete(keyOf(kind, name)))
    },
  }
}

function memorySidecars(process: MemoryProcess): Sidecars {
  const { place } = process
  return {
    async open(path, lease) {
      process.checkLease(lease, path)
      let buffer: SidecarRecord[] = []
      const flush = async (): Promise<void> => {
        process.checkLease(lease, path)
        if (buffer.length > 0) process.do(() => place.belongingsOf(path).records.push(...buffer))
        buffer = []
      }
      return {
        append(value, { isSigned = true } = {}) {
          buffer.push({ value: structuredClone(value), isSigned })
        },
        flush,
        sync: flush,
        close: async () => {},
      }
    },
    read: async path => ({ version: 1, records: structuredClone(place.belongingsOf(path).records) }),
  }
}

function changed(path: string): ArgotError {
  return new ArgotError('RUN_FILE_CHANGED', `\`${path}\` was changed by another program.`)
}

/** Documents that are not files have no files beside them: every payload is part of the document. */
class MemoryDocument implements OpenDocument {
  readonly damage = undefined
  text: string
  readonly #process: MemoryProcess
  readonly #path: string
  readonly #lease: Lease
  #failure: ArgotError | undefined

  constructor(process: MemoryProcess, path: string, lease: Lease, text: string) {
    this.#process = process
    this.#path = path
    this.#lease = lease
    this.text = text
  }

  async append(records: readonly TranscriptRecord[], _payloads: 'inline' | 'external', calls = 0): Promise<void> {
    this.#process.checkLease(this.#lease, this.#path)
    if (this.#process.place.documents.get(this.#path) !== this.text) this.#failure ??= changed(this.#path)
    if (this.#failure !== undefined) throw this.#failure
    const options = { payloads: 'inline', after: this.text.slice(-1), bookkeeping: 'apart' } as const
    const { append, records: written } = writeChatMd(records, options)
    const place = { at: Buffer.byteLength(this.text), size: Buffer.byteLength(append), before: hashText(this.text) }
    const value = toBatch(written, { ...place, calls })
    const own = this.#process.place.belongingsOf(this.#path).records
    this.#replace(this.text + append, () => own.push({ value: structuredClone(value), isSigned: true }))
  }

  async cut(at: number): Promise<string> {
    this.#process.checkLease(this.#lease, this.#path)
    const { tails } = this.#process.place
    this.#process.do(() => tails.push(this.text.slice(at)))
    this.#replace(this.text.slice(0, at))
    return `tail ${tails.length}`
  }

  async restore(): Promise<void> {}

  async sync(): Promise<void> {
    this.#process.do(() => {})
  }

  async close(): Promise<void> {}

  /** The text and what it leaves out are one change. */
  #replace(text: string, keep: () => void = () => {}): void {
    this.#process.do(() => {
      keep()
      this.#process.place.documents.set(this.#path, text)
    })
    this.text = text
  }
}

function memoryLogs(process: MemoryProcess): RunLogs {
  const { place } = process
  const find = async (run: string): Promise<RunEntry | undefined> => {
    const log = place.logs.get(run)
    if (log === undefined) return undefined
    const end = stateAfter(log.lines.at(-1)?.chunk)
    const isHeld = place.holders.has(log.path)
    const state = end === 'ended' ? end : isHeld ? 'running' : end === 'open' ? 'interrupted' : end
    return { run, path: log.path, state }
  }
  return {
    async open(path, run, lease) {
      process.checkLease(lease, path)
      if (!place.logs.has(run)) process.do(() => place.logs.set(run, { path, lines: [] }))
      return memoryLog(process, place.logs.get(run)!.lines, () => process.checkLease(lease, path))
    },
    async read(run) {
      const log = place.logs.get(run)
      if (log === undefined) return undefined
      const lines = structuredClone(log.lines)
      return { run, path: log.path, lines, believed: lines.length, next: lines.length }
    },
    tail: async (run, from) => {
      const lines = structuredClone(place.logs.get(run)?.lines.filter(({ o }) => o >= from) ?? [])
      return lines.map(line => ({ ...line, isSigned: true }))
    },
    async *follow(run, from = 0, signal) {
      for (let next = 0; signal?.aborted !== true; ) {
        const line = place.logs.get(run)?.lines[next]
        if (line === undefined) {
          await place.change(signal)
          continue
        }
        next++
        if (line.o >= from && !isInternalMark(line.chunk)) yield line
        if (endsRun(line.chunk)) return
      }
    },
    async *watch(run, from, signal) {
      let next = from
      let last: string | undefined
      let path: string | undefined
      while (!signal.aborted) {
        const log = place.logs.get(run)
        const entry = await find(run)
        if (log === undefined || entry === undefined || (path ?? entry.path) !== entry.path) return
        const lines = log.lines.slice(next).map(line => ({ ...structuredClone(line), isSigned: true }))
        next = Math.max(next, log.lines.length)
        const { state } = entry
        path = entry.path
        const change = place.change(signal)
        if (lines.length > 0 || state !== last) yield { path, state, lines }
        last = state
        if (state === 'ended') return
        await change
      }
    },
    find,
    async list({ path, state } = {}) {
      const entries = await Promise.all([...place.logs.keys()].map(find))
      return entries
        .filter(entry => entry !== undefined)
        .filter(entry => (path ?? entry.path) === entry.path && (state ?? entry.state) === entry.state)
    },
  }
}

function memoryLog(process: MemoryProcess, lines: LogLine[], checkLease: () => void): RunLog {
  let next = lines.length
  let buffer: LogLine[] = []
  const flush = async (): Promise<void> => {
    checkLease()
    if (buffer.length > 0) process.do(() => lines.push(...buffer))
    buffer = []
  }
  return {
    append(chunk: Chunk, time = Date.now()) {
      buffer.push({ o: next, t: time, chunk: structuredClone(chunk) })
      return next++
    },
    flush,
    async sync() {
      await flush()
      process.do(() => {})
    },
    close: async () => {},
  }
}

function memoryLeases(process: MemoryProcess): Leases {
  const { place } = process
  return {
    async take(path, { wait = false, waitMs = 60_000, signal } = {}) {
      signal?.throwIfAborted()
      const limit = AbortSignal.timeout(waitMs)
      while (place.holders.has(path)) {
        if (!wait || limit.aborted) throw new ArgotError('RUN_LOCKED', `\`${path}\` is held by somebody else.`)
        await place.change(AbortSignal.any([limit, ...(signal === undefined ? [] : [signal])]))
        signal?.throwIfAborted()
      }
      const own = {}
      process.do(() => place.holders.set(path, own))
      const lost = new AbortController()
      const holds = (): boolean => {
        if (place.holders.get(path) !== own) lost.abort()
        return !lost.signal.aborted
      }
      void place.replaced(path, own).then(() => lost.abort())
      const lease: Lease = {
        path,
        epoch: ++place.lastEpoch,
        lost: lost.signal,
        renew: async () => holds(),
        async release() {
          if (holds()) process.do(() => place.holders.delete(path))
        },
      }
      return process.remember(lease, holds)
    },
    holder: async path => (place.holders.has(path) ? 'another part of this program' : undefined),
  }
}

function memoryInbox(process: MemoryProcess): Inbox {
  const { place } = process
  const postsOf = (run: string): Post[] => place.posts.get(run) ?? []
  return {
    async post(run, post) {
      if (!place.logs.has(run)) throw new ArgotError('RUN_NOT_FOUND', `There is no run \`${run}\`.`)
      if (postsOf(run).some(({ id }) => id === post.id)) return 'already'
      process.do(() => place.posts.set(run, [...postsOf(run), structuredClone(post)]))
      return 'accepted'
    },
    read: async run => [...postsOf(run)],
    async *follow(run, signal) {
      for (let next = 0; !signal.aborted; ) {
        const post = postsOf(run)[next]
        if (post === undefined) await place.change(signal)
        else {
          next++
          yield post
        }
      }
    },
  }
}
