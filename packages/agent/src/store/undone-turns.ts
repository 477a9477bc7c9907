import { defined, isRecord } from '@argot/core/stream/internal'
import type { Lease, Sidecar, Store } from './store.ts'

/*
 * An undo is a signed record in the sidecar:
 *
 *     { "undone": "RUN", "at": 1794000000000, "after": "RUN", "files": ["src/a.ts"], "left": ["src/b.ts"] }
 *
 * `after` is the newest run at that time, so that the model learns of the undo before its next answer.
 */

export interface UndoneTurn {
  run: string
  /** In milliseconds. */
  at: number
  after: string
  /** The files restored to their content before the turn, named as in the log's records. */
  files: readonly string[]
  left: readonly string[]
  /** Who undid the turn, as far as a server can tell. */
  by?: string
}

/** The undos that this user made, in order. Skips unsigned records: anyone may have written them. */
export function readUndoneTurns({ records }: Pick<Sidecar, 'records'>): UndoneTurn[] {
  return records.flatMap(({ value, isSigned }) => {
    if (!isSigned || !isRecord(value) || typeof value.undone !== 'string') return []
    const { undone: run, at, after, by } = value
    if (typeof at !== 'number' || typeof after !== 'string') return []
    return [
      {
        run,
        at,
        after,
        files: toNames(value.files),
        left: toNames(value.left),
        ...defined({ by: typeof by === 'string' ? by : undefined }),
      },
    ]
  })
}

function toNames(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(one => typeof one === 'string') : []
}

export async function writeUndoneTurn(
  store: Store,
  path: string,
  lease: Lease,
  { run, ...rest }: UndoneTurn,
): Promise<void> {
  const sidecar = await store.sidecars.open(path, lease)
  try {
    sidecar.append({ undone: run, ...rest })
    await sidecar.sync()
  } finally {
    await sidecar.close()
  }
}
