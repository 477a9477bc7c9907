import { hashText, type Lease, type OpenDocument, toBatch } from '@argot/agent/internal'
import { writeChatMd } from '@argot/core/chatmd'
import type { TranscriptRecord } from '@argot/core/chatmd/internal'
import type { DatabaseRow } from '../database/database.ts'
import { fileChanged, leaseLost } from '../database/failures.ts'
import type { DatabaseNode } from '../database/node.ts'
import type { PostgresLeases } from './leases.ts'
import { decodeDocument } from './text.ts'

export interface DocumentContext {
  node: DatabaseNode
  leases: PostgresLeases
  lease: Lease
  id: string
  version: string
  bytes: Buffer
}

/** A document to which its holder appends. Inputs and outputs of calls are part of the text. */
export class OpenPostgresDocument implements OpenDocument {
  readonly damage = undefined
  text: string
  readonly #context: DocumentContext
  #version: bigint
  #newline: '\n' | '\r\n'
  #failure: unknown

  constructor(context: DocumentContext) {
    this.#context = context
    this.#version = BigInt(context.version)
    this.text = decodeDocument(context.lease.path, context.bytes)
    this.#newline = /^[^\n]*\r\n/.test(this.text) ? '\r\n' : '\n'
  }

  async append(records: readonly TranscriptRecord[], _payloads: 'inline' | 'external', calls = 0): Promise<void> {
    this.#check()
    const { append, records: written } = writeChatMd(records, {
      payloads: 'inline',
      after: this.text.slice(-1),
      newline: this.#newline,
      bookkeeping: 'apart',
    })
    const place = { at: Buffer.byteLength(this.text), size: Buffer.byteLength(append), before: hashText(this.text) }
    const { s } = this.#context.node.database
    await this.#change(
      `doc as (update ${s}.document d set version = version + 1, changed = clock_timestamp() from held
          where d.path = $1 and d.id = $3 and d.version = $4 returning d.id, d.version),
        new as (insert into ${s}.piece (document, n, bytes) select id, version, $5 from doc),
        beside as (insert into ${s}.sidecar (document, n, record, signed)
          select id, coalesce((select max(n) from ${s}.sidecar where document = doc.id), -1) + 1, $6, true from doc)`,
      [Buffer.from(append), JSON.stringify(toBatch(written, { ...place, calls }))],
    )
    this.text += append
  }

  async cut(at: number): Promise<string> {
    this.#check()
    const prefix = this.text.slice(0, at)
    const { s } = this.#context.node.database
    const name = `${this.#context.node.database.now()}.txt`
    await this.#change(
      `doc as (update ${s}.document d set version = version + 1, changed = clock_timestamp() from held
          where d.path = $1 and d.id = $3 and d.version = $4 returning d.id, d.version),
        old as (delete from ${s}.piece using doc where document = doc.id),
        new as (insert into ${s}.piece (document, n, bytes) select id, version, $5 from doc),
        tail as (insert into ${s}.file (document, kind, name, bytes) select id, 'tails', $6, $7 from doc
          on conflict (document, kind, name) do update set bytes = file.bytes || excluded.bytes)`,
      [Buffer.from(prefix), name, Buffer.from(this.text.slice(at))],
    )
    this.text = prefix
    return `tails/${name}`
  }

  async restore(): Promise<void> {}

  /** Does nothing: an append is already on disk when it resolves. */
  async sync(): Promise<void> {}

  async close(): Promise<void> {}

  #check(): void {
    const { leases, lease } = this.#context
    leases.check(lease, lease.path)
    if (this.#failure !== undefined) throw this.#failure
  }

  async #change(changes: string, [bytes, ...more]: readonly [Buffer, ...unknown[]]): Promise<void> {
    const { node, lease, id } = this.#context
    const { s, bell } = node.database
    try {
      const [row] = await node.write({
        text: `with held as (select 1 from ${s}.lease where path = $1 and epoch = $2 for share), ${changes}
          select (select count(*)::int from held) as held, (select version from doc) as version`,
        values: [lease.path, lease.epoch, id, String(this.#version), bytes, ...more],
      })
      if (row.version === null) await this.#throwUnlessWritten(row, bytes)
    } catch (error) {
      this.#failure = error
      throw error
    }
    this.#version++
    bell.ring(`document ${lease.path}`)
  }

  /** The change may have succeeded although its connection dropped. */
  async #throwUnlessWritten({ held }: DatabaseRow, bytes: Buffer): Promise<void> {
    const { node, lease, id } = this.#context
    if (held === 0) throw leaseLost(lease.path)
    const { s } = node.database
    const rows = await node.read({
      text: `select 1 from ${s}.document d join ${s}.piece p on p.document = d.id and p.n = d.version
        where d.path = $1 and d.id = $2 and d.version = $3 and p.bytes = $4`,
      values: [lease.path, id, String(this.#version + 1n), bytes],
    })
    if (rows.length === 0) throw fileChanged(lease.path)
  }
}
