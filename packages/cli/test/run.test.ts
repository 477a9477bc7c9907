import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { main } from '@argot/cli'
import type { Chunk, Message } from '@argot/core'
import { describe, expect, test } from 'vitest'
import { type ArgotOptions, argot, folderWith, type Result, scripted } from './argot.ts'
import type { ScriptLine } from './scripted-run.ts'

/** Runs `argot run` on a script in place of a model. */
async function run(lines: readonly ScriptLine[], args: string[] = [], options: ArgotOptions = {}): Promise<Result> {
  const folder = await folderWith({ 'chat.jsonl': lines.map(line => `${JSON.stringify(line)}\n`).join('') })
  return argot(['run', 'chat.jsonl', ...args], { cwd: folder, program: scripted, ...options })
}

function say(id: string, delta: string, phase: 'commentary' | 'final'): Chunk[] {
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta },
    { type: 'text-end', id, providerMetadata: { argot: { phase } } },
  ]
}

const call: Chunk[] = [
  { type: 'tool-input-start', toolCallId: 'c1', toolName: 'write_file' },
  { type: 'tool-input-available', toolCallId: 'c1', toolName: 'write_file', input: { path: 'a.md' } },
]
const question: Chunk = {
  type: 'tool-approval-request',
  toolCallId: 'c1',
  toolName: 'write_file',
  input: { path: 'a.md' },
}
const answer: Chunk[] = [
  { type: 'start', messageId: 'm1' },
  { type: 'start-step' },
  ...say('t1', 'I write.', 'commentary'),
  ...call,
  { type: 'tool-output-available', toolCallId: 'c1', output: 'ok' },
  { type: 'finish-step' },
  { type: 'start-step' },
  ...say('t2', 'It is \x1b[1mwritten\x1b[0m.\n', 'final'),
  { type: 'finish-step' },
  { type: 'finish', finishReason: 'stop' },
]

describe('argot run in a pipe', () => {
  test('prints exactly the answer, and on stderr notices and a line per call', async () => {
    const { status, stdout, stderr } = await run([{ notice: 'The demo model\x07 answers.' }, ...answer])
    expect(stdout).toBe('It is \x1b[1mwritten\x1b[0m.\n\n')
    expect(stderr).toMatch(/^The demo model␇ answers\.\n✔ Wrote a\.md · .*\d+\.\d s\n$/)
    expect(status).toBe(0)
  })

  test('prints the answer only with --quiet', async () => {
    const { stdout, stderr } = await run([{ notice: 'The demo model answers.' }, ...answer], ['--quiet'])
    expect([stdout, stderr]).toEqual(['It is \x1b[1mwritten\x1b[0m.\n\n', ''])
  })

  test('prints every chunk as a line with --json, and the rest as JSON on stderr', async () => {
    const { status, stdout, stderr } = await run([{ notice: 'The demo model answers.' }, ...answer], ['--json'])
    const chunks = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(chunks).toEqual(answer)
    expect(stderr).toBe('{"notice":"The demo model answers."}\n{"result":{"status":"done"}}\n')
    expect(status).toBe(0)
  })

  test('asks nobody: a call that would have to ask fails, and says so', async () => {
    const { stdout, stderr } = await run([...call, question, ...say('t', 'Well.', 'final')])
    expect(stdout).toBe('Well.\n')
    expect(stderr).toMatch(/^✖ Could not write a\.md · \d\.\d s: Nobody can be asked\.\n$/)
  })

  test('fails with one sentence and the code', async () => {
    const result = { status: 'failed', text: 'half', code: 'MODEL_MISSING_KEY', error: 'No key\x1b is set.' } as const
    const plain = await run([{ result }])
    expect(plain).toEqual({ status: 1, stdout: '', stderr: 'argot: No key␛ is set. (MODEL_MISSING_KEY)\n' })
    const json = await run([{ result }], ['--json'])
    expect(JSON.parse(json.stderr)).toEqual({
      result: { status: 'failed', code: 'MODEL_MISSING_KEY', error: 'No key\x1b is set.' },
    })
  })

  test('shows what is wrong with a document as argot check does', async () => {
    const diagnostics = [
      {
        code: 'CHATMD_TEXT_AT_TOP',
        severity: 'error',
        message: 'Text is not allowed here.',
        file: 'chat.jsonl',
        range: {
          start: { line: 1, column: 1, offset: 0 },
          end: { line: 1, column: 3, offset: 2 },
        },
      },
    ] as const
    const result = {
      status: 'failed',
      text: '',
      code: 'RUN_BAD_DOCUMENT',
      error: 'It has errors.',
      diagnostics,
    } as const
    const { status, stderr } = await run([{ result }])
    expect(status).toBe(1)
    expect(stderr).toMatch(
      /^chat\.jsonl:1:1 error CHATMD_TEXT_AT_TOP: Text is not allowed here\.\n {2}\|\n1 \| \{"result/,
    )
    expect(stderr).toContain('argot: It has errors. (RUN_BAD_DOCUMENT)')
  })

  test('says that a run waits for an approval, and is not done', async () => {
    const message: Message = { id: 'm', role: 'assistant', status: 'sent', parts: [] }
    const parked = { status: 'parked', message, text: '' } as const
    const { status, stdout, stderr } = await run([...call, question, { result: parked }])
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain('A call is waiting for your approval. To continue, run: argot run chat.jsonl')
  })

  test('is stopped cleanly by one Ctrl-C', async () => {
    let sent = false
    const { status, stdout, stderr } = await run(
      [
        ...call,
        { notice: 'It hangs.' },
        { hang: true },
        { type: 'tool-output-error', toolCallId: 'c1', errorText: 'Stopped.' },
        { type: 'abort' },
      ],
      [],
      {
        onOutput(child, output) {
          if (!sent && output.includes('It hangs.')) sent = child.kill('SIGINT')
        },
      },
    )
    expect([status, stdout]).toEqual([130, ''])
    expect(stderr).toMatch(
      /Stopping\. .*\n✖ Could not write a\.md .*: Stopped\.\nStopped\. The transcript so far is in chat\.jsonl\./,
    )
  })

  test('stops when nobody reads its chunks any more', async () => {
    const { stdout, status } = await run(
      [...Array.from({ length: 20_000 }, () => say('t', 'x'.repeat(40), 'final')).flat(), { hang: true }],
      ['--json'],
      {
        onOutput: child => child.stdout?.destroy(),
      },
    )
    expect(stdout).not.toBe('')
    expect(status).toBe(141)
  })
})

describe('argot run --dry-run', () => {
  const preview = {
    model: 'demo',
    syntax: 'xml',
    tools: [
      { name: 'read_file', effect: 'read', description: 'Reads a file.\nMore.', inputSchema: { type: 'object' } },
    ],
    messages: [
      { role: 'system', sent: true, pieces: [{ text: 'You can\ncall tools.', origin: 'the tools', added: true }] },
      {
        role: 'user',
        sent: true,
        pieces: [
          { text: 'Hi \x1b[2J', origin: 'chat.chatmd:3' },
          { text: '# A', origin: 'a.md' },
        ],
      },
      { role: 'assistant', sent: false, pieces: [{ text: 'Old.', origin: 'chat.chatmd:9' }] },
    ],
    diagnostics: [],
    notices: ['The demo model answers.'],
  } as unknown as Extract<ScriptLine, { preview: object }>['preview']

  test('prints what the model would see, piece by piece, with where it comes from', async () => {
    const { status, stdout, stderr } = await run([{ preview }], ['--dry-run'])
    expect([status, stderr]).toEqual([0, 'The demo model answers.\n'])
    expect(stdout).toMatchInlineSnapshot(`
      "model   demo
      syntax  xml
      tools   read_file (read): Reads a file.
                {"type":"object"}

      system
        + from the tools
        + You can
        + call tools.

      user
        | from chat.chatmd:3
        | Hi ␛[2J
        | from a.md
        | # A

      assistant (not sent)
        - from chat.chatmd:9
        - Old.

      + added by Argot   - not sent
      "
    `)
  })

  test('prints it as JSON with --json', async () => {
    const { stdout } = await run([{ preview }], ['--dry-run', '--json'])
    expect(JSON.parse(stdout)).toEqual(preview)
  })
})

describe('argot run', () => {
  test.each([
    [['--max-steps', '0'], 'It must be a whole number, 1 or more.'],
    [['--max-tokens', '1.5'], 'It must be a whole number, 1 or more.'],
    [['--approve', 'sometimes'], 'There is no mode `sometimes`.'],
    [['--approve', 'write_file=maybe'], 'There is no mode `maybe`.'],
    [['--approve', 'ls=all,ls=ask'], 'It names `ls` twice.'],
    [['--model', ''], 'It must not be empty.'],
    [['--input', ' '], 'The --input message is empty.'],
    [['--syntax', 'yaml'], 'yaml'],
    [['--frobnicate'], "Unknown option '--frobnicate'"],
  ])('refuses %j with status 2', async (args, sentence) => {
    const folder = await folderWith({ 'chat.chatmd': '<user>Hi</user>' })
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
    const io = { stdin, stdout, stderr, env: {}, cwd: () => folder }
    expect(await main(['run', join(folder, 'chat.chatmd'), ...args], io)).toBe(2)
    expect(stdout.read()).toBeNull()
    expect(String(stderr.read())).toContain(sentence)
  })

  test('says that a file is not there', async () => {
    const { status, stderr } = await argot(['run', 'nothing.chatmd'])
    expect([status, stderr]).toEqual([1, 'argot: There is no such file: nothing.chatmd\n'])
  })
})
