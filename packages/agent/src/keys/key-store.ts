import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ArgotError } from '@argot/core'
import { isRecord, nearestNames } from '@argot/core/stream/internal'
import { KEY_FILE } from '../files/key-file.ts'
import { makeFolders } from '../files/make-folders.ts'
import { providers } from '../model/providers.ts'
import { isPresent } from '../settings/json-file.ts'
import { replacePrivateFile } from '../trust/replace-private-file.ts'
import { withLock } from '../trust/with-lock.ts'
import { getCode } from '../words/get-code.ts'
import { quoted } from '../words/quoted.ts'
import { type Environment, findKeyring, type Keyring } from './keyring.ts'

export interface StoredKey {
  provider: string
  /** The environment variable it replaces. */
  variable: string
  place: 'keyring' | 'file'
}

/** Only `read` returns keys. Errors are `ArgotError`s that don't contain one. */
export interface KeyStore {
  list(): Promise<StoredKey[]>
  /** Replaces an existing key. `place` stores it in the file even if there is a keyring. */
  set(provider: string, key: string, options?: { place?: 'file' | undefined }): Promise<StoredKey>
  /** False if there was none. */
  remove(provider: string): Promise<boolean>
  /** Every key by provider. Undefined for a key that the keyring doesn't return. */
  read(): Promise<Map<string, string | undefined>>
}

export interface KeyStoreOptions {
  configFolder: string
  env: Environment
}

type KeyEntry = { key: string } | { keyring: true }

const SHORTEST_KEY = 8
const LONGEST_KEY = 16 * 1024

export function createKeyStore({ configFolder, env }: KeyStoreOptions): KeyStore {
  const file = join(resolve(configFolder), KEY_FILE)
  let keyring: Promise<Keyring | undefined> | undefined
  const openKeyring = (): Promise<Keyring | undefined> => (keyring ??= findKeyring(env))

  async function readEntries(): Promise<Map<string, KeyEntry>> {
    return (await isPresent(file)) ? checkEntries(await readPrivate(file), file) : new Map()
  }

  async function update<Value>(change: (entries: Map<string, KeyEntry>) => Promise<Value>): Promise<Value> {
    try {
      makeFolders(configFolder, 0o700)
      return await withLock(`${file}.lock`, async () => {
        const entries = await readEntries()
        const before = JSON.stringify([...entries])
        const value = await change(entries)
        const text = `${JSON.stringify({ version: 1, keys: Object.fromEntries(entries) }, null, 2)}\n`
        if (JSON.stringify([...entries]) !== before) await replacePrivateFile(file, text)
        return value
      })
    } catch (error) {
      throw error instanceof ArgotError ? error : notWritten(file, error)
    }
  }

  return {
    async list() {
      return [...(await readEntries())].map(([provider, entry]) => describe(provider, entry))
    },
    async set(name, text, { place } = {}) {
      const provider = requireProvider(name)
      const key = checkKey(text)
      const ring = place === 'file' ? undefined : await openKeyring()
      return update(async entries => {
        const entry: KeyEntry = (await ring?.set(provider, key)) === true ? { keyring: true } : { key }
        const old = entries.get(provider)
        if ('key' in entry && old !== undefined && 'keyring' in old) await (await openKeyring())?.remove(provider)
        entries.set(provider, entry)
        return describe(provider, entry)
      })
    },
    async remove(name) {
      const provider = requireProvider(name)
      return update(async entries => {
        const entry = entries.get(provider)
        if (entry === undefined) return false
        if ('keyring' in entry && (await (await openKeyring())?.remove(provider)) !== true) {
          const message = `The keyring isn't responding, so it still contains the ${provider} key. Unlock the keyring and try again.`
          throw new ArgotError('SETTINGS_NOT_WRITTEN', message)
        }
        return entries.delete(provider)
      })
    },
    async read() {
      const keys = [...(await readEntries())].map(async ([provider, entry]): Promise<[string, string | undefined]> => {
        const key = 'key' in entry ? entry.key : await (await openKeyring())?.get(provider)
        return [provider, key]
      })
      return new Map(await Promise.all(keys))
    },
  }
}

function describe(provider: string, entry: KeyEntry): StoredKey {
  return { provider, variable: keyVariable(provider), place: 'key' in entry ? 'file' : 'keyring' }
}

export function keyVariable(provider: string): string {
  return providers.get(provider)?.keys[0] ?? ''
}

export function takesKey(provider: string): boolean {
  return keyVariable(provider) !== ''
}

/** The normalized name of a provider that takes a key. Throws `MODEL_UNKNOWN_PROVIDER`. */
export function requireProvider(name: string): string {
  const provider = name.trim().toLowerCase()
  if (keyVariable(provider) !== '') return provider
  const names = [...providers.keys()].filter(one => keyVariable(one) !== '')
  const [nearest] = nearestNames(provider, names, 1)
  const cure =
    nearest === undefined ? `You can store keys for ${names.join(', ')}.` : `Did you mean ${quoted(nearest)}?`
  throw new ArgotError('MODEL_UNKNOWN_PROVIDER', `There is no provider ${quoted(name)}. ${cure}`)
}

/** Throws without quoting any of the text: even a wrong paste may be a secret. */
function checkKey(text: string): string {
  const key = text.trim()
  if (key.length >= SHORTEST_KEY && key.length <= LONGEST_KEY && /^[!-~]+$/.test(key)) return key
  const message = `That isn't a key. A key is a single word of ${SHORTEST_KEY} to ${LONGEST_KEY} ASCII characters. Nothing was stored.`
  throw new ArgotError('SETTINGS_BAD_VALUE', message)
}

async function readPrivate(file: string): Promise<string> {
  try {
    const { mode, size } = await stat(file)
    if (size > 1024 * 1024) throw unreadable(file, 'is too large')
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw unreadable(file, `can be read by other users. Run \`chmod 600 ${file}\``)
    }
    return await readFile(file, 'utf8')
  } catch (error) {
    throw error instanceof ArgotError ? error : unreadable(file, `cannot be read (${getCode(error) || String(error)})`)
  }
}

/** Throws if the file is malformed, without quoting any of it. */
function checkEntries(text: string, file: string): Map<string, KeyEntry> {
  const entries = new Map<string, KeyEntry>()
  const value = parseJson(text)
  if (!isRecord(value) || value.version !== 1 || !isRecord(value.keys)) throw unreadable(file, 'is not a key file')
  for (const [provider, entry] of Object.entries(value.keys)) {
    if (keyVariable(provider) === '' || !isRecord(entry)) continue
    if (typeof entry.key === 'string') entries.set(provider, { key: entry.key })
    else if (entry.keyring === true) entries.set(provider, { keyring: true })
  }
  return entries
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function unreadable(file: string, what: string): ArgotError {
  return new ArgotError('SETTINGS_UNREADABLE', `${quoted(file)} ${what}. Fix the file, or remove it.`)
}

function notWritten(file: string, error: unknown): ArgotError {
  const why = `the system reports ${getCode(error) || 'no reason'}`
  const message = `${quoted(file)} cannot be written: ${why}. Fix the folder's permissions.`
  return new ArgotError('SETTINGS_NOT_WRITTEN', message, { cause: error })
}
