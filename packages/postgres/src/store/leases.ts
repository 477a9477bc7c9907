import { randomUUID } from 'node:crypto'
import type { Lease, LeaseOptions, Leases } from '@argot/agent/internal'
import { ArgotError } from '@argot/core'
import { TopicAlarm } from '../database/bell.ts'
import { leaseLost } from '../database/failures.ts'
import type { DatabaseNode, HeldLease } from '../database/node.ts'

const HOUR_MS = 60 * 60 * 1000
/** After waiting this long, the caller gets a notice with the holder. */
const NOTICE_MS = 500

export class PostgresLeases implements Leases {
  readonly #node: DatabaseNode
  readonly #own: WeakSet<Lease> = new WeakSet()

  constructor(node: DatabaseNode) {
    this.#node = node
  }

  async take(path: string, options: LeaseOptions = {}): Promise<Lease> {
    const { wait = false, waitMs = HOUR_MS, signal } = options
    signal?.throwIfAborted()
    const first = await this.#try(path)
    if (first !== undefined) return first
    if (!wait) throw await this.#lockedError(path)
    return this.#wait(path, { ...options, waitMs })
  }

  async holder(path: string): Promise<string | undefined> {
    const { s } = this.#node.database
    const text = `select holder from ${s}.lease where path = $1 and ${s}.alive(node)`
    const [row] = await this.#node.read({ text, values: [path] })
    return row?.holder
  }

  /** Throws for a lease on another document, and for one that this process has released. */
  check(lease: Lease, path: string): void {
    if (lease.path !== path || !this.#own.has(lease)) throw leaseLost(path)
  }

  async #wait(path: string, { waitMs = HOUR_MS, notice, signal }: LeaseOptions): Promise<Lease> {
    const { bell } = this.#node.database
    const alarm = new TopicAlarm(bell, [`lease ${path}`], signal)
    let isLate = false
    const limitTimer = setTimeout(() => {
      isLate = true
      alarm.ring()
    }, waitMs)
    const noticeTimer =
      notice === undefined ? undefined : setTimeout(() => void this.#sendNotice(path, notice), NOTICE_MS)
    try {
      for (;;) {
        alarm.reset()
        const lease = await this.#try(path)
        if (lease !== undefined) return lease
        signal?.throwIfAborted()
        if (isLate) throw await this.#lockedError(path)
        await alarm.wait()
        signal?.throwIfAborted()
      }
    } finally {
      clearTimeout(noticeTimer)
      clearTimeout(limitTimer)
      alarm.close()
    }
  }

  async #sendNotice(path: string, notice: (text: string) => void): Promise<void> {
    const holder = await this.holder(path).catch(() => undefined)
    if (holder !== undefined) notice(`\`${path}\` is held by ${holder}. Waiting for it.`)
  }

  async #lockedError(path: string): Promise<ArgotError> {
    const holder = (await this.holder(path)) ?? 'another process'
    return new ArgotError('RUN_LOCKED', `\`${path}\` is being run by ${holder}.`)
  }

  /** Takes the lease if it is free. One process wins, and keeps it if it retries after a lost connection. */
  async #try(path: string): Promise<Lease | undefined> {
    const { s, bell } = this.#node.database
    const no = await this.#node.getNumber()
    const nonce = randomUUID()
    const [row] = await this.#node.write({
      text: `insert into ${s}.lease as held (path, epoch, node, nonce, holder)
        values ($1, nextval('${s}.epoch'), $2, $3, (select name from ${s}.node where no = $2))
        on conflict (path) do update set epoch = excluded.epoch, node = excluded.node, nonce = excluded.nonce, holder = excluded.holder
        where held.nonce = excluded.nonce or not ${s}.alive(held.node)
        returning epoch`,
      values: [path, no, nonce],
    })
    if (row === undefined) return undefined
    bell.ring(`lease ${path}`, `document ${path}`)
    return this.#hold(path, Number(row.epoch))
  }

  #hold(path: string, epoch: number): Lease {
    const { database } = this.#node
    const lossController = new AbortController()
    const heldLease: HeldLease = { path, epoch, lose: () => lossController.abort(leaseLost(path)) }
    this.#node.hold(heldLease)
    const lease: Lease = {
      path,
      epoch,
      lost: lossController.signal,
      renew: async () => {
        await this.#node.beat()
        return !lossController.signal.aborted
      },
      release: async () => {
        if (!this.#own.delete(lease)) return
        this.#node.drop(heldLease)
        const text = `delete from ${database.s}.lease where path = $1 and epoch = $2`
        await this.#node.write({ text, values: [path, epoch] })
        database.bell.ring(`lease ${path}`, `document ${path}`)
      },
    }
    this.#own.add(lease)
    return lease
  }
}
