import { isRecord } from '@argot/core/stream/internal'
import { appendRecord } from './append-record.ts'
import type { Sidecar, Store } from './store.ts'

/*
 * The sidecar of a branch has a signed record of its origin:
 *
 *     { "branch": { "of": "chat.chatmd", "keeps": 3, "at": 1763470000000 } }
 *
 * `of` is the name of the other document, in the same folder; `keeps` is how many messages they share; `at` is when the
 * branch was made. A branch has a copy of its origin's sidecar, so the last record is its own.
 */

/** Which document a branch was made of, and how many messages both have. */
export interface BranchOrigin {
  of: string
  keeps: number
  at: number
}

const MOST_CHARACTERS = 255

export function readOrigin({ records }: Pick<Sidecar, 'records'>): BranchOrigin | undefined {
  const record = records.findLast(({ value, isSigned }) => isSigned && isRecord(value) && isRecord(value.branch))
  const { of, keeps, at } = ((record?.value as { branch?: Record<string, unknown> } | undefined)?.branch ??
    {}) as Record<string, unknown>
  if (typeof of !== 'string' || of === '' || of.length > MOST_CHARACTERS || /[/\\]/.test(of)) return undefined
  if (!Number.isSafeInteger(keeps) || (keeps as number) < 0) return undefined
  return { of, keeps: keeps as number, at: typeof at === 'number' ? at : 0 }
}

/** A branch without this record is as good as any, but lists don't show it as one. So nothing is thrown. */
export async function writeOrigin(store: Store, path: string, origin: BranchOrigin): Promise<void> {
  await appendRecord(store, path, () => ({ branch: origin })).catch(() => {})
}
