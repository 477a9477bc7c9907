import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Result } from './argot.ts'
import { folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'

/** Runs commands on one document in a folder of its own; paths are shown as they would be in that folder. */
async function place(document: string) {
  const cwd = await folderWith({ 'a.chatmd': document, 'notes.md': 'Notes.' })
  const file = join(cwd, 'a.chatmd')
  const argot = async (...args: string[]): Promise<Result> => {
    const given = args.map(word => (word === 'a.chatmd' ? file : word))
    const { status, stdout, stderr } = await inProcess(given, { cwd })
    const plain = (text: string): string => text.replaceAll(`${cwd}/`, '')
    return { status, stdout: plain(stdout), stderr: plain(stderr) }
  }
  return { argot, file }
}

describe('an empty document', () => {
  test.each(['', '\n\n', '\uFEFF', '<!-- nothing yet -->\n'])(
    '%j is read, and what is missing can be followed',
    async text => {
      const { argot } = await place(text)
      expect(await argot('check', 'a.chatmd')).toMatchObject({ status: 0, stdout: '' })
      expect((await argot('fmt', 'a.chatmd')).status).toBe(0)
      expect((await argot('convert', 'a.chatmd', '--to', 'callout')).status).toBe(0)
      const refused = await argot('run', 'a.chatmd')
      expect(refused.status).toBe(1)
      expect(refused.stderr).toContain('the document has no message. Add a user message, or pass one with --input.')
      expect((await argot('replay', 'a.chatmd')).stderr).toMatch(
        /^argot: a\.chatmd has no assistant message to replay\.$/m,
      )
      expect(await argot('run', 'a.chatmd', '--model', 'demo', '--input', 'Hello.')).toMatchObject({ status: 0 })
    },
  )
})

test('several mistakes in one element each have a cure, and the cures can be followed together', async () => {
  const { argot, file } = await place(
    '<user>\nHi <doc src="notes.md" locl>\n</user>\n<config model="demo temperature="0.2"/>\n',
  )
  const { status, stdout, stderr } = await argot('check', 'a.chatmd')
  const said = stdout + stderr
  expect(status).toBe(1)
  for (const cure of ['Did you mean `local`?', 'Write `<doc …/>`.', 'Close the quote']) expect(said).toContain(cure)
  expect((await argot('fmt', '--repair', '--write', 'a.chatmd')).status).toBe(0)
  await writeFile(file, (await readFile(file, 'utf8')).replace('locl', 'local'))
  expect(await argot('check', 'a.chatmd')).toMatchObject({ status: 0, stdout: '' })
  expect(await argot('run', 'a.chatmd')).toMatchObject({ status: 0 })
})

describe('a call that a text syntax cannot write', () => {
  const call = (input: string): string =>
    `<config show_tool_call/>\n<tool name="read_file"/>\n<user>\nGo\n</user>\n<tool_call tool_call_id="c1" function_name="read_file">\nRAW|${input}|RAW\n</tool_call>\n<tool_response tool_call_id="c1">\nRAW|ok|RAW\n</tool_response>\n<user>\nAnd?\n</user>\n`

  test.each(['xml', 'caret', 'hermes', 'callout'])('is converted and sent in words of its own: %s', async syntax => {
    const { argot } = await place(call('{"a b": {"c>": 1}}'))
    const converted = await argot('convert', 'a.chatmd', '--to', syntax)
    expect(converted.status).toBe(0)
    expect(converted.stdout).toContain('a b')
    const shown = await argot('run', 'a.chatmd', '--dry-run', '--syntax', syntax)
    expect(shown.status).toBe(0)
    expect(shown.stdout).toContain('a b')
    expect(converted.stderr + shown.stderr).not.toContain('SYNTAX_CANNOT_WRITE')
  })
})

describe('one pasted line with thousands of mistakes', () => {
  const pasted = `<user>\nHi\n</user>\n${'<tool/><user bad="1"></user>'.repeat(4000)}\n`

  test.each([['check'], ['run'], ['run', '--dry-run']])(
    'prints the first twenty and how many more there are: %s',
    async (...args) => {
      const { argot } = await place(pasted)
      const { status, stdout, stderr } = await argot(args[0]!, 'a.chatmd', ...args.slice(1))
      const said = stdout + stderr
      expect(status).toBe(1)
      expect(said.match(/^a\.chatmd:4:\d+ /gm)).toHaveLength(20)
      expect(said).toMatch(/… and [\d,]+ more\. Fix these first/)
      expect(said.length).toBeLessThan(10_000)
    },
  )
})

test('a sentence that begins with the name of a file leaves it as it is', async () => {
  const { argot } = await place('<user>\nHi\n</user>\n')
  const { status, stderr } = await argot('convert', 'a.chatmd', '--to', 'jsonl', '--output', 'a.chatmd')
  expect([status, stderr]).toEqual([
    2,
    'argot: a.chatmd already exists. Remove it, or choose another file.\nTry `argot convert --help`.\n',
  ])
})
