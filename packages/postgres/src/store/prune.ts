import type { Pruned, PrunedItem, PruneOptions } from '@argot/agent/internal'
import type { DatabaseNode } from '../database/node.ts'

const BATCH = 1000

/** Like `pruneFolder`, by the database's clock. */
export async function pruneDatabase(
  node: DatabaseNode,
  { olderThanMs, dryRun = false }: PruneOptions,
): Promise<Pruned> {
  const documents = await findTrash(node, olderThanMs)
  const runs = await findRuns(node, olderThanMs)
  if (!dryRun) {
    for (const batch of batches(documents)) await eraseTrash(node, batch)
    for (const batch of batches(runs)) await eraseRuns(node, batch)
  }
  const items: PrunedItem[] = [
    ...documents.map(({ path, bytes }) => ({ kind: 'document', path, bytes }) as const),
    ...runs.map(({ id, path, bytes }) => ({ kind: 'run', path, run: id, bytes }) as const),
  ]
  return { items, failures: [] }
}

interface PruneCandidate {
  id: string
  path: string
  bytes: number
}

async function findTrash(node: DatabaseNode, olderThanMs: number): Promise<PruneCandidate[]> {
  const { s } = node.database
  const rows = await node.read({
    text: `select trash as id, trashed_path as path,
        coalesce((select sum(length(bytes)) from ${s}.piece where document = d.id), 0) + coalesce((select sum(length(bytes)) from ${s}.file where document = d.id), 0)
          + coalesce((select sum(octet_length(chunk)) from ${s}.log l join ${s}.run r on r.run = l.run where r.document = d.id), 0) as bytes
      from ${s}.document d where trashed < clock_timestamp() - $1 * interval '1 ms' order by trashed`,
    values: [olderThanMs],
  })
  return rows.map(({ id, path, bytes }) => ({ id, path, bytes: Number(bytes) }))
}

async function findRuns(node: DatabaseNode, olderThanMs: number): Promise<PruneCandidate[]> {
  const { s } = node.database
  const rows = await node.read({
    text: `select r.run as id, d.path, coalesce((select sum(octet_length(chunk)) from ${s}.log where run = r.run), 0) as bytes
      from ${s}.run r join ${s}.document d on d.id = r.document and d.path is not null
      where r.state = 'ended' and r.updated < clock_timestamp() - $1 * interval '1 ms' order by r.run`,
    values: [olderThanMs],
  })
  return rows.map(({ id, path, bytes }) => ({ id, path, bytes: Number(bytes) }))
}

async function eraseTrash(node: DatabaseNode, ids: readonly string[]): Promise<void> {
  const { s } = node.database
  await node.write({
    text: `with doc as (select id from ${s}.document where trash = any($1)),
      lines as (delete from ${s}.log where run in (select run from ${s}.run, doc where document = doc.id))
      delete from ${s}.document using doc where document.id = doc.id`,
    values: [ids],
  })
}

/** Including their original files, if they were copied from a folder. */
async function eraseRuns(node: DatabaseNode, runs: readonly string[]): Promise<void> {
  const { s } = node.database
  await node.write({
    text: `with ended as (delete from ${s}.run where run = any($1) and state = 'ended' returning run, document),
      origin as (delete from ${s}.file using ended where file.document = ended.document and kind = 'origin' and name in ('runs/' || ended.run, 'inbox/' || ended.run))
      delete from ${s}.log using ended where log.run = ended.run`,
    values: [runs],
  })
}

function batches(items: readonly PruneCandidate[]): string[][] {
  const ids = items.map(({ id }) => id)
  return Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, index) =>
    ids.slice(index * BATCH, (index + 1) * BATCH),
  )
}
