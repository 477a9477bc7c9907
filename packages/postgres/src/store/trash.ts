import type { Trash, TrashedDocument } from '@argot/agent/internal'
import { ArgotError } from '@argot/core'
import { isDuplicate, outputExists } from '../database/failures.ts'
import type { DatabaseNode } from '../database/node.ts'

/** Removed documents are rows without a path. */
export class PostgresTrash implements Trash {
  readonly #node: DatabaseNode

  constructor(node: DatabaseNode) {
    this.#node = node
  }

  async list(path?: string): Promise<TrashedDocument[]> {
    const { s } = this.#node.database
    const rows = await this.#node.read({
      text: `select trashed_path as path, trash as id, trashed from ${s}.document
        where trash is not null and ($1::text is null or trashed_path = $1) order by trashed, id`,
      values: [path ?? null],
    })
    return rows.map(row => ({ path: row.path, id: row.id, at: row.trashed.getTime() }))
  }

  async restore({ path, id }: TrashedDocument): Promise<void> {
    const { s, bell } = this.#node.database
    const rows = await this.#node
      .write({
        text: `update ${s}.document set path = trashed_path, trash = null, trashed_path = null, trashed = null, changed = clock_timestamp()
          where trash = $1 returning path`,
        values: [id],
      })
      .catch((error: unknown) => {
        throw isDuplicate(error) ? outputExists(path) : error
      })
    if (rows.length === 0) throw new ArgotError('RUN_NOT_IN_TRASH', `There is no \`${path}\` in the trash.`)
    bell.ring(`lease ${path}`, `document ${path}`)
  }

  async erase({ id }: TrashedDocument): Promise<void> {
    const { s } = this.#node.database
    await this.#node.write({
      text: `with doc as (select id from ${s}.document where trash = $1),
        lines as (delete from ${s}.log where run in (select run from ${s}.run, doc where document = doc.id))
        delete from ${s}.document using doc where document.id = doc.id`,
      values: [id],
    })
  }
}
