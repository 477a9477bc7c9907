import { notFound } from '../../guard/problem.ts'
import type { Queue } from '../queue/queue.ts'
import type { Runs } from '../runs.ts'
import { failedLines } from './failed-lines.ts'

export interface LogTail {
  next: number
  isOver: boolean
}

/** The position of a reader that has everything. A run that hasn't started has nothing yet. */
export async function findTail({ runs, queue }: { runs: Runs; queue: Queue }, run: string): Promise<LogTail> {
  const summary = await runs.summary(run)
  if (summary !== undefined) return { next: summary.shown, isOver: summary.isOver }
  const [queued] = await queue.list({ run })
  if (queued === undefined) throw notFound(`run \`${run.slice(0, 200)}\``)
  const lines = queued.state === 'finished' ? failedLines(queued, 0) : []
  return { next: lines.length, isOver: lines.length > 0 }
}
