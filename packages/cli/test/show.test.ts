import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { writeFeedback } from '@argot/agent/internal'
import type { Message } from '@argot/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { versionFolder } from '../../agent/test/versions.ts'
import { assistantMessage, promptMessage } from '../../core/test/chatmd/messages.ts'
import { createPaint } from '../src/io/paint.ts'
import { measureWidth, withoutStyles } from '../src/io/width.ts'
import { describeTranscript, listTranscript } from '../src/view/transcript-text.ts'
import { commandLine, folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'
import { hasScript, onTerminal, words } from './on-terminal.ts'

const start = '<config model="demo" show_tool_call/>\n<tool name="read_dir"/>\n<tool name="read_file"/>\n'

/** A folder with a document that was run twice. */
async function playedFolder(): Promise<string> {
  const cwd = await folderWith({ 'chat.chatmd': start, 'README.md': '# Plants\n' })
  for (const input of ['Look around.', 'Again.'])
    expect(await inProcess(['run', join(cwd, 'chat.chatmd'), '--input', input, '--quiet'], { cwd })).toMatchObject({
      status: 0,
    })
  return cwd
}

async function show(cwd: string, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await inProcess(['show', join(cwd, 'chat.chatmd'), ...args], { cwd })
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

const readLines = (text: string): { number: number | null; message: Message }[] =>
  text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { number: number | null; message: Message })

describe('argot show', () => {
  test('says what people thought of an answer, in one line that drives no terminal', async () => {
    const cwd = await playedFolder()
    const id = readLines(await show(cwd, '--json')).at(-1)!.message.id
    const store = folderStore(cwd, { env: { HOME: cwd } })
    await writeFeedback(store, 'chat.chatmd', { message: id, value: 'bad', reason: 'Too\nshort\u001b[2J' })
    const lines = (await show(cwd)).split('\n').filter(line => line.includes('rated'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('rated bad: Too')
    expect(lines[0]).not.toContain('\u001b[2J')
    expect(readLines(await show(cwd, '--json')).at(-1)!.message.metadata).toMatchObject({ feedback: { value: 'bad' } })
  })

  test('has times, tokens and phases beside the elements, and the sidecar knows them', async () => {
    const cwd = await playedFolder()
    const shown = await show(cwd)
    expect(shown).toMatch(/chat\.chatmd · 4 messages · \d+ steps · \d+ calls · [\d,]+ tokens \([\d,]+ in, [\d,]+ out\)/)
    expect(shown).toMatch(/ 2 {2}assistant · demo · \d{4}-\d\d-\d\d \d\d:\d\d:\d\d · 2 steps/)
    expect(shown).toMatch(/^ {4}commentary\n {4}I'll call `read_dir`/m)
    expect(shown).toMatch(/^ {8}c1 · \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/m)
    expect(shown).toMatch(/^ {4}final$/m)
    const [, answer] = readLines(await show(cwd, '--json'))
    expect(answer).toMatchObject({
      number: 2,
      message: { role: 'assistant', createdAt: expect.any(String), metadata: { model: 'demo' } },
    })
  })

  test('works on a copy without the sidecar: the same words, calls and phases, without times', async () => {
    const cwd = await playedFolder()
    const before = readLines(await show(cwd, '--json'))
    await rm(join(cwd, '.chatmd'), { recursive: true })
    const shown = await show(cwd)
    expect(shown).toMatch(/chat\.chatmd · 4 messages · 4 steps · \d+ calls\n/)
    expect(shown).toMatch(/^ {4}commentary\n {4}I'll call `read_dir`/m)
    expect(shown).not.toMatch(/\d{4}-\d\d-\d\d/)
    const said = (lines: typeof before): unknown =>
      lines.map(({ number, message }) => [
        number,
        message.role,
        message.parts.flatMap(part => (part.type === 'text' ? [[part.text.trim(), part.phase]] : [])),
      ])
    expect(said(readLines(await show(cwd, '--json')))).toEqual(said(before))
  })

  test('reads documents of older versions', async () => {
    const cwd = await versionFolder('document-1')
    const shown = await show(cwd)
    expect(shown).toMatch(/assistant · demo · \d{4}-\d\d-\d\d/)
    expect(shown).toContain('commentary')
  })

  test('hostile text drives no terminal, wherever it is', async () => {
    const bad = '\x1b]0;owned\x07\x1b[2J\u202e'
    const cwd = await folderWith({
      'chat.chatmd': `<user id="${bad}" created="${bad}">\n${bad}\n</user>\n<assistant>\n${bad}\n</assistant>\n<tool_call function_name="a${bad}" tool_call_id="${bad}">\n{"path":"${'\\u001b[2J'}"}\n</tool_call>\n<tool_response tool_call_id="${bad}" state="output-error" approved="no" approved_by="${bad}" approval_reason="${bad}">\n${bad}\n</tool_response>\n`,
    })
    for (const args of [['show'], ['show', '--json'], ['branch', '--list'], ['branch', '--list', '--json']]) {
      const [command, ...flags] = args
      const { stdout, stderr } = await inProcess([command!, join(cwd, 'chat.chatmd'), ...flags], { cwd })
      expect(stdout + stderr, args.join(' ')).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]/)
    }
  })

  test('a forged sidecar is shown, and drives no terminal either', async () => {
    const cwd = await playedFolder()
    const path = join(cwd, '.chatmd/sidecars/chat.chatmd.jsonl')
    const lines = (await readFile(path, 'utf8')).replaceAll('"demo"', JSON.stringify('\x1b[2Jdemo'))
    await writeFile(path, lines)
    const shown = await show(cwd)
    expect(shown).toContain('assistant · demo')
    expect(shown).not.toContain('\x1b')
  })

  test('says what is wrong with a document that it cannot read', async () => {
    const cwd = await folderWith({ 'chat.chatmd': '<user>\nHi' })
    expect(await inProcess(['show', join(cwd, 'chat.chatmd')], { cwd })).toMatchObject({ status: 1, stdout: '' })
    expect((await inProcess(['show', join(cwd, 'none.chatmd')], { cwd })).status).toBe(1)
  })

  test('every row fits, whatever the messages say', () => {
    const messages = fc.array(fc.oneof(assistantMessage, promptMessage), { maxLength: 3 })
    fc.assert(
      fc.property(messages, fc.constantFrom(40, 80), fc.boolean(), (list, columns, colours) => {
        const look = { columns, paint: createPaint(colours) }
        const numbered = list.map((message, index) => ({ number: index + 1, message }))
        const text = describeTranscript('chat.chatmd', numbered, look) + listTranscript(numbered, look)
        for (const row of text.split('\n')) expect(measureWidth(withoutStyles(row))).toBeLessThan(columns)
        expect(withoutStyles(text)).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]/)
      }),
      { numRuns: 150 },
    )
  })

  test.skipIf(!hasScript)('has no colours with NO_COLOR, and fits on 40 columns of a real terminal', async () => {
    const cwd = await playedFolder()
    const size = { rows: 60, columns: 40 }
    const plain = await onTerminal(commandLine(['show', 'chat.chatmd']), [], { cwd, size, env: { NO_COLOR: '1' } })
    expect(plain).not.toContain('\x1b[1m')
    const coloured = await onTerminal(commandLine(['show', 'chat.chatmd']), [], { cwd, size })
    expect(coloured).toContain('\x1b[1m')
    expect(words(coloured)).toBe(words(plain))
    for (const row of words(plain).split('\n')) expect(measureWidth(row)).toBeLessThan(40)
  })
})

describe('argot branch', () => {
  test('--list numbers the messages, and --at takes a number', async () => {
    const cwd = await playedFolder()
    const file = join(cwd, 'chat.chatmd')
    const { stdout } = await inProcess(['branch', file, '--list'], { cwd })
    expect(stdout.split('\n').map(row => row.trim().split(/[ ·]+/).slice(0, 2).join(' '))).toEqual([
      '1 user',
      '2 assistant',
      '3 user',
      '4 assistant',
      '',
    ])
    const ids = (await inProcess(['branch', file, '--list', '--json'], { cwd })).stdout.trim().split('\n')
    const { id } = JSON.parse(ids[2]!) as { id: string }
    const [byNumber, byId] = [
      await inProcess(['branch', file, '--at', '3'], { cwd }),
      await inProcess(['branch', file, '--at', id], { cwd }),
    ]
    const texts = [byNumber, byId].map(({ stdout: path }) => readFile(path.trim(), 'utf8'))
    expect(await texts[0]).toBe(await texts[1])
    expect(await texts[0]).not.toContain('Again.')
  })

  test('an id wins over a number, and imported messages have none', async () => {
    const cwd = await folderWith({
      'chat.chatmd': '<import src="a.chatmd" local/>\n<user id="2">\nOne.\n</user>\n<assistant>\nTwo.\n</assistant>\n',
      'a.chatmd': '<system>\nBe brief.\n</system>\n',
    })
    const file = join(cwd, 'chat.chatmd')
    const { stdout } = await inProcess(['branch', file, '--list'], { cwd })
    expect(stdout).toMatch(/^ – {2}system .*\n 1 {2}user .*\n 2 {2}assistant/)
    const { stdout: path } = await inProcess(['branch', file, '--at', '2'], { cwd })
    expect(await readFile(path.trim(), 'utf8')).not.toContain('One.')
  })

  test('needs --at or --list, and not both', async () => {
    const cwd = await folderWith({ 'chat.chatmd': '<user>\nOne.\n</user>\n' })
    const file = join(cwd, 'chat.chatmd')
    for (const args of [[], ['--list', '--at', '1']]) {
      expect((await inProcess(['branch', file, ...args], { cwd })).status).toBe(2)
    }
    expect(await inProcess(['branch', file, '--at', '2'], { cwd })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('RUN_MESSAGE_NOT_FOUND'),
    })
  })
})
