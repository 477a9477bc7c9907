import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandLine, folderWith, scripted } from './argot.ts'
import type { ScriptLine } from './scripted-run.ts'

/** `script` of util-linux gives a program a real terminal; other systems have another one, or none. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true

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

/** Runs a script on a terminal of its own, types each key once its text is seen, and gives everything that it showed. */
async function runOnTerminal(
  typing: readonly (readonly [seen: string, key: string])[],
  env: Record<string, string> = {},
): Promise<string> {
  const folder = await folderWith({ 'chat.jsonl': lines.map(line => `${JSON.stringify(line)}\n`).join('') })
  const command = commandLine(['run', join(folder, 'chat.jsonl')], scripted)
  const quoted = [...command.map(word => `'${word}'`), '; echo "status $?"'].join(' ')
  const child = spawn('script', ['-qec', `stty rows 30 cols 100; ${quoted}`, '/dev/null'], {
    env: { PATH: process.env.PATH ?? '', TERM: 'xterm-256color', ...env },
  })
  const left = [...typing]
  let output = ''
  let from = 0
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text
    const next = left[0]
    if (next === undefined || !output.slice(from).includes(next[0])) return
    left.shift()
    from = output.length
    child.stdin.write(next[1])
  })
  await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  return output
}

/** Without escapes, as far as words matter. */
function words(output: string): string {
  return output.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '').replaceAll('\r', '')
}

describe.skipIf(!hasScript)('argot run on a real terminal (needs `script` of util-linux)', () => {
  test('shows the run, asks for approval, and goes on with a yes', async () => {
    const output = await runOnTerminal([['Not now', '\r']])
    const seen = words(output)
    expect(seen).toContain('I write the news.')
    expect(seen).toContain('The model wants to call write_file. It changes files.')
    expect(seen).toContain('│ content:\n│   one\n│   \\u{1b}]52;c;aGk=\\u{7}two\n')
    expect(seen).toMatch(/✔ Wrote NEWS\.md\n {2}└ \{"ran":/)
    expect(seen).toMatch(/The news are written\.\n\n2 steps, 1 call, 1,204 tokens, .*Transcript: .*chat\.jsonl/)
    expect(seen).toContain('status 0')
    expect(output).not.toContain('\x1b]')
  })

  test('tells the model why not', async () => {
    const seen = words(
      await runOnTerminal([
        ['Not now', '\x1b[B\x1b[B\x1b[B\r'],
        ['Why not?', 'Too early.\r'],
      ]),
    )
    expect(seen).toMatch(/✖ Not written NEWS\.md · you denied it\n {2}└ Too early\./)
    expect(seen).toContain('status 0')
  })

  test('runs the call with the input as the person edited it', async () => {
    const seen = words(
      await runOnTerminal([
        ['Not now', '\x1b[B\x1b[B\x1b[B\x1b[B\r'],
        ['The input, as JSON', 'x\r'],
        ['This is not JSON', '\x15{"path":"b"}\r'],
      ]),
    )
    expect(seen).toContain('{"ran":{"path":"b"}}')
  })

  test('opens the editor of the person on the input', async () => {
    const seen = words(
      await runOnTerminal([['Not now', '\x1b[B\x1b[B\x1b[B\x1b[B\r']], { EDITOR: 'sed -i s/NEWS/OLDS/' }),
    )
    expect(seen).toContain('{"ran":{"path":"OLDS.md"')
  })

  test('leaves the question open at Ctrl-C', async () => {
    const seen = words(await runOnTerminal([['Not now', '\x03']]))
    expect(seen).toContain('? Wants to write NEWS.md · needs you')
    expect(seen).not.toContain('✔ Wrote')
  })
})
