import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { addStoredKeys, createKeyStore, readDocumentFacts } from '@argot/agent/internal'
import { expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { callsThenAnswer, hostileRun, link, makePlace, type Place, put } from './hostile-run.ts'
import { makeSandboxPlace } from './sandbox-place.ts'

const KEY = 'sk-stored-Zx9q7-secret-of-the-user-0123'

/** A project that is the user's home, with the file of keys in it. */
async function makeHome(document: string, files: Record<string, string> = {}): Promise<Place & { keys: string }> {
  const place = await makePlace(document, files)
  const config = join(place.project, '.config/argot')
  await createKeyStore({ configFolder: config, env: {} }).set('openai', KEY, { place: 'file' })
  return { ...place, config, keys: join(config, 'provider-keys.json') }
}

const path = '.config/argot/provider-keys.json'
const tools = [
  'read_file',
  'grep',
  'glob',
  'read_dir',
  'write_file',
  'append_to_file',
  'find_and_replace',
  'apply_patch',
]
const declared = `${tools.map(name => `<tool name="${name}"/>`).join('\n')}\n<user>\nGo.\n</user>\n`

test('no file tool reads, finds or changes the file of stored keys, by any of its names', async () => {
  const place = await makeHome(declared)
  await link(place.keys, join(place.project, 'notes.txt'))
  await link(place.config, join(place.project, 'folder'))
  const before = await readFile(place.keys, 'utf8')
  const reads = [path, place.keys, 'notes.txt', 'folder/provider-keys.json', `./x/../${path}`, path.toUpperCase()]
  const patch = `*** Begin Patch\n*** Update File: ${path}\n@@\n-  "version": 1,\n+  "version": 2,\n*** End Patch`
  const steps = callsThenAnswer(
    ...reads.map((one): [string, unknown] => ['read_file', { path: one }]),
    ['grep', { pattern: 'sk-stored' }],
    ['grep', { pattern: 'sk-stored', path }],
    ['grep', { pattern: 'sk-', path: 'notes.txt' }],
    ['write_file', { path, content: '{}' }],
    ['append_to_file', { path, content: 'x' }],
    ['find_and_replace', { path, search: 'version', replace: 'v' }],
    ['apply_patch', { patch }],
  )
  // The key is not in the environment, so that no redaction hides a leak.
  const { chunks, calls, model } = await hostileRun(place, steps, { approve: 'all', configFolder: place.config })
  expect(calls).toHaveLength(reads.length + 7)
  expect(JSON.stringify([chunks, model.asked.map(({ prompt }) => prompt)])).not.toContain('sk-stored-Z')
  expect(calls.slice(0, 4).map(({ state }) => state)).toEqual(Array.from({ length: 4 }, () => 'output-error'))
  expect(calls[0]!.errorText).toContain('it contains keys, which no document or tool may read')
  expect(await readFile(place.keys, 'utf8')).toBe(before)
})

test.each([
  `<user>\nGo. <doc src="${path}" local/>\n</user>\n`,
  `<import src="${path}" local/>\n<user>\nGo.\n</user>\n`,
  '<user>\nGo. <doc src="notes.txt" local/>\n</user>\n',
  `<user>\nGo. <img src="${path}" local/>\n</user>\n`,
  `<tool name="helper" agent="${path}" local/>\n<user>\nGo.\n</user>\n`,
])('no document brings the file of stored keys into a prompt: %s', async document => {
  const place = await makeHome(document)
  await link(place.keys, join(place.project, 'notes.txt'))
  const ended = await hostileRun(place, callsThenAnswer(['helper', { input: 'x' }]), { approve: 'all' }).catch(
    (error: unknown) => String(error),
  )
  const shown =
    typeof ended === 'string'
      ? ended
      : JSON.stringify([ended.chunks, ended.notices, ended.model.asked.map(one => one.prompt)])
  expect(shown).not.toContain('sk-stored-Z')
})

test('a link that calls itself a document leads to no keys', async () => {
  const place = await makeHome('')
  await link(place.keys, join(place.project, 'talk.chatmd'))
  const file = join(place.project, 'talk.chatmd')
  const ended = await hostileRun({ ...place, file }, ['Hi.']).catch((error: unknown) => String(error))
  const shown = typeof ended === 'string' ? ended : JSON.stringify([ended.chunks, ended.notices, ended.model.asked])
  expect(shown).toMatch(/permission/i)
  expect(shown).not.toContain('sk-stored-Z')
  expect((await readDocumentFacts(folderStore(place.project, { env: {} }), 'talk.chatmd')).title).toBe('talk')
})

test('a stored key is redacted in what tools say, also where the environment has another', async () => {
  const leak = fakeTool('leak', 'read', () => `${KEY} ${Buffer.from(KEY).toString('base64')}`)
  for (const env of [{}, { OPENAI_API_KEY: 'another-key-0123456789' }]) {
    const place = await makeHome('<tool name="leak"/>\n<user>\nGo.\n</user>\n')
    const added = await addStoredKeys({ configFolder: place.config, env })
    const options = { env: added.env, tools: [leak], configFolder: place.config }
    const { chunks, calls, model } = await hostileRun(place, callsThenAnswer(['leak', {}]), options)
    expect(String(calls.at(-1)!.output)).toMatch(/^\[redacted: \w+_KEY\] \[redacted: \w+_KEY\]$/)
    expect(JSON.stringify([chunks, model.asked.map(({ prompt }) => prompt)])).not.toContain('sk-stored-Z')
  }
})

test('no program gets a stored key in its environment', async () => {
  const place = await makeHome('<tool name="env" command="env"/>\n<user>\nGo.\n</user>\n')
  const { env } = await addStoredKeys({ configFolder: place.config, env: { PATH: process.env.PATH } })
  const options = { env, approve: 'all', allowExec: true, sandbox: 'off', configFolder: place.config } as const
  const { calls } = await hostileRun(place, callsThenAnswer(['env', {}]), options)
  expect(String(calls[0]!.output)).not.toMatch(/OPENAI|STORED|redacted/)
  expect(process.env.OPENAI_API_KEY).toBeUndefined()
})

test.runIf(process.platform === 'linux' && !process.env.ARGOT_NO_SANDBOX)(
  'a confined program sees neither the file of keys nor a bus to a keyring',
  async () => {
    const place = await makeSandboxPlace()
    const file = join(place.home, '.config/argot/provider-keys.json')
    await put(file, `{"version":1,"keys":{"openai":{"key":"${KEY}"}}}`)
    const script = `cat ${place.home}/.config/argot/* ; grep -r sk-stored ${place.home} ; ls /run/user /run/dbus ; secret-tool lookup service argot provider openai; echo end`
    const output = await place.sh(script)
    expect(output).toContain('end')
    expect(output).not.toContain('sk-stored-Z')
    expect(output).not.toMatch(/^bus$/m)
  },
)
