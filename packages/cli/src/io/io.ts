import type { Readable, Writable } from 'node:stream'
import { getColumns } from './columns.ts'
import { safePainted } from './paint.ts'
import { escapeUnsafe } from './safe-text.ts'
import { wrapText } from './wrap-rows.ts'

/** A command's input and output. `process` is one. */
export interface Io {
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable & { isTTY?: boolean; columns?: number; rows?: number }
  stderr: Writable & { isTTY?: boolean; columns?: number; rows?: number }
  env: Record<string, string | undefined>
  cwd(): string
}

const mark = Symbol.for('argot.usage')

/**
 * The command was used incorrectly: its message goes to stderr, and the exit status is 2. `instanceof` works across
 * copies of this class, because a command may be bundled separately.
 */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    Object.defineProperty(this, mark, { value: true })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return Object(value)[mark] === true
  }
}

/** Writes a message for people to stderr. The text can't control a terminal: only Argot's colours pass. */
export function tell(io: Pick<Io, 'stderr'>, text: string): Promise<void> {
  return write(io.stderr, wrapFor(io.stderr, safePainted(text)))
}

/** Wraps a text between words for a terminal. For a pipe or a file the text is unchanged. */
export function wrapFor(stream: Io['stdout'], text: string): string {
  return stream.isTTY === true ? wrapText(text, getColumns(stream)) : text
}

/** Writes data to stdout: unchanged into a pipe or a file. On a terminal, it can't control the terminal. */
export function print(io: Pick<Io, 'stdout'>, text: string): Promise<void> {
  return write(io.stdout, io.stdout.isTTY === true ? safePainted(text) : text)
}

/** A value as one line of equivalent JSON that is safe on any terminal. */
export function jsonLine(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value))}\n`
}

/** Writes a text unchanged, and waits until a slow reader has taken it or is gone. */
async function write(stream: Writable, text: string): Promise<void> {
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
