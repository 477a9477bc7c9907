import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { folderStore, type Store } from '@argot/agent'
import {
  type CopiedLog,
  createOnce,
  type FileKind,
  type Lease,
  makeFolders,
  type RawPieces,
  readPieces,
  stateAfter,
  writeLog,
  writePieces,
} from '@argot/agent/internal'
import { ArgotError, type Chunk } from '@argot/core'
import type { DatabaseRow } from '../database/database.ts'
import { keyPrint } from '../database/migrate.ts'
import type { DatabaseNode } from '../database/node.ts'
import { getNode, type PostgresStore } from '../store/postgres-store.ts'

/** The epoch of log lines that were copied from a folder. Leases have positive epochs. */
const FOREIGN_EPOCH = -1_000_000
/** A killed process loses its documents sooner. */
const WAIT_MS = 10_000
const fileKinds: readonly FileKind[] = ['payloads', 'sources', 'cache', 'attachments']

export interface CopyOptions {
  /** The folder, and the key of the user who owns it. */
  root: string
  key: Uint8Array | undefined
  configFolder: string
  /** How long to wait for a document that another process holds, in milliseconds; ten seconds by default. */
  waitMs?: number | undefined
  progress?: ((copied: CopiedDocument, done: number, total: number) => void) | undefined
}

export interface CopiedDocument {
  path: string
  /**
   * `already`: it was there. `running`: a run holds it. `taken`: another document has its path. `unfit`: a folder
   * doesn't find documents at such a path, or can't keep their runs.
   */
  result: 'copied' | 'already' | 'running' | 'taken' | 'unfit'
  /** Runs whose questions people must answer again, because the target has another key. */
  askedAgain: string[]
}

/** Copies every document of a folder into a database, each as a whole or not at all. Existing documents stay. */
export async function copyIn(store: PostgresStore, options: CopyOptions): Promise<CopiedDocument[]> {
  const { root, key, configFolder } = options
  const node = getNode(store)
  const folder = folderStore(root, { configFolder, ...(key && { key }) })
  const isTrusted = await adoptKey(node, key)
  return copyEach(await folder.documents.list(), options, async path => {
    const entries = await folder.logs.list({ path })
    if (entries.some(({ state }) => state === 'running')) return { path, result: 'running', askedAgain: [] }
    const lease = await takeFree(folder, path, options)
    if (lease === undefined) return { path, result: 'running', askedAgain: [] }
    try {
      const raw = readPieces(root, path)
      const runs = entries.map(({ run }) => run)
      const result = await insertDocument(node, path, raw, await gatherRows(folder, path, raw, runs, isTrusted))
      const parkedRuns = entries.filter(({ state }) => state === 'waiting').map(({ run }) => run)
      return { path, result, askedAgain: isTrusted || result !== 'copied' ? [] : parkedRuns }
    } finally {
      await lease.release()
    }
  })
}

async function copyEach(
  paths: readonly string[],
  { progress }: CopyOptions,
  copy: (path: string) => Promise<CopiedDocument>,
): Promise<CopiedDocument[]> {
  const copied: CopiedDocument[] = []
  for (const path of paths) {
    const result = await copy(path)
    copied.push(result)
    progress?.(result, copied.length, paths.length)
  }
  return copied
}

/** Waits while a process that was killed during its copy seems to hold the document. Undefined if it stays held. */
async function takeFree(store: Store, path: string, { waitMs = WAIT_MS }: CopyOptions): Promise<Lease | undefined> {
  try {
    return await store.leases.take(path, { wait: true, waitMs })
  } catch (error) {
    if (error instanceof ArgotError && error.code === 'RUN_LOCKED') return undefined
    throw error
  }
}

async function sharesKey(node: DatabaseNode, key: Uint8Array | undefined): Promise<boolean> {
  const [row] = await node.read({ text: `select key_print from ${node.database.s}.meta`, values: [] })
  return row.key_print === null || (key !== undefined && row.key_print === keyPrint(key))
}

/**
 * Like `sharesKey`, but a database without a key adopts this one. Processes with the same key trust what is copied in.
 */
async function adoptKey(node: DatabaseNode, key: Uint8Array | undefined): Promise<boolean> {
  if (key === undefined) return sharesKey(node, key)
  const text = `update ${node.database.s}.meta set key_print = coalesce(key_print, $1) returning key_print`
  const [row] = await node.write({ text, values: [keyPrint(key)] })
  return row.key_print === keyPrint(key)
}

interface DocumentRows {
  files: { kind: string; name: string; bytes: Uint8Array }[]
  records: { json: string; isSigned: boolean }[]
  runs: { run: string; state: string }[]
  lines: { run: string; o: number; e: number; t: number; chunk: string; isSigned: boolean }[]
  posts: { run: string; id: string; post: string }[]
}

async function gatherRows(
  folder: Store,
  path: string,
  raw: RawPieces,
  runs: readonly string[],
  isTrusted: boolean,
): Promise<DocumentRows> {
  const all: DocumentRows = { files: await gatherFiles(folder, path, raw), records: [], runs: [], lines: [], posts: [] }
  for (const { value, isSigned } of (await folder.sidecars.read(path)).records) {
    all.records.push({ json: JSON.stringify(value ?? null), isSigned: isSigned && isTrusted })
  }
  for (const run of runs) {
    const log = await folder.logs.read(run)
    if (log === undefined) continue
    all.runs.push({ run, state: stateAfter(log.lines.at(-1)?.chunk) })
    for (const [index, { o, t, chunk }] of log.lines.entries()) {
      const isSigned = isTrusted && index < log.believed
      all.lines.push({ run, o, e: FOREIGN_EPOCH, t, chunk: JSON.stringify(chunk), isSigned })
    }
    if (isTrusted) {
      for (const post of await folder.inbox.read(run)) all.posts.push({ run, id: post.id, post: JSON.stringify(post) })
    }
    addFile(all.files, 'origin', `runs/${run}`, raw.log(run))
    addFile(all.files, 'origin', `inbox/${run}`, raw.inbox(run))
  }
  return all
}

async function gatherFiles(folder: Store, path: string, raw: RawPieces): Promise<DocumentRows['files']> {
  const files: DocumentRows['files'] = []
  const documentFiles = folder.files(path)
  for (const name of raw.payloads)
    addFile(files, 'payloads', name, await documentFiles.read('payloads', name).catch(() => undefined))
  for (const name of await documentFiles.list('attachments'))
    addFile(files, 'attachments', name, await documentFiles.read('attachments', name))
  const index = await documentFiles.read('sources', 'index.json')
  addFile(files, 'sources', 'index.json', index)
  const hashes = new Set(
    Buffer.from(index ?? [])
      .toString()
      .match(/\b[0-9a-f]{64}\b/g) ?? [],
  )
  for (const hash of hashes) {
    addFile(files, 'sources', hash, await documentFiles.read('sources', hash))
    addFile(files, 'cache', `${hash}.json`, await documentFiles.read('cache', `${hash}.json`))
  }
  for (const [name, bytes] of raw.tails) addFile(files, 'tails', name, bytes)
  addFile(files, 'origin', 'sidecar', raw.sidecar)
  return files
}

function addFile(files: DocumentRows['files'], kind: string, name: string, bytes: Uint8Array | undefined): void {
  if (bytes !== undefined) files.push({ kind, name, bytes })
}

/** One statement, so the document is copied completely or not at all. */
async function insertDocument(
  node: DatabaseNode,
  path: string,
  raw: RawPieces,
  all: DocumentRows,
): Promise<CopiedDocument['result']> {
  const { s, bell } = node.database
  const { files, records, runs, lines, posts } = all
  const column = <Item, Key extends keyof Item>(items: readonly Item[], key: Key): Item[Key][] =>
    items.map(item => item[key])
  const rows = await node.write({
    text: `with doc as (insert into ${s}.document (path) values ($1) on conflict (path) do nothing returning id),
      text as (insert into ${s}.piece (document, n, bytes) select id, 1, $2 from doc),
      files as (insert into ${s}.file (document, kind, name, bytes) select doc.id, f.* from doc, unnest($3::text[], $4::text[], $5::bytea[]) as f),
      records as (insert into ${s}.sidecar (document, n, record, signed) select doc.id, r.i - 1, r.record, r.signed from doc, unnest($6::text[], $7::boolean[]) with ordinality as r(record, signed, i)),
      runs as (insert into ${s}.run (run, document, state) select r.run, doc.id, r.state from doc, unnest($8::text[], $9::text[]) as r(run, state)),
      lines as (insert into ${s}.log (run, o, e, t, chunk, signed) select l.* from doc, unnest($10::text[], $11::integer[], $12::bigint[], $13::double precision[], $14::text[], $15::boolean[]) as l),
      posts as (insert into ${s}.post (run, id, post, nonce) select p.run, p.id, p.post, '' from doc, unnest($16::text[], $17::text[], $18::text[]) as p(run, id, post))
      select id from doc`,
    values: [
      path,
      raw.document,
      column(files, 'kind'),
      column(files, 'name'),
      files.map(({ bytes }) => Buffer.from(bytes)),
      column(records, 'json'),
      column(records, 'isSigned'),
      column(runs, 'run'),
      column(runs, 'state'),
      column(lines, 'run'),
      column(lines, 'o'),
      column(lines, 'e'),
      column(lines, 't'),
      column(lines, 'chunk'),
      column(lines, 'isSigned'),
      column(posts, 'run'),
      column(posts, 'id'),
      column(posts, 'post'),
    ],
  })
  if (rows.length > 0) {
    bell.ring(`document ${path}`)
    return 'copied'
  }
  return (await readBytes(node, path))?.equals(raw.document) === true ? 'already' : 'taken'
}

async function readBytes(node: DatabaseNode, path: string): Promise<Buffer | undefined> {
  const { s } = node.database
  const [row] = await node.read({
    text: `select d.id, (select string_agg(bytes, ''::bytea order by n) from ${s}.piece where document = d.id) as bytes from ${s}.document d where path = $1`,
    values: [path],
  })
  return row === undefined ? undefined : (row.bytes ?? Buffer.alloc(0))
}

/**
 * Copies every document of a database into a folder. A document's text is written after its files and logs. Existing
 * documents stay.
 */
export async function copyOut(store: PostgresStore, options: CopyOptions): Promise<CopiedDocument[]> {
  const node = getNode(store)
  const isTrusted = await sharesKey(node, options.key)
  return copyEach(await store.documents.list(), options, path => copyDocument(store, node, path, options, isTrusted))
}

async function copyDocument(
  store: PostgresStore,
  node: DatabaseNode,
  path: string,
  options: CopyOptions,
  isTrusted: boolean,
): Promise<CopiedDocument> {
  const { root, key, configFolder } = options
  const target = join(root, path)
  if (!fitsFolder(path)) return { path, result: 'unfit', askedAgain: [] }
  const entries = await store.logs.list({ path })
  if (entries.some(({ state }) => state === 'running')) return { path, result: 'running', askedAgain: [] }
  const lease = await takeFree(store, path, options)
  if (lease === undefined) return { path, result: 'running', askedAgain: [] }
  try {
    const bytes = (await readBytes(node, path)) ?? Buffer.alloc(0)
    const exists = existsSync(target)
    if (exists && !readFileSync(target).equals(bytes)) return { path, result: 'taken', askedAgain: [] }
    makeFolders(dirname(target))
    const folder = folderStore(root, { configFolder, ...(isTrusted && key && { key }) })
    for (const kind of fileKinds) {
      for (const name of await store.files(path).list(kind)) {
        await folder.files(path).write(kind, name, (await store.files(path).read(kind, name))!)
      }
    }
    const origin = await readOrigin(node, path)
    const runs = entries.map(({ run }) => run)
    for (const run of runs) await writeLog(root, path, await readLog(node, run, origin), isTrusted ? key : undefined)
    const inboxes = new Map(
      runs.flatMap(run => (origin.has(`inbox/${run}`) ? [[run, origin.get(`inbox/${run}`)!] as const] : [])),
    )
    await writePieces(root, path, {
      sidecar: origin.get('sidecar'),
      tails: await readFiles(node, path, 'tails'),
      inboxes,
    })
    createOnce(target, bytes)
    if (!readFileSync(target).equals(bytes)) return { path, result: 'taken', askedAgain: [] }
    if (isTrusted) await copyNewerRecords(store, folder, path, runs)
    const parkedRuns = entries.filter(({ state }) => state === 'waiting').map(({ run }) => run)
    return { path, result: exists ? 'already' : 'copied', askedAgain: isTrusted ? [] : parkedRuns }
  } finally {
    await lease.release()
  }
}

/** The most bytes of a name in most file systems. */
const MAX_NAME_BYTES = 255
/** A lock's draft has the longest name of all files that a run keeps: `NAME.lock.UUID.tmp`. */
const MAX_DOCUMENT_BYTES = MAX_NAME_BYTES - '.lock.'.length - 36 - '.tmp'.length

function fitsFolder(path: string): boolean {
  const fits = (name: string): boolean => name !== '' && !name.startsWith('.') && name !== 'node_modules'
  const names = path.split('/')
  const hasRoom = Buffer.byteLength(names.at(-1)!) <= MAX_DOCUMENT_BYTES
  return hasRoom && names.every(name => fits(name) && Buffer.byteLength(name) <= MAX_NAME_BYTES)
}

/** Adds what was posted and recorded since the document was last in a folder. */
async function copyNewerRecords(store: Store, folder: Store, path: string, runs: readonly string[]): Promise<void> {
  for (const run of runs) {
    const existing = new Set((await folder.inbox.read(run)).map(({ id }) => id))
    for (const post of await store.inbox.read(run)) if (!existing.has(post.id)) await folder.inbox.post(run, post)
  }
  const { records } = await store.sidecars.read(path)
  const recordCount = (await folder.sidecars.read(path)).records.length
  if (records.length <= recordCount) return
  const lease = await folder.leases.take(path)
  try {
    const sidecar = await folder.sidecars.open(path, lease)
    for (const { value, isSigned } of records.slice(recordCount)) sidecar.append(value, { isSigned })
    await sidecar.sync()
    await sidecar.close()
  } finally {
    await lease.release()
  }
}

async function readLog(node: DatabaseNode, run: string, origin: ReadonlyMap<string, Buffer>): Promise<CopiedLog> {
  const raw = origin.get(`runs/${run}`)
  const { s } = node.database
  const rows = await node.read({
    text: `select o, e, t, chunk from ${s}.log where run = $1 and (e >= 0 or $2) order by o`,
    values: [run, raw === undefined],
  })
  const lines = rows.map((row: DatabaseRow) => ({
    o: row.o,
    t: row.t,
    chunk: JSON.parse(row.chunk) as Chunk,
    holder: Number(row.e),
  }))
  return { run, raw, lines }
}

function readOrigin(node: DatabaseNode, path: string): Promise<Map<string, Buffer>> {
  return readFiles(node, path, 'origin')
}

async function readFiles(node: DatabaseNode, path: string, kind: string): Promise<Map<string, Buffer>> {
  const { s } = node.database
  const rows = await node.read({
    text: `select name, bytes from ${s}.file where document = (select id from ${s}.document where path = $1) and kind = $2`,
    values: [path, kind],
  })
  return new Map(rows.map(({ name, bytes }) => [name, bytes]))
}
