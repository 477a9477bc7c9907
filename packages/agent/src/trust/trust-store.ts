import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ArgotError } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import { makeFolders } from '../files/make-folders.ts'
import { isPresent, readJsonFile } from '../settings/json-file.ts'
import { getCode } from '../words/get-code.ts'
import { quoted } from '../words/quoted.ts'
import type { CommandIdentity, TrustedFile } from './identify-command.ts'
import { replacePrivateFile } from './replace-private-file.ts'
import type { TrustQuestion } from './trust-question.ts'
import { withLock } from './with-lock.ts'

/** Room for thousands of entries. A larger file isn't read. */
const MOST_BYTES = 4 * 1024 * 1024
/** No system starts a longer command line. */
const COMMAND_CHARACTERS = 32 * 1024

export interface TrustEntry {
  /** The document's real path. */
  file: string
  command: string
  /** When the user said yes, as ISO 8601. */
  time: string
  /** The real path of the program at that time. */
  program?: string
  /** The project files that the command names, in their state at that time. */
  files?: readonly TrustedFile[]
}

/**
 * Which commands the user trusts in which documents. A document is identified by its real path, a command by every
 * character, a program by its real path, and project files by their content. So a copy of the document, another space
 * in the command, or a changed script leads to a new question. Errors are `ArgotError`s that name the file.
 */
export interface TrustStore {
  isTrusted(question: TrustQuestion): Promise<boolean>
  trust(question: TrustQuestion): Promise<void>
  /** False if there was nothing to forget. The document itself may no longer exist. */
  forget(question: TrustQuestion): Promise<boolean>
  list(): Promise<TrustEntry[]>
}

export interface TrustStoreOptions {
  /** The user's config folder. It is created when something is first remembered. */
  configFolder: string
  now?: () => number
}

/** The file is `trust.json` in the config folder. */
export function createTrustStore({ configFolder, now = Date.now }: TrustStoreOptions): TrustStore {
  const file = join(resolve(configFolder), 'trust.json')

  async function list(): Promise<TrustEntry[]> {
    return (await isPresent(file)) ? checkEntries(await readJsonFile(file, MOST_BYTES), file) : []
  }

  /** Writes nothing if `change` returns the same entries. */
  async function update(change: (entries: TrustEntry[]) => TrustEntry[]): Promise<boolean> {
    try {
      makeFolders(configFolder, 0o700)
      return await withLock(`${file}.lock`, async () => {
        const before = await list()
        const after = change(before)
        if (after === before) return false
        const text = `${JSON.stringify({ version: 1, commands: after }, null, 2)}\n`
        if (Buffer.byteLength(text) > MOST_BYTES) throw full(file)
        await replacePrivateFile(file, text)
        return true
      })
    } catch (error) {
      throw error instanceof ArgotError ? error : notWritten(file, error)
    }
  }

  return {
    list,
    async isTrusted({ file: document, command, identity }) {
      const real = await realFile(document)
      return (
        real !== undefined && (await list()).some(entry => matches(real, command)(entry) && isSame(entry, identity))
      )
    },
    async trust({ file: document, command, identity }) {
      const real = await realFile(document)
      if (real === undefined) {
        throw new ArgotError(
          'SETTINGS_NOT_WRITTEN',
          `${quoted(document)} does not exist, so nothing in it can be trusted.`,
        )
      }
      if (command.length > COMMAND_CHARACTERS) {
        const message = `A command of ${command.length} characters can't be trusted. The limit is ${COMMAND_CHARACTERS}.`
        throw new ArgotError('SETTINGS_NOT_WRITTEN', message)
      }
      const entry: TrustEntry = { file: real, command, time: new Date(now()).toISOString(), ...identity }
      const isSameCommand = matches(real, command)
      // One entry per command: its earlier program or files are no longer trusted.
      await update(entries =>
        entries.some(one => isSameCommand(one) && isSame(one, identity))
          ? entries
          : [...entries.filter(one => !isSameCommand(one)), entry],
      )
    },
    async forget({ file: document, command }) {
      const real = (await realFile(document)) ?? resolve(document)
      return await update(entries => {
        const remaining = entries.filter(entry => !matches(real, command)(entry))
        return remaining.length === entries.length ? entries : remaining
      })
    },
  }
}

function matches(file: string, command: string): (entry: TrustEntry) => boolean {
  return entry => entry.file === file && entry.command === command
}

function isSame({ program, files = [] }: TrustEntry, identity: CommandIdentity | undefined): boolean {
  return program === identity?.program && JSON.stringify(files) === JSON.stringify(identity?.files ?? [])
}

async function realFile(path: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch {
    return undefined
  }
}

/** A file that can't be read again would end all trust. */
function full(file: string): ArgotError {
  const message = `${quoted(file)} has no room for another command. Remove entries you no longer need, or allow the commands for one run with \`--allow-exec\`.`
  return new ArgotError('SETTINGS_NOT_WRITTEN', message)
}

function notWritten(file: string, error: unknown): ArgotError {
  const code = getCode(error)
  const denied = code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
  const why = denied ? 'permission was denied' : `the system reports ${code || String(error)}`
  const message = `${quoted(file)} cannot be written: ${why}. Fix the folder's permissions, or allow the commands for one run with \`--allow-exec\`.`
  return new ArgotError('SETTINGS_NOT_WRITTEN', message, { cause: error })
}

/** A malformed file is an error: forgetting it silently would repeat questions, and guessing would grant trust. */
function checkEntries(value: unknown, file: string): TrustEntry[] {
  const { version, commands } = asRecord(value)
  if (version !== 1 || !Array.isArray(commands)) throw notUnderstood(file, 'version 1 and a list of commands')
  return commands.map((entry: unknown) => {
    const { file: document, command, time, program, files } = asRecord(entry)
    const isNamed = program === undefined || typeof program === 'string'
    if (typeof document === 'string' && typeof command === 'string' && typeof time === 'string' && isNamed) {
      return { file: document, command, time, ...defined({ program, files: checkFiles(files, file) }) }
    }
    throw notUnderstood(file, 'file, command and time in each entry')
  })
}

function checkFiles(value: unknown, file: string): TrustedFile[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw notUnderstood(file, 'a list of files in each entry that has one')
  return value.map((one: unknown) => {
    const { path, sha256 } = asRecord(one)
    if (typeof path === 'string' && typeof sha256 === 'string') return { path, sha256 }
    throw notUnderstood(file, 'path and sha256 for each file of an entry')
  })
}

function asRecord(value: unknown): Record<string, unknown> {
  return Object.assign(Object.create(null) as Record<string, unknown>, typeof value === 'object' ? value : undefined)
}

function notUnderstood(file: string, expected: string): ArgotError {
  const message = `${quoted(file)} must have ${expected}. Fix the file, or remove it to trust nothing.`
  return new ArgotError('SETTINGS_BAD_VALUE', message)
}
