import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createWhole } from '../files/write-all.ts'

const name = 'state.key'

type KeyEnvironment = Readonly<Record<string, string | undefined>>

/** From the variable `ARGOT_STATE_KEY`, otherwise from a file in the user's config folder. */
export async function readStateKey(configFolder: string, env: KeyEnvironment): Promise<Uint8Array | undefined> {
  const key = env.ARGOT_STATE_KEY
  return key === undefined || key === '' ? readKey(join(configFolder, name)) : Buffer.from(key)
}

/** Like `readStateKey`, but makes a missing key. Undefined if that fails: then no earlier process's log is trusted. */
export async function makeStateKey(configFolder: string, env: KeyEnvironment): Promise<Uint8Array | undefined> {
  const existing = await readStateKey(configFolder, env)
  return existing ?? (await makeKey(configFolder, join(configFolder, name)).catch(() => undefined))
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const key = Buffer.from(text.trim(), 'hex')
  return key.length >= 32 ? key : undefined
}

/** If two processes do this at the same time, the first one wins and both use its key. */
async function makeKey(configFolder: string, path: string): Promise<Uint8Array | undefined> {
  await mkdir(configFolder, { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
  createWhole(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, sync: true })
  try {
    await link(draft, path).catch(() => {})
  } finally {
    await rm(draft, { force: true })
  }
  return readKey(path)
}
