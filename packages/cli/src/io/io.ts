import type { Readable, Writable } from 'node:stream'

/** What a command reads and writes; `process` is one. */
export interface Io {
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable & { isTTY?: boolean; columns?: number; rows?: number }
  stderr: Writable & { isTTY?: boolean; columns?: number; rows?: number }
  env: Record<string, string | undefined>
  cwd(): string
}

/** The command was used wrongly: its message goes to stderr, and the exit status is 2. */
export class UsageError extends Error {}

/** Writes a text and waits until a slow reader has taken it, or is gone. */
export async function write(stream: Writable, text: string): Promise<void> {
  if (text === '' || stream.write(text) || stream.destroyed) return
  await new Promise<void>(resolve => {
    const done = (): void => {
      for (const event of events) stream.off(event, done)
      resolve()
    }
    for (const event of events) stream.once(event, done)
  })
}

const events = ['drain', 'error', 'close'] as const
