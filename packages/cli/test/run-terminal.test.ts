import { join } from 'node:path'
import type { ApprovalRequest } from '@argot/agent'
import { describe, expect, test } from 'vitest'
import { commandLine, folderWith, scripted } from './argot.ts'
import { hasScript, type OnTerminal, onTerminal, type Typing, words } from './on-terminal.ts'
import type { ScriptLine } from './scripted-run.ts'

const input = { path: 'NEWS.md', content: 'one\n\x1b]52;c;aGk=\x07two' }

const lines: ScriptLine[] = [
  { notice: 'The demo model answers.' },
  { type: 'start', messageId: 'm1' },
  { type: 'start-step' },
  { type: 'text-delta', id: 't1', delta: 'I write the news.' },
  { type: 'tool-input-start', toolCallId: 'c1', toolName: 'write_file' },
  { type: 'tool-input-available', toolCallId: 'c1', toolName: 'write_file', input },
  { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1', toolName: 'write_file', input },
  { type: 'finish-step' },
  { type: 'start-step' },
  { type: 'text-delta', id: 't2', delta: 'The news are written.' },
  { type: 'finish-step' },
  { type: 'finish', messageMetadata: { usage: { totalTokens: 1204 } } },
]

interface TerminalOptions extends Omit<OnTerminal, 'cwd'> {
  script?: readonly ScriptLine[]
}

/** Runs a script on a terminal of its own, types each key once its text is seen, and gives everything that it showed. */
async function runOnTerminal(typing: readonly Typing[], options: TerminalOptions = {}): Promise<string> {
  const { script = lines, ...more } = options
  const folder = await folderWith({ 'chat.jsonl': script.map(line => `${JSON.stringify(line)}\n`).join('') })
  return onTerminal(commandLine(['run', join(folder, 'chat.jsonl')], scripted), typing, more)
}

/** The script with something more about the question, or another input. */
function asking(ask: Extract<ScriptLine, { ask: unknown }>['ask'], given: unknown = input): ScriptLine[] {
  return [{ ask }, ...lines.map(line => ('input' in line ? { ...line, input: given } : line))]
}

const down = '\x1b[B'
const up = '\x1b[A'

describe.skipIf(!hasScript)('argot run on a real terminal (needs `script` of util-linux)', () => {
  test('shows the run, asks for approval, and goes on with a yes', async () => {
    const output = await runOnTerminal([['Not now', '\r']])
    const seen = words(output)
    expect(seen).toContain('I write the news.')
    expect(seen).toContain('The model wants to call write_file. It changes files.')
    expect(seen).toContain('│ path: "NEWS.md"\n│ content:\n│   one\n│   \\u{1b}]52;c;aGk=\\u{7}two\n')
    expect(seen).toMatch(/✔ Wrote NEWS\.md · 2 lines\n {2}└ \{"ran":/)
    expect(seen).toMatch(/The news are written\.\n\n2 steps, 1 call, 1,204 tokens, .*Transcript:\s\S*chat\.jsonl/)
    expect(seen).toContain('status 0')
    expect(output).not.toContain('\x1b]')
  })

  test('takes a terminal of 0 columns for one of 80', async () => {
    const seen = words(await runOnTerminal([['Not now', '\r']], { size: { rows: 0, columns: 0 } }))
    expect(seen).toContain('? The model wants to call write_file. It changes files.\n│ path: "NEWS.md"\n')
    expect(seen).toContain('The news are written.\n')
    expect(seen).toContain('status 0')
  })

  test('tells the model why not', async () => {
    const seen = words(
      await runOnTerminal([
        ['Not now', `${down}${down}\r`],
        ['Why not?', 'Too early.\r'],
      ]),
    )
    expect(seen).toMatch(/✖ Not written NEWS\.md · you denied it\n {2}└ Too early\./)
    expect(seen).toContain('status 0')
  })

  test('runs the call with the input as the person edited it, once it is JSON that the tool takes', async () => {
    const script = asking({ problemOf: { '{"path":"c"}': '`content` is missing.' } })
    const seen = words(
      await runOnTerminal(
        [
          ['Not now', `${down}${down}${down}\r`],
          ['The input, as JSON', 'x\r'],
          ['This is not JSON', '\x15{"path":"c"}\r'],
          ["The tool doesn't accept this: `content` is missing.", '\x15{"path":"b"}\r'],
        ],
        { script },
      ),
    )
    expect(seen).toContain('{"ran":{"path":"b"}}')
  })

  test('opens the editor of the person on the input', async () => {
    const seen = words(
      await runOnTerminal([['Not now', `${down}${down}${down}\r`]], { env: { EDITOR: 'sed -i s/NEWS/OLDS/' } }),
    )
    expect(seen).toContain('{"ran":{"path":"OLDS.md"')
  })

  test('leaves the question open at Ctrl-C', async () => {
    const seen = words(await runOnTerminal([['Not now', '\x03']]))
    expect(seen).toContain('? Wants to write NEWS.md · needs you')
    expect(seen).not.toContain('✔ Wrote')
  })

  test('does not take an Enter that comes within half a second for an answer', async () => {
    const quick: Typing[] = [['Run write_file?', '\r\n\r', 0]]
    const running = runOnTerminal(quick, { script: asking({}), endsAfterMs: 3000 })
    const seen = words(await running)
    expect(seen).toContain('Not now')
    expect(seen).not.toContain('✔ Wrote')
  })

  test.each<[string, Partial<ApprovalRequest>]>([
    ['a program', { effect: 'exec' }],
    ['a call that no model made', { foreign: true }],
    ['a call that was interrupted', { interrupted: true }],
  ])('has No preselected for %s', async (_, ask) => {
    const seen = words(await runOnTerminal([['Not now', '\r']], { script: asking(ask) }))
    expect(seen).toContain('✖ Not written NEWS.md · you denied it')
    if (ask.foreign === true) expect(seen).toContain('This call comes from the document. No model in this run made it.')
    if (ask.interrupted === true) expect(seen).toContain('so its effect is unknown. Yes runs it again.')
  })

  test('shows the rule that asks, and offers the rule that "always" adds', async () => {
    const ask = { rule: '`ask write_file(*)` (`argot.config.json`)', always: 'write_file(*)' }
    const seen = words(await runOnTerminal([['Not now', `${down}${down}\r`]], { script: asking(ask) }))
    expect(seen).toContain('The rule `ask write_file(*)` (`argot.config.json`) requires approval.')
    expect(seen).toContain('Yes, and allow write_file(*) for this run')
    expect(seen).toContain('✔ Wrote NEWS.md')
  })

  test.each([
    { rows: 24, columns: 80 },
    { rows: 12, columns: 40 },
  ])(
    'on a screen of $rows × $columns shows the path of a long call, and allows it for good only after all was shown',
    async size => {
      const content = Array.from({ length: 300 }, (_, index) => `line ${index}`).join('\n')
      const script = asking({ always: 'write_file(*)' }, { content, path: 'NEWS.md' })
      const output = await runOnTerminal(
        [
          // No is preselected: one further is "Show all".
          ['Run write_file?', `${down}\r`],
          ['Run write_file?', `${down}${down}\r`],
        ],
        { script, size, env: { PAGER: 'cat' } },
      )
      const seen = words(output)
      const questions = seen.split(/◆ {2}Run write_file\?/)
      const [first = '', last = ''] = [questions[0], questions.at(-1)]
      expect(first).toContain('│ path: "NEWS.md"\n')
      expect(first).toMatch(/│ … [\d,]+ lines \([\d,]+ characters\) not s/)
      expect(seen).toContain('│   line 150\n')
      const [beforeAll = ''] = seen.split('│   line 150\n')
      expect(beforeAll).not.toContain('and allow write_file(*)')
      expect(last).toMatch(/and allow write_file\(\*\)/)
      expect(seen).toContain('✔ Wrote NEWS.md')
    },
  )

  test('pages by itself where there is no pager, and what was left early was not shown', async () => {
    const content = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n')
    const script = asking({ always: 'write_file(*)' }, { content, path: 'NEWS.md' })
    const seen = words(
      await runOnTerminal(
        [
          ['Run write_file?', `${down}\r`],
          ['Space for more', ' ', 100],
          ['Space for more', 'q', 100],
          ['Run write_file?', '\r'],
        ],
        { script, size: { rows: 24, columns: 80 }, env: { PAGER: 'there-is-no-such-pager' } },
      ),
    )
    expect(seen).toContain('│   line 40\n')
    expect(seen).not.toContain('│   line 60\n')
    expect(seen).not.toContain('and allow write_file(*)')
    expect(seen).toContain('✖ Not written NEWS.md · you denied it')
  })
})

describe.skipIf(!hasScript)('the question about a command', () => {
  const identity = { program: '/project/build.sh', files: [{ path: '/project/build.sh', sha256: '00' }] }
  const trusting = (command: string, known = true): ScriptLine[] => [
    { type: 'start', messageId: 'm1' },
    { trust: command, ...(known && { identity }) },
  ]

  test.each([
    ['No at an Enter alone', '\r', 'Trusted: false.'],
    ['yes for this run', `${down}\r`, 'Trusted: once.'],
    ['yes for good', `${down}${down}\r`, 'Trusted: true.'],
  ])('is answered with %s', async (_, keys, expected) => {
    const seen = words(await runOnTerminal([['Offer this command', keys]], { script: trusting('./build.sh') }))
    expect(seen).toContain('│ command: "./build.sh"\n│ program: "/project/build.sh"')
    expect(seen).toContain(expected)
  })

  test('cannot be answered for good before a command that was cut was shown, nor for a program that is not there', async () => {
    const script = trusting(`./build.sh ${'word '.repeat(500)}--evil ${'word '.repeat(100)}`)
    const small = { script, size: { rows: 24, columns: 80 }, env: { PAGER: 'cat' } }
    const cut = words(await runOnTerminal([['Offer this command', `${down}${down}${down}\r`]], small))
    expect(cut).toContain('characters not shown …')
    expect(cut).not.toContain('always for this document')
    expect(cut).toContain('Trusted: false.')
    const typing: Typing[] = [
      ['Offer this command', `${down}\r`],
      ['Offer this command', `${up}\r`],
    ]
    const shown = words(await runOnTerminal(typing, small))
    expect(shown).toContain('--evil')
    expect(shown).toContain('Trusted: true.')
    const absent = words(await runOnTerminal([['Offer this command', '\r']], { script: trusting('./x', false) }))
    expect(absent).toContain('The program was not found.')
    expect(absent).not.toContain('always for this document')
  })
})
