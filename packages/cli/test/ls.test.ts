import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandLine, folderWith } from './argot.ts'
import { inProcess as argot } from './in-process.ts'
import { hasScript, onTerminal, words } from './on-terminal.ts'

const document = (text: string): string => `<config model="demo"/>\n\n<user>\n${text}\n</user>\n`

async function date(folder: string, name: string, seconds: number): Promise<void> {
  await utimes(join(folder, name), seconds, seconds)
}

interface Row {
  path: string
  title: string
  state: string
  model?: string
  usage: { totalTokens: number }
}

function readRows(stdout: string): Row[] {
  return stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Row)
}

test('conversations are listed newest first, with what their runs used', async () => {
  const folder = await folderWith({ 'old.chatmd': document('The old one'), 'b.chatmd': document('Second\nmore') })
  const env = { HOME: folder, XDG_CONFIG_HOME: join(folder, '.config') }
  const options = { cwd: folder, env }
  await mkdir(join(folder, 'chats'))
  await writeFile(join(folder, 'chats', 'c.chatmd'), '<user>\n\n</user>\n')
  const run = await argot(['run', join(folder, 'b.chatmd'), '--json'], options)
  await date(folder, 'old.chatmd', 1_000_000)
  await date(folder, 'b.chatmd', 2_000_000)
  const { stdout, status } = await argot(['ls', '--json'], options)
  expect(status).toBe(0)
  const rows = readRows(stdout)
  expect(rows.map(({ path, title, state, model }) => [path, title, state, model])).toEqual([
    ['chats/c.chatmd', 'c', 'idle', undefined],
    ['b.chatmd', 'Second', 'idle', 'demo'],
    ['old.chatmd', 'The old one', 'idle', 'demo'],
  ])
  const used = /"totalTokens":(\d+)/.exec(run.stdout)?.[1]
  expect(rows[1]!.usage.totalTokens).toBe(Number(used))
  expect(rows[2]!.usage.totalTokens).toBe(0)
  const first = await argot(['ls', '-n', '1'], options)
  expect(first.stdout.split('\n')).toHaveLength(2)
  expect(first.stderr).toBe('… and 2 more. To see them, use --all.\n')
})

test('no title drives the terminal, breaks a line or adds a column', async () => {
  const hostile = 'A\u001b]0;owned\u0007\tB\u202e\u001b[2J'
  const folder = await folderWith({ 'x.chatmd': document(hostile) })
  const { stdout } = await argot(['ls'], { cwd: folder, env: { HOME: folder } })
  expect(stdout.split('\t')).toHaveLength(7)
  expect(stdout).not.toMatch(/[\x00-\x08\x0b-\x1f\u202e]/)
  if (!hasScript) return
  const env = { HOME: folder, NO_COLOR: '1' }
  const shown = await onTerminal(commandLine(['ls']), [], { cwd: folder, env, size: { rows: 12, columns: 40 } })
  expect(shown).not.toMatch(/\x1b(?!\[)/)
  const lines = words(shown).split('\n')
  expect(lines[0]).toMatch(/^A.*now$/)
  expect(lines.every(line => line.length <= 40)).toBe(true)
})

test('a folder that is not there is named, with the one that was meant', async () => {
  const folder = await folderWith({})
  await mkdir(join(folder, 'chats'))
  const { stderr, status } = await argot(['ls', 'chat'], { cwd: folder, env: { HOME: folder } })
  expect([status, stderr]).toEqual([2, expect.stringMatching(/There is no folder .*Did you mean ".*chats"\?/)])
  const empty = await argot(['ls'], { cwd: folder, env: { HOME: folder } })
  expect([empty.status, empty.stdout]).toEqual([0, ''])
})
