import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { argot, folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'

const chat = (question: string, answer: string): string =>
  `<user>\n${question}\n</user>\n\n<assistant>\n${answer}\n</assistant>\n`

const files = {
  'docs/install.chatmd': chat('How do I install it?', 'Use the package manager of Linux.'),
  'docs/deep/other.chatmd': chat('Linux?', 'A system \u001b[31mred\u001b[0m.'),
  'docs/none.chatmd': chat('Hello.', 'Hello.'),
}

async function project(): Promise<string> {
  const cwd = await folderWith({})
  await mkdir(join(cwd, 'docs/deep'), { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text)
  return cwd
}

test('argot search shows title, document, message and snippet, the best first, without colours in a pipe', async () => {
  const cwd = await project()
  const { status, stdout, stderr } = await argot(['search', 'LINUX', '--dir', 'docs'], { cwd })
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toBe(`Linux?
deep/other.chatmd · message 1, user
  Linux?

How do I install it?
install.chatmd · message 2, assistant
  Use the package manager of Linux.
`)
  expect(existsSync(join(cwd, 'docs/.chatmd/search/documents.jsonl'))).toBe(true)
})

test('argot search --json prints one line per document, and --limit says how many', async () => {
  const cwd = await project()
  const { stdout } = await inProcess(['search', 'linux', 'package', '--dir', 'docs', '--json'], { cwd })
  expect(JSON.parse(stdout)).toMatchObject({
    path: 'install.chatmd',
    title: 'How do I install it?',
    message: 2,
    role: 'assistant',
    snippet: { text: 'Use the package manager of Linux.' },
  })
  const one = await inProcess(['search', 'linux', '--dir', 'docs', '-n', '1'], { cwd })
  expect(one.stdout.match(/message/g)).toHaveLength(1)
  expect(one.stderr).toBe('2 documents match. To see more, use --limit.\n')
})

test('argot search says when only some words are found, and when none is', async () => {
  const cwd = await project()
  const some = await inProcess(['search', 'manager', 'absent', '--dir', 'docs'], { cwd })
  expect([some.status, some.stderr]).toEqual([
    0,
    'No document contains all of these words. These contain some of them:\n',
  ])
  const none = await inProcess(['search', 'absent', '--dir', 'docs'], { cwd })
  expect(none).toMatchObject({ status: 1, stdout: '', stderr: 'Nothing found.\n' })
})

test('what a document says cannot drive a terminal through a search', async () => {
  const cwd = await project()
  const { stdout } = await inProcess(['search', 'system', '--dir', 'docs'], { cwd })
  expect(stdout).toContain('␛[31mred␛[0m')
})

test.each([
  [['search', '!!!'], 'Enter at least one word to search for.'],
  [['search', 'x'.repeat(2000)], 'up to 1000 characters'],
  [['search', 'x', '-n', '0'], '--limit must be a whole number from 1 to 1000.'],
  [['search', 'x', '--dir', 'absent'], 'There is no folder'],
])('a search is used wrongly: %#', async (args, message) => {
  const cwd = await project()
  expect(await inProcess(args, { cwd })).toMatchObject({ status: 2, stderr: expect.stringContaining(message) })
})
