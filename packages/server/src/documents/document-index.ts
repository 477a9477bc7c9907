import { lstatSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Store } from '@argot/agent'
import {
  type BranchOrigin,
  createStoreResolver,
  type DatedDocument,
  documentDates,
  findBranchPoints,
  localOnly,
  matchDocument,
  newestDocuments,
  newestOpenRun,
  type RunEntry,
  readDocumentFacts,
  readFeedback,
  type Sidecar,
  sidecarPath,
  toRecords,
} from '@argot/agent/internal'
import { createResolver } from '@argot/agent/workshop'
import type { Message } from '@argot/core'
import { expand, parseChatMd, type Resolver } from '@argot/core/chatmd'
import { type ExpandedDocument, type ExpandedMessage, entryOwners, withRecords } from '@argot/core/chatmd/internal'
import { defined } from '@argot/core/stream/internal'
import type { Api, DocumentEntry, MessagePage } from '../api/index.ts'
import { notFound } from '../guard/problem.ts'
import { cutMessage } from '../runs/cut-result.ts'
import type { ServerChanges } from '../runs/feed/changes.ts'

/** A list is read again after this time, even if no change was reported. */
const SNAPSHOT_MS = 10_000

interface FolderSnapshot {
  documents: DatedDocument[]
  runs: Map<string, RunEntry[]>
}

interface ListPage {
  entries: DocumentEntry[]
  total: number
  /** The start of the next page. Missing on the last one. */
  next?: string
}

export class DocumentIndex {
  readonly #store: Store
  readonly #changes: ServerChanges
  /** By path, while the file is unchanged. */
  readonly #facts: Map<string, CachedFacts> = new Map()

  #cached: { snapshot: Promise<FolderSnapshot>; count: number; at: number } | undefined

  constructor(store: Store, changes: ServerChanges) {
    this.#store = store
    this.#changes = changes
  }

  async list(): Promise<DocumentEntry[]> {
    const paths = await this.#store.documents.list()
    const existing = new Set(paths)
    for (const path of this.#facts.keys()) if (!existing.has(path)) this.#facts.delete(path)
    const runs = await this.#runs()
    const date = await documentDates(this.#store)
    const entries = await Promise.all(paths.map(path => this.#entry(path, runs.get(path) ?? [], date)))
    return entries.filter(entry => entry !== undefined)
  }

  /** Rereads the title and origin next time, because they can change without the document. */
  forget(path: string): void {
    this.#facts.delete(path)
  }

  /**
   * The newest documents, without reading others. The first page also contains every document with a run that isn't
   * over: whatever its age, it may need an answer.
   */
  async page({ limit, after }: { limit: number; after?: string | undefined }): Promise<ListPage> {
    const { documents, runs } = await this.#snapshot()
    const start = after === undefined ? 0 : documents.findIndex(one => isAfter(one, after))
    const page = start === -1 ? [] : documents.slice(start, start + limit)
    const last = page.at(-1)
    const open = after === undefined ? documents.slice(limit).filter(({ path }) => isOpen(runs.get(path))) : []
    const rows = [...page, ...open]
    const entries = await Promise.all(rows.map(one => this.#entry(one.path, runs.get(one.path) ?? [], () => one)))
    const next = last !== undefined && start + limit < documents.length ? toCursor(last) : undefined
    return { entries: entries.filter(entry => entry !== undefined), total: documents.length, ...defined({ next }) }
  }

  /** The current list, which is read again after a reported change. */
  #snapshot(): Promise<FolderSnapshot> {
    const { count } = this.#changes
    const isNew =
      this.#cached === undefined || this.#cached.count !== count || Date.now() - this.#cached.at > SNAPSHOT_MS
    if (isNew) {
      const work = Promise.all([newestDocuments(this.#store), this.#runs()])
      const snapshot = work.then(([documents, runs]) => ({ documents, runs }))
      const cached = { snapshot, count, at: Date.now() }
      this.#cached = cached
      snapshot.catch(() => {
        if (this.#cached === cached) this.#cached = undefined
      })
    }
    return this.#cached!.snapshot
  }

  async #runs(): Promise<Map<string, RunEntry[]>> {
    const runs = new Map<string, RunEntry[]>()
    for (const run of await this.#store.logs.list()) {
      const others = runs.get(run.path)
      if (others === undefined) runs.set(run.path, [run])
      else others.push(run)
    }
    return runs
  }

  async entry(path: string): Promise<DocumentEntry | undefined> {
    // A run's problem is reported with the run.
    const date = await documentDates(this.#store, path)
    return this.#entry(path, await this.#store.logs.list({ path }).catch(() => []), date)
  }

  async #entry(
    path: string,
    runs: readonly RunEntry[],
    date: (path: string) => DatedDocument | undefined,
  ): Promise<DocumentEntry | undefined> {
    const dated = date(path)
    if (dated === undefined) return undefined
    const open = newestOpenRun(runs)
    const { title, origin } = await this.#read(path, dated.stamp)
    return {
      path,
      title,
      state: open === undefined || open.state === 'ended' ? 'idle' : open.state,
      updatedAt: new Date(dated.at).toISOString(),
      ...defined({ run: open?.run, branchOf: origin && siblingPath(path, origin.of) }),
    }
  }

  /** The branches of this document in its folder, but only those that have been listed. */
  listBranches(path: string): { path: string; origin: BranchOrigin }[] {
    return [...this.#facts].flatMap(([branch, { origin }]) =>
      origin !== undefined && siblingPath(branch, origin.of) === path ? [{ path: branch, origin }] : [],
    )
  }

  async readBranchPoints(path: string): Promise<Api['listBranches']['answer']['points']> {
    const folder = dirname(path)
    const paths = (await this.#store.documents.list()).filter(one => dirname(one) === folder)
    const date = await documentDates(this.#store)
    const origins = new Map<string, BranchOrigin | undefined>()
    await Promise.all(
      paths.map(async one => {
        const stamp = date(one)?.stamp
        if (stamp !== undefined) origins.set(basename(one), (await this.#read(one, stamp)).origin)
      }),
    )
    const points = findBranchPoints(basename(path), origins)
    const ids = points.length === 0 ? [] : await this.#messageIds(path)
    return points.map(({ keeps, documents, current }) => ({
      ...defined({ message: ids[keeps] }),
      current,
      documents: documents.map(name => siblingPath(path, name)),
    }))
  }

  async #messageIds(path: string): Promise<(string | undefined)[]> {
    const { text } = await this.#store.documents.read(path)
    const { document } = parseChatMd(text, { file: path })
    const sidecar = await this.#store.sidecars.read(path)
    const { entries } = withRecords(document, matchDocument(document.tree, toRecords(sidecar)))
    const ids: (string | undefined)[] = []
    for (const owner of entryOwners(entries)) if (owner !== undefined) ids[owner.message.index] = owner.message.id
    return ids
  }

  /** A page of a document's messages, newest last. Large results are cut for the client. */
  async messages(
    path: string,
    {
      before,
      limit,
      without,
      resultBytes,
    }: { before?: string | undefined; limit: number; without?: ReadonlySet<string>; resultBytes: number },
  ): Promise<MessagePage> {
    // This finds the messages without reading every call's files. Then only their files are read.
    const draft = await this.#expand(path, new Set())
    const sent = draft.messages.filter(({ sent, message }) => sent && message.role !== 'system')
    const ahead = before === undefined ? sent : sent.slice(0, findIndex(sent, before))
    const all = sent.filter(({ message }) => without?.has(message.id) !== true)
    const end = ahead.filter(({ message }) => without?.has(message.id) !== true).length
    const start = Math.max(0, end - limit)
    const page = all.slice(start, end)
    const files = new Set(
      page.flatMap(({ elements }) => elements.flatMap(({ entry }) => listFiles(draft.text, entry.node))),
    )
    const ids = new Set(page.map(({ message }) => message.id))
    const whole = files.size === 0 ? draft : await this.#expand(path, files)
    const messages = whole.messages.filter(({ message }) => ids.has(message.id))
    const feedback = readFeedback(draft.sidecar)
    return {
      messages: messages.map(({ message }) => withFeedback(cutMessage(message, resultBytes), feedback)),
      total: all.length,
      ...defined({ before: start > 0 ? all[start]!.message.id : undefined }),
    }
  }

  /** Reads only local files. `files` limits which files of calls are read; without it, all of them are. */
  async #expand(
    path: string,
    files?: ReadonlySet<string>,
  ): Promise<ExpandedDocument & { text: string; sidecar: Sidecar }> {
    const { text } = await this.#store.documents.read(path)
    const file = this.#store.root === undefined ? path : join(this.#store.root, path)
    const { document } = parseChatMd(text, { file })
    const directory = dirname(file)
    const own = this.#resolver(directory)
    const resolver: Resolver = {
      async resolve(request) {
        const isLeftOut = files !== undefined && request.kind === 'payload' && !files.has(request.src)
        return isLeftOut ? { ok: true, text: '', file: request.src } : own.resolve(request)
      },
    }
    const sidecar = await this.#store.sidecars.read(path)
    const records = matchDocument(document.tree, toRecords(sidecar), files !== undefined)
    return { ...(await expand(document, { resolver, records })), text, sidecar }
  }

  #resolver(directory: string): Resolver {
    const disk = localOnly(createResolver({ directory, cwd: directory }))
    return this.#store.root === undefined ? createStoreResolver(this.#store, process.cwd(), disk) : disk
  }

  async #read(path: string, documentStamp: string): Promise<CachedFacts> {
    const { root } = this.#store
    // A model-written title changes only the sidecar, and so does a branch's origin.
    const sidecar = root === undefined ? undefined : lstatSync(sidecarPath(join(root, path)), { throwIfNoEntry: false })
    const stamp = `${documentStamp} ${sidecar?.size} ${sidecar?.mtimeMs}`
    const cached = this.#facts.get(path)
    if (cached?.stamp === stamp) return cached
    const facts = { ...(await readDocumentFacts(this.#store, path)), stamp }
    this.#facts.set(path, facts)
    return facts
  }
}

interface CachedFacts {
  stamp: string
  title: string
  origin?: BranchOrigin
}

function siblingPath(path: string, name: string): string {
  const folder = dirname(path)
  return folder === '.' ? name : `${folder}/${name}`
}

function withFeedback(message: Message, all: ReturnType<typeof readFeedback>): Message {
  const { at: _, ...feedback } = all.get(message.id) ?? { at: 0 }
  if (!('value' in feedback) || message.role !== 'assistant') return message
  return { ...message, metadata: { ...message.metadata, feedback } }
}

function isOpen(runs: readonly RunEntry[] = []): boolean {
  return runs.some(({ state }) => state !== 'ended')
}

/** The time and path of a page's last document. A document that changes meanwhile moves to the front. */
function toCursor({ at, path }: DatedDocument): string {
  return Buffer.from(`${at} ${path}`).toString('base64url')
}

/** In the order of `newestDocuments`. */
function isAfter({ at, path }: DatedDocument, cursor: string): boolean {
  const text = Buffer.from(cursor, 'base64url').toString()
  const space = text.indexOf(' ')
  const time = Number(text.slice(0, space))
  return at < time || (at === time && path < text.slice(space + 1))
}

function findIndex(messages: readonly ExpandedMessage[], id: string): number {
  const index = messages.findIndex(({ message }) => message.id === id)
  if (index === -1) throw notFound(`message \`${id.slice(0, 200)}\``)
  return index
}

function listFiles(text: string, { start, end }: { start: number; end: number }): string[] {
  return Array.from(text.slice(start, end).matchAll(/"(\.\/\.chatmd\/[\w.-]+)"/g), match => match[1]!)
}
