import { randomUUID } from 'node:crypto'
import { extname } from 'node:path/posix'
import type {
  Documents,
  Lease,
  OpenDocument,
  ReadLimit,
  StoredDocument,
  TrashedDocument,
  WriteCondition,
} from '@argot/agent/internal'
import { ArgotError } from '@argot/core'
import { BellAlarm } from '../database/bell.ts'
import type { DatabaseRow } from '../database/database.ts'
import { fileChanged, isDuplicate, leaseLost, noDocument, outputExists } from '../database/failures.ts'
import type { DatabaseNode } from '../database/node.ts'
import type { PostgresLeases } from './leases.ts'
import { OpenPostgresDocument } from './open-document.ts'
import { checkPath, decodeDocument } from './text.ts'

const MOST_BRANCHES = 10_000

export class PostgresDocuments implements Documents {
  readonly #node: DatabaseNode
  readonly #leases: PostgresLeases

  constructor(node: DatabaseNode, leases: PostgresLeases) {
    this.#node = node
    this.#leases = leases
  }

  async read(path: string, options: ReadLimit = {}): Promise<StoredDocument> {
    const { id, version, bytes } = await this.#find(path, options)
    return { text: decodeDocument(path, bytes), version: formatVersion(id, version) }
  }

  async readStart(path: string, bytes: number): Promise<string> {
    const { s } = this.#node.database
    const [row] = await this.#node.read({
      text: `select (select id from ${s}.document where path = $1) as id, substring(string_agg(bytes, ''::bytea order by n) from 1 for $2::integer) as bytes from (
          select n, bytes, coalesce(sum(length(bytes)) over (order by n rows between unbounded preceding and 1 preceding), 0) as before
          from ${s}.piece where document = (select id from ${s}.document where path = $1) order by n limit $2
        ) pieces where before < $2`,
      values: [path, bytes],
    })
    if (row.id === null) throw noDocument(path)
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(row.bytes ?? new Uint8Array())
  }

  async stamps(path?: string): Promise<Map<string, { version: string; at: number }>> {
    const { s } = this.#node.database
    const rows = await this.#node.read({
      text: `select path, id, version, changed from ${s}.document where path is not null and ($1::text is null or path = $1)`,
      values: [path ?? null],
    })
    return new Map(
      rows.map(row => [row.path, { version: formatVersion(row.id, row.version), at: row.changed.getTime() }]),
    )
  }

  async open(path: string, lease: Lease, options: ReadLimit = {}): Promise<OpenDocument> {
    this.#leases.check(lease, path)
    const { id, version, bytes } = await this.#find(path, options)
    return new OpenPostgresDocument({ node: this.#node, leases: this.#leases, lease, id, version, bytes })
  }

  async write(path: string, text: string, { after, lease }: WriteCondition): Promise<string> {
    checkPath(path)
    if (after === undefined) return this.#create(path, text)
    this.#leases.check(lease, path)
    const [id, version] = parseVersion(after)
    const bytes = Buffer.from(text)
    const { s, bell } = this.#node.database
    const [row] = await this.#node.write({
      text: `with held as (select 1 from ${s}.lease where path = $1 and epoch = $2 for share),
        doc as (update ${s}.document set version = version + 1, changed = clock_timestamp() from held
          where path = $1 and id = $3 and version = $4 returning id, version),
        old as (delete from ${s}.piece using doc where document = doc.id),
        new as (insert into ${s}.piece (document, n, bytes) select id, version, $5 from doc)
        select (select count(*)::int from held) as held, (select version from doc) as version`,
      values: [path, lease.epoch, id, version, bytes],
    })
    if (row.version === null) await this.#throwUnlessWritten(path, row, { id, version, bytes })
    bell.ring(`document ${path}`)
    return formatVersion(id, String(BigInt(version) + 1n))
  }

  async branch(path: string, text: string, to?: string): Promise<string> {
    for (const name of to === undefined ? branchNames(path, await this.#has(toStem(path))) : [to]) {
      if (await this.#copy(path, text, name)) return name
    }
    throw outputExists(to ?? path)
  }

  async remove(path: string, lease: Lease): Promise<TrashedDocument> {
    this.#leases.check(lease, path)
    const { s } = this.#node.database
    const id = randomUUID()
    const [row] = await this.#node.write({
      text: `with held as (select 1 from ${s}.lease where path = $1 and epoch = $2 for share),
        doc as (update ${s}.document d set path = null, trash = $3, trashed_path = d.path, trashed = date_trunc('milliseconds', clock_timestamp()),
          changed = clock_timestamp() from held where d.path = $1 returning trashed)
        select (select count(*)::int from held) as held,
          coalesce((select trashed from doc), (select trashed from ${s}.document where trash = $3)) as trashed`,
      values: [path, lease.epoch, id],
    })
    if (row.held === 0) throw leaseLost(path)
    if (row.trashed === null) throw noDocument(path)
    this.#ringMoved(path)
    return { path, id, at: row.trashed.getTime() }
  }

  async rename(path: string, to: string, lease: Lease): Promise<void> {
    this.#leases.check(lease, path)
    checkPath(to)
    if (to === path) return void (await this.#find(path, {}))
    const { s } = this.#node.database
    const rows = await this.#node
      .write({
        text: `with held as (select 1 from ${s}.lease where path = $1 and epoch = $2 for share),
          doc as (update ${s}.document d set path = $3, changed = clock_timestamp() from held where d.path = $1 returning id)
          select (select count(*)::int from held) as held, (select id from doc) as id`,
        values: [path, lease.epoch, to],
      })
      .catch((error: unknown) => {
        throw isDuplicate(error) ? outputExists(to) : error
      })
    if (rows[0].held === 0) throw leaseLost(path)
    if (rows[0].id === null) throw noDocument(path)
    this.#ringMoved(path)
    this.#ringMoved(to)
  }

  async erase(path: string, lease: Lease): Promise<void> {
    this.#leases.check(lease, path)
    const { s } = this.#node.database
    const [row] = await this.#node.write({
      text: `with held as (select 1 from ${s}.lease where path = $1 and epoch = $2 for share),
        doc as (select id from ${s}.document, held where path = $1),
        lines as (delete from ${s}.log where run in (select run from ${s}.run, doc where document = doc.id)),
        gone as (delete from ${s}.document using doc where document.id = doc.id)
        select (select count(*)::int from held) as held`,
      values: [path, lease.epoch],
    })
    if (row.held === 0) throw leaseLost(path)
    this.#ringMoved(path)
  }

  async list(): Promise<string[]> {
    const { s } = this.#node.database
    const rows = await this.#node.read({ text: `select path from ${s}.document where path is not null`, values: [] })
    return rows.map(({ path }) => path as string).sort()
  }

  /** Rings report changes. Changes whose ring was lost with a connection are found each second. */
  async *watch(signal: AbortSignal): AsyncIterable<string> {
    const { bell } = this.#node.database
    const changedPaths = new Set<string>()
    let mayHaveMissed = false
    const alarm = new BellAlarm(signal)
    const stop = bell.listenToAll(topic => {
      if (topic === undefined) mayHaveMissed = true
      else if (topic.startsWith('document ')) changedPaths.add(topic.slice('document '.length))
      else return
      alarm.ring()
    })
    try {
      let previous = await this.#readRecentChanges()
      while (!signal.aborted) {
        alarm.reset()
        if (mayHaveMissed) {
          mayHaveMissed = false
          const recent = await this.#readRecentChanges()
          for (const [path, stamp] of recent) if (previous.get(path) !== stamp) changedPaths.add(path)
          previous = recent
        }
        const paths = [...changedPaths]
        changedPaths.clear()
        yield* paths
        if (changedPaths.size === 0) await alarm.wait()
      }
    } finally {
      stop()
      alarm.close()
    }
  }

  async #readRecentChanges(): Promise<Map<string, string>> {
    const { s } = this.#node.database
    const rows = await this.#node.queryPatiently({
      text: `select coalesce(path, trashed_path) as path, changed::text from ${s}.document where changed > clock_timestamp() - interval '10 s'`,
      values: [],
    })
    return new Map(rows.map(({ path, changed }) => [path, changed]))
  }

  async #find(path: string, { most }: ReadLimit): Promise<{ id: string; version: string; bytes: Buffer }> {
    const { s } = this.#node.database
    const [row] = await this.#node.read({
      text: `select d.id, d.version, size, case when size <= $2 then (select string_agg(bytes, ''::bytea order by n) from ${s}.piece where document = d.id) end as bytes
        from ${s}.document d cross join lateral (select coalesce(sum(length(bytes)), 0) as size from ${s}.piece where document = d.id) p
        where d.path = $1`,
      values: [path, most ?? Number.MAX_SAFE_INTEGER],
    })
    if (row === undefined) throw noDocument(path)
    if (most !== undefined && Number(row.size) > most) {
      throw new ArgotError('CHATMD_SOURCE_TOO_LARGE', `\`${path}\` has more than ${most} bytes.`)
    }
    return { id: row.id, version: row.version, bytes: row.bytes ?? Buffer.alloc(0) }
  }

  async #has(path: string): Promise<boolean> {
    const { s } = this.#node.database
    const rows = await this.#node.read({ text: `select 1 from ${s}.document where path = $1`, values: [path] })
    return rows.length > 0
  }

  async #create(path: string, text: string): Promise<string> {
    const bytes = Buffer.from(text)
    const row = await this.#insert(path, bytes)
    if (row === undefined) throw fileChanged(path)
    this.#ringMoved(path)
    return formatVersion(row.id, '1')
  }

  async #insert(path: string, bytes: Buffer): Promise<DatabaseRow | undefined> {
    const { s } = this.#node.database
    const [row] = await this.#node.write({
      text: `with doc as (insert into ${s}.document (path) values ($1) on conflict (path) do nothing returning id),
        new as (insert into ${s}.piece (document, n, bytes) select id, 1, $2 from doc)
        select id from doc`,
      values: [path, bytes],
    })
    return row
  }

  /** Also copies the files of its calls and its sidecar. False if the target exists. */
  async #copy(source: string, text: string, target: string): Promise<boolean> {
    checkPath(target)
    const { s } = this.#node.database
    const [row] = await this.#node.write({
      text: `with doc as (insert into ${s}.document (path) values ($1) on conflict (path) do nothing returning id),
        new as (insert into ${s}.piece (document, n, bytes) select id, 1, $2 from doc),
        files as (insert into ${s}.file (document, kind, name, bytes) select doc.id, kind, name, bytes from doc, ${s}.file
          where file.kind = 'payloads' and file.document = (select id from ${s}.document where path = $3)),
        beside as (insert into ${s}.sidecar (document, n, record, signed) select doc.id, n, record, signed from doc, ${s}.sidecar
          where sidecar.document = (select id from ${s}.document where path = $3))
        select id from doc`,
      values: [target, Buffer.from(text), source],
    })
    if (row === undefined) return false
    this.#ringMoved(target)
    return true
  }

  /** The write may have succeeded although its connection dropped. */
  async #throwUnlessWritten(
    path: string,
    { held }: DatabaseRow,
    expected: { id: string; version: string; bytes: Buffer },
  ): Promise<void> {
    if (held === 0) throw leaseLost(path)
    const current = await this.#find(path, {}).catch(() => undefined)
    const isDone =
      current?.id === expected.id &&
      BigInt(current.version) === BigInt(expected.version) + 1n &&
      current.bytes.equals(expected.bytes)
    if (!isDone) throw fileChanged(path)
  }

  #ringMoved(path: string): void {
    this.#node.database.bell.ring(`lease ${path}`, `document ${path}`)
  }
}

/** Two documents never have the same version, even if one replaces the other at the same path. */
function formatVersion(id: string, version: string): string {
  return `${id}.${version}`
}

function parseVersion(text: string): [id: string, version: string] {
  const [, id = '0', version = '0'] = /^(\d{1,18})\.(\d{1,18})$/.exec(text) ?? []
  return [id, version]
}

/** `chat.2.chatmd` is treated as a branch of `chat.chatmd`, if that exists. */
function toStem(path: string): string {
  const extension = extname(path)
  return `${path.slice(0, path.length - extension.length).replace(/\.[0-9]+$/, '')}${extension}`
}

function* branchNames(path: string, hasStem: boolean): Generator<string> {
  const extension = extname(path)
  const stem = (hasStem ? toStem(path) : path).slice(0, -extension.length || undefined)
  for (let number = 1; number <= MOST_BRANCHES; number++) yield `${stem}.${number}${extension}`
}
