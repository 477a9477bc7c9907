import { randomUUID } from 'node:crypto'
import type { Inbox, Post } from '@argot/agent/internal'
import { ArgotError } from '@argot/core'
import { TopicAlarm } from '../database/bell.ts'
import type { DatabaseNode } from '../database/node.ts'
import { LONGEST_LINE } from './open-log.ts'

export class PostgresInbox implements Inbox {
  readonly #node: DatabaseNode

  constructor(node: DatabaseNode) {
    this.#node = node
  }

  async post(run: string, post: Post): Promise<'accepted' | 'already'> {
    const json = JSON.stringify(post)
    if (json.length > LONGEST_LINE) throw new ArgotError('RUN_POST_TOO_LONG', 'The post is too long to be stored.')
    const { s, bell } = this.#node.database
    const nonce = randomUUID()
    const [row] = await this.#node.write({
      text: `with there as (select 1 from ${s}.run r join ${s}.document d on d.id = r.document where r.run = $1 and d.path is not null),
        new as (insert into ${s}.post (run, id, post, nonce) select $1, $2, $3, $4 from there on conflict (run, id) do nothing returning 1)
        select (select count(*)::int from there) as there, (select count(*)::int from new) as new`,
      values: [run, post.id, json, nonce],
    })
    if (row.there === 0) throw new ArgotError('RUN_NOT_FOUND', `There is no run \`${run.slice(0, 200)}\`.`)
    // A post whose connection dropped may have been accepted.
    if (row.new === 0 && !(await this.#isOwn(run, post.id, nonce))) return 'already'
    bell.ring(`post ${run}`)
    return 'accepted'
  }

  async read(run: string): Promise<Post[]> {
    return this.#readAll(run, statement => this.#node.read(statement))
  }

  async #readAll(run: string, read: DatabaseNode['read']): Promise<Post[]> {
    const text = `select post from ${this.#node.database.s}.post where run = $1 order by seq`
    return (await read({ text, values: [run] })).map(({ post }) => JSON.parse(post) as Post)
  }

  async *follow(run: string, signal: AbortSignal): AsyncGenerator<Post> {
    const alarm = new TopicAlarm(this.#node.database.bell, [`post ${run}`], signal)
    // Posts may become visible in a different order than their numbers.
    const ids = new Set<string>()
    try {
      while (!signal.aborted) {
        alarm.reset()
        for (const post of await this.#readAll(run, statement => this.#node.queryPatiently(statement))) {
          if (ids.has(post.id)) continue
          ids.add(post.id)
          yield post
        }
        await alarm.wait()
      }
    } finally {
      alarm.close()
    }
  }

  async #isOwn(run: string, id: string, nonce: string): Promise<boolean> {
    const { s } = this.#node.database
    const text = `select 1 from ${s}.post where run = $1 and id = $2 and nonce = $3`
    return (await this.#node.read({ text, values: [run, id, nonce] })).length > 0
  }
}
