import type { Readable, Writable } from 'node:stream'
import { getColumns } from './columns.ts'
import { safePainted } from './paint.ts'
import { escapeUnsafe } from './safe-text.ts'
import { wrapText } from './wrap-rows.ts'

/** What a command reads and writes; `process` is one. */
export interface Io {
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable & { isTTY?: boolean; columns?: number; rows?: number }
  stderr: Writable & { isTTY?: boolean; columns?: number; rows?: number }
  env: Record<string, string | undefined>
  cwd(): string
}

const mark = Symbol.for('argot.usage')

/**
 * The command was used wrongly: its message goes to stderr, and the exit status is 2. `instanceof` holds for every copy of
 * it: a command may be bundled by itself.
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

/** Tells a person something on stderr. Whatever the text comes from, it cannot drive a terminal: only our colours pass. */
export function tell(io: Pick<Io, 'stderr'>, text: string): Promise<void> {
  return write(io.stderr, wrapFor(io.stderr, safePainted(text)))
}

/** A text as a terminal shows it, with lines broken between words; as it is for a pipe or a file. */
export function wrapFor(stream: Io['stdout'], text: string): string {
  return stream.isTTY === true ? wrapText(text, getColumns(stream)) : text
}

/** Writes data to stdout: as it is into a pipe or a file, and on a terminal so that it cannot drive that. */
export function print(io: Pick<Io, 'stdout'>, text: string): Promise<void> {
  return write(io.stdout, io.stdout.isTTY === true ? safePainted(text) : text)
}

/** A value as one line of JSON that means the same and can be shown on any terminal. */
export function jsonLine(value: unknown): string {
  return `${escapeUnsafe(JSON.stringify(value))}\n`
}

/** Writes a text as it is, and waits until a slow reader has taken it, or is gone. */
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
