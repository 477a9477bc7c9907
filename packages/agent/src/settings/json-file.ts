import { lstat, realpath } from 'node:fs/promises'
import { ArgotError } from '@argot/core'
import { PartialJson } from '@argot/core/stream'
import { createLineCounter } from '@argot/core/stream/internal'
import { decodeUtf8 } from '../files/decode-text.ts'
import { readBytes } from '../files/local-file.ts'
import { SourceError } from '../files/source-error.ts'
import { getCode } from '../words/get-code.ts'
import { quoted } from '../words/quoted.ts'

/** Whether the path exists. True for a link that leads nowhere, because that is a mistake and not an absence. */
export async function isPresent(file: string): Promise<boolean> {
  try {
    await lstat(file)
    return true
  } catch (error) {
    if (getCode(error) === 'ENOENT' || getCode(error) === 'ENOTDIR') return false
    throw unreadable(file, error)
  }
}

/**
 * Reads a JSON file of at most `limit` bytes. Throws `SETTINGS_UNREADABLE` if it isn't a regular file, is too large or
 * isn't UTF-8, and `SETTINGS_BAD_JSON` with line and column if it isn't JSON.
 */
export async function readJsonFile(file: string, limit: number): Promise<unknown> {
  const text = await readText(file, limit)
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw badJson(file, text, error)
  }
}

async function readText(file: string, limit: number): Promise<string> {
  try {
    const bytes = await readBytes(await realpath(file), file, limit)
    return decodeUtf8(bytes, { name: file, keepBom: false, allowNul: true })
  } catch (error) {
    throw unreadable(file, error)
  }
}

function unreadable(file: string, error: unknown): ArgotError {
  const code = getCode(error)
  const reason = REASONS[code]
  const what =
    error instanceof SourceError
      ? error.problem.message
      : `${quoted(file)} ${reason ?? `cannot be read: the system reports ${code || String(error)}`}.`
  return new ArgotError('SETTINGS_UNREADABLE', `${what} Fix the file, or remove it.`, { cause: error })
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'cannot be read: permission was denied',
  EPERM: 'cannot be read: permission was denied',
  ELOOP: 'cannot be read: its symbolic links form a loop',
  ENOENT: 'is a broken symbolic link',
  ENOTDIR: 'is a broken symbolic link',
}

function badJson(file: string, text: string, error: unknown): ArgotError {
  if (text.trim() === '') {
    return new ArgotError('SETTINGS_BAD_JSON', `${quoted(file)} is empty. Write \`{}\` to it, or remove it.`)
  }
  const reader = new PartialJson()
  reader.push(text)
  reader.end()
  const { line, column } = createLineCounter(text).position(reader.problem?.offset ?? text.length)
  const why = reader.problem?.message ?? 'This is not JSON.'
  const message = `${quoted(file)} is not JSON (line ${line}, column ${column}): ${why}`
  return new ArgotError('SETTINGS_BAD_JSON', message, { cause: error })
}
