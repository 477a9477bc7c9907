import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { commandList } from '../src/commands/command-list.ts'
import { commandLine, folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'
import { hasScript, onTerminal, words } from './on-terminal.ts'

const KEY = 'sk-cli-0123456789abcdef'

test('keys set reads a key from standard input, models use it, and list never shows it', async () => {
  const cwd = await folderWith({})
  const set = await inProcess(['keys', 'set', 'openai'], { cwd, input: `${KEY}\n` })
  expect([set.status, set.stderr]).toEqual([0, 'Stored the key for openai in a file that only you can read.\n'])
  const list = await inProcess(['keys', 'list'], { cwd })
  expect(list.stdout).toBe('openai  a file that only you can read\n')
  const models = await inProcess(['models', '--json'], { cwd })
  expect(JSON.parse(models.stdout)).toMatchObject({ default: expect.stringContaining('openai:') })
  const json = await inProcess(['keys', 'list', '--json'], { cwd, env: { OPENAI_API_KEY: 'other-key' } })
  expect([list, models, json].map(one => JSON.stringify(one)).join()).not.toContain(KEY.slice(0, 8))
  const removed = await inProcess(['keys', 'remove', 'openai'], { cwd })
  expect([removed.status, removed.stderr]).toEqual([0, 'Removed the key for openai.\n'])
  expect((await inProcess(['keys', 'remove', 'openai'], { cwd })).status).toBe(1)
})

test('a key is never an argument, and is not repeated', async () => {
  const cwd = await folderWith({})
  const { status, stderr, stdout } = await inProcess(['keys', 'set', 'openai', KEY], { cwd, input: '' })
  expect(status).toBe(2)
  expect(stderr).toContain("A key can't be an argument")
  expect(stderr + stdout).not.toContain(KEY)
})

test.each([
  [['keys', 'sett', 'openai'], 'Did you mean "set"?'],
  [['keys', 'set', 'opnai'], 'Did you mean `openai`?'],
  [['keys', 'set'], 'The provider is missing.'],
  [['keys', 'set', 'demo'], 'You can store keys for openai, anthropic, google'],
])('%j says what was meant', async (args, text) => {
  const { status, stderr } = await inProcess(args, { cwd: await folderWith({}), input: KEY })
  expect(stderr).toContain(text)
  expect(status).toBeGreaterThan(0)
})

test.runIf(hasScript)('the prompt of keys set hides the key', async () => {
  const cwd = await folderWith({})
  const env = { HOME: cwd }
  const shown = await onTerminal(commandLine(['keys', 'set', 'anthropic']), [['Key for', `${KEY}\r`]], { cwd, env })
  expect(words(shown)).toContain('Stored the key for anthropic')
  expect(shown).not.toContain(KEY.slice(0, 6))
  expect(await readFile(join(cwd, '.config/argot/provider-keys.json'), 'utf8')).toContain(KEY)
})

test('every command that takes a model uses stored keys', async () => {
  const io = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: {}, cwd: () => '.' }
  for (const { name, load, usesKeys = false } of commandList) {
    const command = new Command(name)
    ;(await load())(command, io, () => {})
    if (command.options.some(option => option.long === '--model')) expect([name, usesKeys]).toEqual([name, true])
  }
})
