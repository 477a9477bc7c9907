import { endsRun, type Store } from '@argot/agent'
import { isInternalMark } from 'argot'
import { notFound } from '../guard/problem.ts'
import { failedLines } from './failed-lines.ts'
import type { Queue } from './queue.ts'

/** Where the log of a run ends for those who read it, and whether more may come. */
export interface LogTail {
  next: number
  isOver: boolean
}

/** Where a reader of a run is when it has everything that is there. A run that has not begun has nothing yet. */
export async function findTail({ store, queue }: { store: Store; queue: Queue }, run: string): Promise<LogTail> {
  const log = await store.logs.read(run)
  const [queued] = log === undefined ? await queue.list({ run }) : []
  if (log === undefined && queued === undefined) throw notFound(`run \`${run.slice(0, 200)}\``)
  const lines = log?.lines ?? (queued?.state === 'finished' ? failedLines(queued, 0) : [])
  const last = lines.findLast(({ chunk }) => !isInternalMark(chunk))
  return { next: last === undefined ? 0 : last.o + 1, isOver: lines.some(({ chunk }) => endsRun(chunk)) }
}
