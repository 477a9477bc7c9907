import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { isInternalMark, type LogLine } from '@argot/core/stream'
import { endsRun } from '../log-end.ts'
import { resumeMark } from '../marks.ts'
import { isSystemError } from './disk.ts'
import { LineReader } from './line-reader.ts'
import type { LocalWriters } from './local-writers.ts'
import { parseLine } from './scan-log.ts'
import { ChangeWaiter } from './wait-for-change.ts'

/**
 * The lines of a file as they are written: those that are there, then each one as soon as it is complete. What `writers` of
 * this process write is heard of at once.
 */
export async function* followLines(
  locate: () => Promise<string | undefined>,
  folder: string,
  signal: AbortSignal,
  writers?: LocalWriters,
): AsyncGenerator<string> {
  let path: string | undefined
  const changes = new ChangeWaiter(folder, signal, () => path !== undefined && writers?.isWritten(path) === true)
  let file: number | undefined
  let leave = (): void => {}
  try {
    const found = await openWhenThere(locate, changes, signal)
    if (found === undefined) return
    path = found.path
    file = found.file
    leave = writers?.follow(path, changes.tell) ?? leave
    const reader = new LineReader(file)
    while (!signal.aborted) {
      // What was written a moment ago is in the memory of the system: that is quicker than to wait for a thread.
      const lines = reader.next()
      for (const line of lines) if ('text' in line && line.text !== '') yield line.text
      if (lines.length === 0) await changes.wait()
    }
  } finally {
    leave()
    changes.close()
    if (file !== undefined) closeSync(file)
  }
}

async function openWhenThere(
  locate: () => Promise<string | undefined>,
  changes: ChangeWaiter,
  signal: AbortSignal,
): Promise<{ path: string; file: number } | undefined> {
  while (!signal.aborted) {
    const path = await locate()
    if (path !== undefined) {
      try {
        return { path, file: openSync(path, 'r') }
      } catch (error) {
        if (!isSystemError(error, 'ENOENT')) throw error
      }
    }
    await changes.wait()
  }
  return undefined
}

/** The chunks of a log from an offset on, until its run has ended. */
export async function* followLog(
  locate: () => Promise<string | undefined>,
  root: string,
  from: number,
  signal: AbortSignal,
  writers: LocalWriters,
): AsyncGenerator<LogLine> {
  const place = (await locate()) ?? root
  let epoch = 1
  for await (const text of followLines(locate, dirname(place), signal, writers)) {
    const line = parseLine(text)
    if (line === undefined) continue
    if (line.chunk.type === resumeMark) epoch = Math.max(epoch, line.epoch)
    if (line.epoch !== epoch) continue
    const { o, t, chunk } = line
    if (o >= from && !isInternalMark(chunk)) yield { o, t, chunk }
    if (endsRun(chunk)) return
  }
}
