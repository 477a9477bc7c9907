import type { Lease, OpenSidecar, Sidecar, Sidecars } from '@argot/agent/internal'
import { leaseLost, noDocument } from '../database/failures.ts'
import type { DatabaseNode } from '../database/node.ts'
import type { PostgresLeases } from './leases.ts'

const VERSION = 1

/** Trusts what `append` says about signatures, because only this user has access to the database. */
export class PostgresSidecars implements Sidecars {
  readonly #node: DatabaseNode
  readonly #leases: PostgresLeases

  constructor(node: DatabaseNode, leases: PostgresLeases) {
    this.#node = node
    this.#leases = leases
  }

  async open(path: string, lease: Lease): Promise<OpenSidecar> {
    this.#leases.check(lease, path)
    const { s } = this.#node.database
    const [row] = await this.#node.read({
      text: `select (select count(*)::int from ${s}.lease where path = $1 and epoch = $2) as held, d.id,
        (select max(n) from ${s}.sidecar where document = d.id) as last from ${s}.document d where d.path = $1`,
      values: [path, lease.epoch],
    })
    if (row === undefined) throw noDocument(path)
    if (row.held === 0) throw leaseLost(path)
    return new OpenPostgresSidecar(this.#node, lease, row.id, (row.last ?? -1) + 1)
  }

  async read(path: string): Promise<Sidecar> {
    const { s } = this.#node.database
    const rows = await this.#node.read({
      text: `select record, signed from ${s}.sidecar where document = (select id from ${s}.document where path = $1) order by n`,
      values: [path],
    })
    return {
      version: VERSION,
      records: rows.map(({ record, signed }) => ({ value: JSON.parse(record), isSigned: signed })),
    }
  }
}

class OpenPostgresSidecar implements OpenSidecar {
  readonly #node: DatabaseNode
  readonly #lease: Lease
  readonly #document: string
  #next: number
  #records: { json: string; isSigned: boolean }[] = []

  constructor(node: DatabaseNode, lease: Lease, document: string, next: number) {
    this.#node = node
    this.#lease = lease
    this.#document = document
    this.#next = next
  }

  append(record: unknown, { isSigned = true }: { isSigned?: boolean | undefined } = {}): void {
    this.#records.push({ json: JSON.stringify(record ?? null), isSigned })
  }

  async flush(): Promise<void> {
    if (this.#records.length === 0) return
    const records = this.#records
    this.#records = []
    const { path, epoch } = this.#lease
    const { s } = this.#node.database
    try {
      const [row] = await this.#node.write({
        text: `with held as (select 1 from ${s}.lease where path = $1 and epoch = $2 for share),
          new as (insert into ${s}.sidecar (document, n, record, signed) select $3, $4 + r.i - 1, r.record, r.signed
            from held, unnest($5::text[], $6::boolean[]) with ordinality as r(record, signed, i) on conflict (document, n) do nothing)
          select count(*)::int as held from held`,
        values: [
          path,
          epoch,
          this.#document,
          this.#next,
          records.map(({ json }) => json),
          records.map(({ isSigned }) => isSigned),
        ],
      })
      if (row.held === 0) throw leaseLost(path)
    } catch (error) {
      this.#records.unshift(...records)
      throw error
    }
    this.#next += records.length
  }

  sync(): Promise<void> {
    return this.flush()
  }

  async close(): Promise<void> {}
}
