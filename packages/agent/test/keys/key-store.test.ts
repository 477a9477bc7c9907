import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addStoredKeys, createKeyStore } from '@argot/agent/internal'
import { expect, onTestFinished, test } from 'vitest'

const KEY = 'sk-stored-0123456789abcdef'

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'argot-keys-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/**
 * A stand-in for `secret-tool` that keeps secrets in files and notes its arguments. It exits as the real one does, also
 * for a keyring that a person has locked: there is a file `locked` then.
 */
async function makeKeyring(folder: string, { works = true } = {}): Promise<Record<string, string>> {
  const script = `#!/bin/sh
echo "$*" >> '${folder}/arguments'
${works ? '' : 'exit 1'}
case "$1" in
  store) cat > "${folder}/secret-$6" ;;
  lookup) [ ! -e '${folder}/locked' ] && cat "${folder}/secret-$5" 2>/dev/null ;;
  clear) [ ! -e '${folder}/locked' ] && rm "${folder}/secret-$5" 2>/dev/null ;;
  search) if [ -e "${folder}/secret-$6" ]; then echo '[/1]'; fi ;;
esac
`
  await writeFile(join(folder, 'secret-tool'), script)
  await chmod(join(folder, 'secret-tool'), 0o755)
  return { PATH: `${folder}:/usr/bin:/bin`, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' }
}

test('without a keyring a key is in a file that only the user can read, and in no list', async () => {
  const folder = await makeFolder()
  const configFolder = join(folder, 'config')
  const store = createKeyStore({ configFolder, env: {} })
  expect(await store.list()).toEqual([])
  expect(await store.set('OpenAI', ` ${KEY}\n`)).toEqual({
    provider: 'openai',
    variable: 'OPENAI_API_KEY',
    place: 'file',
  })
  expect(await readdir(configFolder)).toEqual(['provider-keys.json'])
  expect((await stat(join(configFolder, 'provider-keys.json'))).mode & 0o777).toBe(0o600)
  expect((await stat(configFolder)).mode & 0o777).toBe(0o700)
  expect(JSON.stringify(await store.list())).not.toContain(KEY.slice(0, 6))
  expect(await store.read()).toEqual(new Map([['openai', KEY]]))
  expect([await store.remove('openai'), await store.remove('openai')]).toEqual([true, false])
  expect(await readFile(join(configFolder, 'provider-keys.json'), 'utf8')).not.toContain(KEY)
})

test('a file that others can read, or that is none of ours, is refused without showing any of it', async () => {
  const configFolder = await makeFolder()
  const file = join(configFolder, 'provider-keys.json')
  const store = createKeyStore({ configFolder, env: {} })
  await store.set('openai', KEY)
  await chmod(file, 0o644)
  await expect(store.read()).rejects.toThrow(/can be read by other users. Run `chmod 600/)
  await expect(store.set('google', KEY)).rejects.toThrow(/can be read by other users/)
  await writeFile(file, `{"keys": ["${KEY}"`, { mode: 0o600 })
  await chmod(file, 0o600)
  const error = await store.list().catch((problem: unknown) => String(problem))
  expect(error).toMatch(/is not a key file/)
  expect(error).not.toContain(KEY)
})

test.each(['', 'short', 'two words of it', 'späte-schlüssel', 'a\u001b[31m-key-with-escapes', 'x'.repeat(20_000)])(
  'what cannot be a key is not stored, and not shown: %j',
  async text => {
    const store = createKeyStore({ configFolder: await makeFolder(), env: {} })
    const error = await store.set('openai', text).catch((problem: unknown) => String(problem))
    expect(error).toMatch(/That isn't a key/)
    if (text !== '') expect(error).not.toContain(text.slice(0, 10))
    expect(await store.list()).toEqual([])
  },
)

test.runIf(process.platform === 'linux')(
  'a keyring gets the key through standard input, and the file has none',
  async () => {
    const folder = await makeFolder()
    const env = await makeKeyring(folder)
    const configFolder = join(folder, 'config')
    const store = createKeyStore({ configFolder, env })
    expect((await store.set('anthropic', KEY)).place).toBe('keyring')
    expect(await readFile(join(configFolder, 'provider-keys.json'), 'utf8')).not.toContain(KEY)
    expect(await store.read()).toEqual(new Map([['anthropic', KEY]]))
    expect(await readFile(join(folder, 'arguments'), 'utf8')).not.toContain(KEY)
    // A file that is asked for takes it out of the keyring.
    expect((await store.set('anthropic', KEY, { place: 'file' })).place).toBe('file')
    expect(await readdir(folder)).not.toContain('secret-anthropic')
    await store.set('anthropic', KEY)
    await rm(join(folder, 'secret-anthropic'))
    expect((await addStoredKeys({ configFolder, env })).missing).toEqual(['anthropic'])
    expect(await store.remove('anthropic')).toBe(true)
  },
)

test.runIf(process.platform === 'linux')(
  'a key that a locked keyring still has stays in the list, and is removed once the keyring is open',
  async () => {
    const folder = await makeFolder()
    const store = createKeyStore({ configFolder: join(folder, 'config'), env: await makeKeyring(folder) })
    await store.set('openai', KEY)
    await writeFile(join(folder, 'locked'), '')
    await expect(store.remove('openai')).rejects.toThrow(/still contains the openai key. Unlock/)
    expect(await store.list()).toMatchObject([{ provider: 'openai', place: 'keyring' }])
    await rm(join(folder, 'locked'))
    expect([await store.remove('openai'), await store.list()]).toEqual([true, []])
  },
)

test.runIf(process.platform === 'linux')('a keyring that takes nothing leaves the file', async () => {
  const folder = await makeFolder()
  const store = createKeyStore({
    configFolder: join(folder, 'config'),
    env: await makeKeyring(folder, { works: false }),
  })
  expect((await store.set('openai', KEY)).place).toBe('file')
})

test('a variable that is set wins, and the stored key is then known under a name that no provider reads', async () => {
  const configFolder = await makeFolder()
  const store = createKeyStore({ configFolder, env: {} })
  await store.set('openai', KEY)
  await store.set('google', `${KEY}-g`)
  const { env, variables } = await addStoredKeys({ configFolder, env: { GEMINI_API_KEY: 'mine', OPENAI_API_KEY: ' ' } })
  expect(env).toEqual({ GEMINI_API_KEY: 'mine', OPENAI_API_KEY: KEY, ARGOT_STORED_GOOGLE_KEY: `${KEY}-g` })
  expect(variables).toEqual(['OPENAI_API_KEY'])
})

test('two processes that store keys lose none', async () => {
  const configFolder = await makeFolder()
  const names = ['openai', 'anthropic', 'google', 'ollama', 'openai-compatible']
  await Promise.all(names.map(name => createKeyStore({ configFolder, env: {} }).set(name, `${KEY}-${name}`)))
  expect([...(await createKeyStore({ configFolder, env: {} }).read()).keys()].sort()).toEqual([...names].sort())
})
