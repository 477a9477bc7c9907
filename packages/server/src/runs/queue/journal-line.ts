import type { Job, JobFailure } from './queue.ts'

export type JournalLine =
  | { type: 'open'; epoch: number }
  | { type: 'job'; epoch?: number; job: Job }
  | { type: 'end'; epoch?: number; run: string; failure?: JobFailure }

/** The lines of processes that had the journal when they wrote them, and the last epoch. */
export function ownLines(lines: readonly JournalLine[]): { lines: JournalLine[]; epoch: number } {
  let epoch = 0
  const ownedLines = lines.filter(line => {
    // A process that wrote after the next one had started was refused, even if its lines are here.
    if ((line.epoch ?? 0) < epoch) return false
    epoch = line.epoch ?? epoch
    return true
  })
  return { lines: ownedLines, epoch }
}

/**
 * The same queue in as few lines as possible: every job that isn't over, and the last `remembered` finished ones
 * without their input, which is in the document by now. Jobs keep the order in which they were sent.
 */
export function compactLines(all: readonly JournalLine[], epoch: number, remembered: number): JournalLine[] {
  const jobs = new Map<string, { job: Job; end?: JournalLine & { type: 'end' } }>()
  for (const line of ownLines(all).lines) {
    if (line.type === 'job' && typeof line.job?.run === 'string') {
      jobs.delete(line.job.run)
      jobs.set(line.job.run, { job: line.job })
    }
    const endedJob = line.type === 'end' ? jobs.get(line.run) : undefined
    if (line.type === 'end' && endedJob !== undefined) endedJob.end = line
  }
  const over = [...jobs.values()].filter(({ end }) => end !== undefined)
  for (const { job } of over.slice(0, Math.max(0, over.length - remembered))) jobs.delete(job.run)
  return [...jobs.values()].flatMap(({ job, end }): JournalLine[] => {
    if (end === undefined) return [{ type: 'job', epoch, job }]
    const { input: _, ...jobWithoutInput } = job
    return [
      { type: 'job', epoch, job: jobWithoutInput },
      { ...end, epoch },
    ]
  })
}
