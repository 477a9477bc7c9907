import { closeSync, fstatSync, lstatSync, openSync } from 'node:fs'
import { stateAfter } from '../log-end.ts'
import type { RunNews, RunState } from '../store.ts'
import { Alarm } from './alarm.ts'
import { isSystemError } from './disk.ts'
import { FileListener } from './file-listener.ts'
import type { FolderWatches } from './folder-watches.ts'
import { LineReader } from './line-reader.ts'
import type { LocalWriters } from './local-writers.ts'
import { describeHolder, type LockOptions } from './lock-file.ts'
import { LogLines } from './log-tails.ts'

/** A dying process notifies no one, so while another process holds a document, its liveness is checked this often. */
const LIVENESS_MS = 500

export interface RunFiles {
  path: string
  log: string
  lock: string
}

export interface WatchContext {
  key: Uint8Array | undefined
  lock: LockOptions
  writers: LocalWriters
  watches: FolderWatches
}

/** See `RunLogs.watch`. */
export async function* watchLog(
  { path, log, lock }: RunFiles,
  context: WatchContext,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<RunNews> {
  const fd = openLog(log)
  if (fd === undefined) return
  const { writers, watches } = context
  const alarm = new Alarm(signal)
  const listeners = [log, lock].map(file => new FileListener(file, writers, watches, alarm.ring))
  const reader = new LineReader(fd)
  const logLines = new LogLines(context.key)
  let end: ReturnType<typeof stateAfter> = 'open'
  let lastState: RunState | undefined
  try {
    while (!signal.aborted) {
      alarm.reset()
      // Listen before reading, so that later changes are noticed.
      for (const listener of listeners) listener.listen()
      if (!writers.isWritten(log) && !isInPlace(fd, log)) return
      // Check the lock before the log: a process that releases a document has written everything.
      const holder = end === 'ended' ? undefined : getHolder(lock, context)
      const lines = logLines.read(reader.next())
      if (lines.length > 0) end = stateAfter(lines.at(-1)!.chunk)
      const state = reader.isAtEnd ? getState(end, holder) : undefined
      const newLines = lines.filter(({ o }) => o >= from)
      if (newLines.length > 0 || (state !== undefined && state !== lastState)) yield { path, state, lines: newLines }
      lastState = state ?? lastState
      if (state === 'ended') return
      if (state !== undefined) await alarm.wait(holder === 'other' ? LIVENESS_MS : undefined)
    }
  } finally {
    for (const listener of listeners) listener.close()
    alarm.close()
    closeSync(fd)
  }
}

type LockHolder = 'self' | 'other' | undefined

function getHolder(lock: string, { writers, lock: options }: WatchContext): LockHolder {
  if (writers.isWritten(lock)) return 'self'
  const exists = lstatSync(lock, { throwIfNoEntry: false }) !== undefined
  return exists && describeHolder(lock, options) !== undefined ? 'other' : undefined
}

function getState(end: ReturnType<typeof stateAfter>, holder: LockHolder): RunState {
  if (end === 'ended') return end
  if (holder !== undefined) return 'running'
  return end === 'waiting' ? end : 'interrupted'
}

/** Another file may have this name by now, for example because the document moved to the trash. */
function isInPlace(fd: number, log: string): boolean {
  return lstatSync(log, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino
}

function openLog(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return undefined
    throw error
  }
}
