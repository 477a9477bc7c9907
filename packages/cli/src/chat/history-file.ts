import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createWhole, findConfigFolder, makeFolders, writeAll } from '@argot/agent/internal'

const MOST_ENTRIES = 1000
/** Longer messages are remembered in this session only. */
const LONGEST_ENTRY = 100_000
const LONGEST_FILE = 8 * 1024 * 1024

/** The messages of earlier chats, for the arrow keys. They are in one file that only this user can read. */
export class HistoryFile {
  readonly #folder: string
  readonly #path: string

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#folder = findConfigFolder({ env })
    this.#path = join(this.#folder, 'chat-history.jsonl')
  }

  /** Oldest first. Empty if the file can't be read. */
  read(): string[] {
    try {
      if (statSync(this.#path).size > LONGEST_FILE) return []
      const lines = readFileSync(this.#path, 'utf8')
        .split('\n')
        .filter(line => line !== '')
      const entries = lines.slice(-MOST_ENTRIES).flatMap(readEntry)
      if (lines.length > 2 * MOST_ENTRIES) this.#rewrite(entries)
      return entries
    } catch {
      return []
    }
  }

  /** Remembers a message. A write error doesn't stop the chat. */
  add(text: string): void {
    if (text.length > LONGEST_ENTRY) return
    try {
      makeFolders(this.#folder, 0o700)
      const file = openSync(this.#path, 'a', 0o600)
      try {
        writeAll(file, `${JSON.stringify(text)}\n`)
      } finally {
        closeSync(file)
      }
    } catch {}
  }

  #rewrite(entries: readonly string[]): void {
    const draft = `${this.#path}.${process.pid}`
    rmSync(draft, { force: true })
    createWhole(draft, entries.map(entry => `${JSON.stringify(entry)}\n`).join(''), { mode: 0o600 })
    renameSync(draft, this.#path)
  }
}

function readEntry(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line)
    return typeof entry === 'string' ? [entry] : []
  } catch {
    return []
  }
}
