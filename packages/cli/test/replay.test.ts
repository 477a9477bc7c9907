import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { main } from '@argot/cli'
import { accumulate, type Chunk, toolCalls } from '@argot/core'
import { parseLog } from '@argot/core/stream'
import { logHeader } from '@argot/core/stream/internal'
import { describe, expect, test } from 'vitest'
import { argot, folderWith, type Result } from './argot.ts'
import { FakeTerminal } from './terminal.ts'

const recorded = join(import.meta.dirname, '../../../fixtures/conversations/release-notes.jsonl')

/** `argot replay` in this process. */
async function replay(...args: string[]): Promise<Result> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const status = await main(['replay', ...args], { stdin, stdout, stderr, env: {}, cwd: () => process.cwd() })
  return { status, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') }
}

const document = `<user id="u1">
What is new?
</user>

<assistant id="m1">
I look.
</assistant>

<tool_call tool_call_id="c1" function_name="git_log" started="2026-01-01T00:00:00.000Z">
RAW|
{}
|RAW
</tool_call>

<tool_response tool_call_id="c1" ms="640">
RAW|
a41f fix
|RAW
</tool_response>

<assistant id="m2">
One fix.
</assistant>

<user id="u2">
And now?
</user>

<assistant id="m3">
Nothing.
</assistant>
`

/** A run log whose answer is `text`. */
function logOf(messageId: string, text: string): string {
  const chunks: Chunk[] = [
    { type: 'start', messageId },
    { type: 'start-step' },
    { type: 'tool-input-available', toolCallId: 'x', toolName: 'from_the_log', input: {} },
    { type: 'tool-output-available', toolCallId: 'x', output: 1 },
    { type: 'finish-step' },
    { type: 'start-step' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: text },
    { type: 'text-end', id: 't' },
    { type: 'finish-step' },
    { type: 'finish', messageId },
  ]
  return [logHeader, ...chunks.map((chunk, o) => JSON.stringify({ o, t: o * 90_000, chunk }))].join('\n')
}

describe('argot replay', () => {
  test('shows where a user joined a run, and finds the log of each of its messages', async () => {
    const chunks: Chunk[] = [
      { type: 'start', messageId: 'a' },
      { type: 'start-step' },
      { type: 'tool-input-available', toolCallId: 'x', toolName: 'look', input: {} },
      { type: 'tool-output-available', toolCallId: 'x', output: 1 },
      { type: 'finish-step' },
      { type: 'user-message', messageId: 'u', parts: [{ type: 'text', id: '0', text: 'Be short.', state: 'done' }] },
      { type: 'start', messageId: 'b' },
      { type: 'start-step' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'Short.' },
      { type: 'text-end', id: 't' },
      { type: 'finish-step' },
      { type: 'finish', messageId: 'b' },
    ]
    const log = [logHeader, ...chunks.map((chunk, o) => JSON.stringify({ o, t: o, chunk }))].join('\n')
    const folder = await folderWith({ 'run.jsonl': log })
    for (const message of ['a', 'b']) {
      const { status, stdout, stderr } = await replay(join(folder, 'run.jsonl'), '--message', message)
      expect({ status, stdout }).toEqual({ status: 0, stdout: 'Short.\n' })
      expect(stderr.split('\n').slice(0, 2)).toEqual([expect.stringContaining('Looked'), 'user: Be short.'])
    }
    expect((await argot(['convert', join(folder, 'run.jsonl'), '--to', 'chatmd'])).stdout).toMatch(
      /<tool_response[\s\S]*<user[^>]*>\nBe short\.\n<\/user>[\s\S]*<assistant[^>]*>\nShort\.\n<\/assistant>/,
    )
  })

  test('prints the answer of a run log in a pipe, and its calls with the times they took', async () => {
    const { status, stdout, stderr } = await argot(['replay', recorded])
    expect(stdout).toMatch(/^The release notes of 0\.4\.0 are in CHANGELOG\.md: .*\n$/)
    expect(stderr.split('\n').map(line => line.slice(0, 16))).toEqual([
      '✔ git_log v0.3.0',
      '✖ Could not read',
      '✔ Read src/fence',
      '✔ Wrote CHANGELO',
      '',
    ])
    expect(stderr).toContain('✔ git_log v0.3.0 · 3 items · 0.6 s\n')
    expect(status).toBe(0)
  })

  test('gives the chunks of the log with --json, and they fold to the same message', async () => {
    const { stdout } = await replay(recorded, '--json')
    const chunks = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Chunk)
    expect(chunks).toEqual(parseLog(await readFile(recorded, 'utf8')).lines.map(({ chunk }) => chunk))
  })

  test('plays the last message of a document, another one by its id, or all', async () => {
    const file = join(await folderWith({ 'chat.chatmd': document }), 'chat.chatmd')
    expect(await replay(file)).toEqual({ status: 0, stdout: 'Nothing.\n', stderr: '' })
    const all = await replay(file, '--all')
    expect(all.stdout).toBe('One fix.\nNothing.\n')
    expect(all.stderr).toMatch(/^user: What is new\?\n✔ git_log · a41f fix · 0\.6 s\nuser: And now\?\n$/)
    const { stdout } = await replay(file, '--all', '--json')
    const lines = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const fold = accumulate()
    for (const line of lines) if (!('message' in line)) fold.push(line)
    expect(lines.filter(line => 'message' in line).map(({ message }) => message.role)).toEqual(['user', 'user'])
    const messages = fold.messages
    expect(messages.flatMap(toolCalls)).toMatchObject([{ toolName: 'git_log', output: 'a41f fix' }])
    const one = await replay(file, '--message', messages[0]!.id)
    expect(one.stdout).toBe('One fix.\n')
  })

  test.each([
    ['by its id', 'm3', 'Nothing.'],
    ['by its answer', 'another', 'Nothing.'],
  ])('uses the log of the run beside the document, found %s', async (_, id, answer) => {
    const folder = await folderWith({ 'chat.chatmd': document })
    const runs = join(folder, '.chatmd', 'runs', 'chat.chatmd')
    await mkdir(runs, { recursive: true })
    await writeFile(join(runs, 'run-1.jsonl'), logOf(id, answer))
    await writeFile(join(runs, 'run-2.jsonl'), logOf('stranger', 'Something else.'))
    const { stdout, stderr } = await replay(join(folder, 'chat.chatmd'))
    expect([stdout, stderr]).toEqual(['Nothing.\n', '✔ from_the_log · 1 · 1 min 30 s\n'])
  })

  test('reads what argot convert reads', async () => {
    const callout = 'I look.\n\n> [!tool] ls\n> id: c1\n\nDone.\n'
    const messages = JSON.stringify([{ id: 'm1', role: 'assistant', parts: [{ type: 'text', text: 'Hello.' }] }])
    const folder = await folderWith({ 'chat.md': callout, 'chat.json': messages })
    expect((await replay(join(folder, 'chat.json'))).stdout).toBe('Hello.\n')
    expect((await replay(join(folder, 'chat.md'))).status).toBe(0)
  })

  test('shows the live view on a terminal, at the speed that is asked for', async () => {
    const [terminal, stderr] = [new FakeTerminal(100, 40), new PassThrough()]
    const io = { stdin: new PassThrough(), stdout: terminal, stderr, env: {}, cwd: () => process.cwd() }
    expect(await main(['replay', recorded, '--speed', '200'], io)).toBe(0)
    expect(terminal.strange).toEqual([])
    expect(terminal.text).toMatchInlineSnapshot(`
      "· The user wants the release notes. First find what changed since the last tag.

      I will look at what changed since the last release.
      ✔ git_log v0.3.0 · 3 items
        └ ["a41f fix: CRLF on fences","9c02 add: approvals in the terminal","77de fix: lone surrogates"]

      Three commits. I read the two files that they touch, both at once.
      ✔ Read src/fence.ts · 1 line
        └ export const fence = /^\`{3,}/
      ✖ Could not read src/aproval.ts
        └ No file src/aproval.ts. Did you mean src/approval.ts?

      A typo of mine. Now I can write the notes.
      ✔ Wrote CHANGELOG.md · 5 lines
        └ {"written":148}

      The release notes of 0.4.0 are in CHANGELOG.md: approvals in the terminal, CRLF on fences, and
      streams that survive half a surrogate pair."
    `)
    expect(terminal.written.split('\x1b[1A').length).toBeGreaterThan(3)
  })

  test.each([
    [[recorded, '--speed', '0'], 'It must be a number above 0, or max.'],
    [[recorded, '--all', '--message', 'a'], 'Use either --all or --message.'],
    [[recorded, '--message', 'a'], 'has no assistant message "a". It has: msg-sample.'],
  ])('refuses %j with status 2', async (args, sentence) => {
    const { status, stderr } = await replay(...args)
    expect(status).toBe(2)
    expect(stderr).toContain(sentence)
  })

  test('says what is wrong with a transcript that it cannot read', async () => {
    const folder = await folderWith({ 'chat.chatmd': '<user>Hi', 'chat.json': '{' })
    const unclosed = await replay(join(folder, 'chat.chatmd'))
    expect(unclosed.status).toBe(1)
    expect(unclosed.stderr).toContain('CHATMD_UNCLOSED_ELEMENT')
    expect((await replay(join(folder, 'chat.json'))).stderr).toContain('CONVERT_BAD_SOURCE')
  })
})
