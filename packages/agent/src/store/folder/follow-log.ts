import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isInternalMark, type LogLine } from 'argot'
import { endsRun } from '../log-end.ts'
import { resumeMark } from '../marks.ts'
import { isSystemError } from './disk.ts'
import { parseLine } from './log-file.ts'
import { ChangeWaiter } from './wait-for-change.ts'

const PIECE = 64 * 1024

/** The lines of a file as they are written: those that are there, then each one as soon as it is whole. */
export async function* followLines(
  locate: () => Promise<string | undefined>,
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const changes = new ChangeWaiter(folder, signal)
  let file: FileHandle | undefined
  try {
    file = await openWhenThere(locate, changes, signal)
    if (file === undefined) return
    const piece = Buffer.alloc(PIECE)
    let position = 0
    let rest = Buffer.alloc(0)
    while (!signal.aborted) {
      const { bytesRead } = await file.read(piece, 0, PIECE, position + rest.length)
      if (bytesRead === 0) {
        // What is no whole line yet may be cut off by the next process that writes: it is read anew.
        rest = Buffer.alloc(0)
        await changes.wait()
        continue
      }
      const bytes = Buffer.concat([rest, piece.subarray(0, bytesRead)])
      const end = bytes.lastIndexOf(10) + 1
      position += end
      rest = bytes.subarray(end)
      for (const line of bytes.toString('utf8', 0, end).split('\n')) if (line !== '') yield line
    }
  } finally {
    changes.close()
    await file?.close()
  }
}

async function openWhenThere(
  locate: () => Promise<string | undefined>,
  changes: ChangeWaiter,
  signal: AbortSignal,
): Promise<FileHandle | undefined> {
  while (!signal.aborted) {
    const path = await locate()
    if (path !== undefined) {
      try {
        return await open(path, 'r')
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
): AsyncGenerator<LogLine> {
  const place = (await locate()) ?? root
  let epoch = 1
  for await (const text of followLines(locate, dirname(place), signal)) {
    const line = parseLine(text)
    if (line === undefined) continue
    if (line.chunk.type === resumeMark) epoch = Math.max(epoch, line.epoch)
    if (line.epoch !== epoch) continue
    const { o, t, chunk } = line
    if (o >= from && !isInternalMark(chunk)) yield { o, t, chunk }
    if (endsRun(chunk)) return
  }
}
