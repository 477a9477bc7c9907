import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const name = 'state.key'

/**
 * The key with which this user signs run logs: from the variable `ARGOT_STATE_KEY`, else from a file in the user's config
 * folder that is made when it is first needed. Undefined where there is none and none can be made: then no log of an
 * earlier process is believed.
 */
export async function loadStateKey(
  configFolder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Uint8Array | undefined> {
  const given = env.ARGOT_STATE_KEY
  if (given !== undefined && given !== '') return Buffer.from(given)
  const path = join(configFolder, name)
  return (await readKey(path)) ?? (await makeKey(configFolder, path).catch(() => undefined))
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const key = Buffer.from(text.trim(), 'hex')
  return key.length >= 32 ? key : undefined
}

/** Two processes may do it at once: the first one wins, and both use its key. */
async function makeKey(configFolder: string, path: string): Promise<Uint8Array | undefined> {
  await mkdir(configFolder, { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
  await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600 })
  try {
    await link(draft, path).catch(() => {})
  } finally {
    await rm(draft, { force: true })
  }
  return readKey(path)
}
