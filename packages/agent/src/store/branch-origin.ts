import { isRecord } from '@argot/core/stream/internal'
import { appendRecord } from './append-record.ts'
import type { Sidecar, Store } from './store.ts'

/*
 * A branch's sidecar has a signed record of its origin:
 *
 *     { "branch": { "of": "chat.chatmd", "keeps": 3, "at": 1763470000000 } }
 *
 * `of` is the other document's name, in the same folder. `keeps` is the number of messages they share. `at` is when the
 * branch was made. A branch starts with a copy of its origin's sidecar, so only the last record is its own.
 */

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

/** Never throws: a branch without this record works, but lists don't show it as a branch. */
export async function writeOrigin(store: Store, path: string, origin: BranchOrigin): Promise<void> {
  await appendRecord(store, path, () => ({ branch: origin })).catch(() => {})
}
