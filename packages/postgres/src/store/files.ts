import type { DocumentFiles, FileKind } from '@argot/agent/internal'
import { noDocument } from '../database/failures.ts'
import type { DatabaseNode } from '../database/node.ts'

export class PostgresFiles implements DocumentFiles {
  readonly #node: DatabaseNode
  readonly #path: string

  constructor(node: DatabaseNode, path: string) {
    this.#node = node
    this.#path = path
  }

  async read(kind: FileKind, name: string): Promise<Uint8Array | undefined> {
    checkName(name)
    const { s } = this.#node.database
    const [row] = await this.#node.read({
      text: `select bytes from ${s}.file where document = (select id from ${s}.document where path = $1) and kind = $2 and name = $3`,
      values: [this.#path, kind, name],
    })
    return row === undefined ? undefined : new Uint8Array(row.bytes)
  }

  async write(kind: FileKind, name: string, content: string | Uint8Array): Promise<void> {
    checkName(name)
    const { s } = this.#node.database
    const rows = await this.#node.write({
      text: `insert into ${s}.file (document, kind, name, bytes) select id, $2, $3, $4 from ${s}.document where path = $1
        on conflict (document, kind, name) do update set bytes = excluded.bytes returning 1`,
      values: [this.#path, kind, name, Buffer.from(content as Uint8Array)],
    })
    if (rows.length === 0) throw noDocument(this.#path)
  }

  async list(kind: FileKind): Promise<string[]> {
    const { s } = this.#node.database
    const rows = await this.#node.read({
      text: `select name from ${s}.file where document = (select id from ${s}.document where path = $1) and kind = $2`,
      values: [this.#path, kind],
    })
    return rows.map(({ name }) => name as string).sort()
  }

  async remove(kind: 'attachments', name: string): Promise<void> {
    checkName(name)
    const { s } = this.#node.database
    await this.#node.write({
      text: `delete from ${s}.file where document = (select id from ${s}.document where path = $1) and kind = $2 and name = $3`,
      values: [this.#path, kind, name],
    })
  }
}

/** As on a disk: no folders, and no hidden files. */
function checkName(name: string): void {
  if (name !== '' && name.length <= 255 && !name.startsWith('.') && !/[\\/\0]/.test(name)) return
  throw Object.assign(new Error('This is not the name of a file that is stored with a document.'), { code: 'EINVAL' })
}
