import { notFound } from '../../guard/problem.ts'
import type { Queue } from '../queue/queue.ts'
import type { Runs } from '../runs.ts'
import { failedLines } from './failed-lines.ts'

/** Where the log of a run ends for those who read it, and whether more may come. */
export interface LogTail {
  next: number
  isOver: boolean
}

/** Where a reader of a run is when it has everything that is there. A run that has not begun has nothing yet. */
export async function findTail({ runs, queue }: { runs: Runs; queue: Queue }, run: string): Promise<LogTail> {
  const summary = await runs.summary(run)
  if (summary !== undefined) return { next: summary.shown, isOver: summary.isOver }
  const [queued] = await queue.list({ run })
  if (queued === undefined) throw notFound(`run \`${run.slice(0, 200)}\``)
  const lines = queued.state === 'finished' ? failedLines(queued, 0) : []
  return { next: lines.length, isOver: lines.length > 0 }
}
