import { closeSync, openSync } from 'node:fs'
import { isInternalMark, type LogLine } from '@argot/core/stream'
import { endsRun } from '../log-end.ts'
import { resumeMark } from '../marks.ts'
import { Alarm } from './alarm.ts'
import { isSystemError } from './disk.ts'
import { FileListener } from './file-listener.ts'
import type { FolderWatches } from './folder-watches.ts'
import { LineReader } from './line-reader.ts'
import type { LocalWriters } from './local-writers.ts'
import { parseLine } from './scan-log.ts'

/** How often to look for a file whose place isn't known yet. */
const POLL_MS = 250

export interface FollowContext {
  writers: LocalWriters
  watches: FolderWatches
}

/** The existing lines of a file, then each new one as soon as it is complete. */
export async function* followLines(
  locate: () => Promise<string | undefined>,
  context: FollowContext,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const alarm = new Alarm(signal)
  const followed = new FollowedFile(context, alarm)
  try {
    const file = await followed.open(locate, signal)
    if (file === undefined) return
    const reader = new LineReader(file)
    while (!signal.aborted) {
      alarm.reset()
      followed.listen()
      // Recent writes are still in the system's memory: reading them directly is faster than waiting for a thread.
      const lines = reader.next()
      for (const line of lines) if ('text' in line && line.text !== '') yield line.text
      if (lines.length === 0) await alarm.wait()
    }
  } finally {
    followed.close()
    alarm.close()
  }
}

/** The file may not exist yet. */
class FollowedFile {
  readonly #context: FollowContext
  readonly #alarm: Alarm
  #listener: FileListener | undefined
  #path: string | undefined
  #file: number | undefined

  constructor(context: FollowContext, alarm: Alarm) {
    this.#context = context
    this.#alarm = alarm
  }

  async open(locate: () => Promise<string | undefined>, signal: AbortSignal): Promise<number | undefined> {
    while (!signal.aborted) {
      this.#alarm.reset()
      this.#listenTo(await locate())
      try {
        if (this.#path !== undefined) return (this.#file = openSync(this.#path, 'r'))
      } catch (error) {
        if (!isSystemError(error, 'ENOENT')) throw error
      }
      await this.#alarm.wait(this.#path === undefined ? POLL_MS : undefined)
    }
    return undefined
  }

  listen(): void {
    this.#listener?.listen()
  }

  close(): void {
    this.#listener?.close()
    if (this.#file !== undefined) closeSync(this.#file)
  }

  #listenTo(path: string | undefined): void {
    if (path !== undefined && path !== this.#path) {
      this.#listener?.close()
      this.#listener = new FileListener(path, this.#context.writers, this.#context.watches, this.#alarm.ring)
    }
    this.#path = path
    this.listen()
  }
}

/** Ends when the run has ended. */
export async function* followLog(
  locate: () => Promise<string | undefined>,
  context: FollowContext,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  let epoch = 1
  for await (const text of followLines(locate, context, signal)) {
    const line = parseLine(text)
    if (line === undefined) continue
    if (line.chunk.type === resumeMark) epoch = Math.max(epoch, line.epoch)
    if (line.epoch !== epoch) continue
    const { o, t, chunk } = line
    if (o >= from && !isInternalMark(chunk)) yield { o, t, chunk }
    if (endsRun(chunk)) return
  }
}
