import { spawn, spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { argot, commandLine, folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'

// Finding 11: what a document, a file name or an argument holds drove the terminal through stderr. Siblings that were tried
// besides: names of options and commands that do not exist, one-byte controls (`\x9b`, `\x90`), marks of the writing
// direction alone (U+200F, U+061C), errors of the file system, JSON on a terminal, and the data itself on stdout.

/** Copies into the clipboard, sets the title, moves the cursor, hides text, turns the order of letters round. */
const attack =
  '\x1b]52;c;cm0gLXJm\x07\x1b]0;title\x07\x1b[2J\x1b[8m\x9b31m\x90q\x9c\u202eevil\u2066x\u200f\u061c\r\x08\x7f'
/** What no command may send to a terminal: any control but the colours of Argot, and any control of the direction. */
const driving =
  /\x1b(?!\[(?:0|1|2|3|22|23|31|32|33|36|39)m)|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]|\p{Bidi_Control}|\r(?!\n)/u

/** `script` of util-linux gives a program a real terminal; other systems have another one, or none. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true

const named = attack.replaceAll('\0', '')
const files = {
  'bad.chatmd': `<user ${attack}="${attack}">\n${attack}\n</user>\n<${attack}>\n<tool name="${attack}"/>\n`,
  'good.chatmd': `<user>\n${attack}\n</user>\n<assistant id="a${attack}">\n${attack}\n</assistant>\n`,
  'spaced.chatmd': `<user   >\n${attack}</user>\n\n\n\n<assistant>\nx\n</assistant>\n`,
  'call.txt': `${attack}\n^^^read_file\n${attack}\npath: ${attack}\n^^^\n^^^${attack}\nx\n`,
  'tools.json': JSON.stringify([{ name: 'read', description: attack, inputSchema: { type: 'object' } }]),
  'bad-tools.json': `{ "tools": "${attack}`,
  'no-name.json': JSON.stringify([{ name: attack, inputSchema: 1 }]),
  'ui.json': JSON.stringify([{ id: attack, role: attack, parts: [{ type: attack }] }]),
  'run.jsonl': `{"t":0,"chunk":{"type":"start","messageId":${JSON.stringify(attack)}}}\n{"t":1,"chunk":{"type":"text-delta","id":"t","delta":${JSON.stringify(attack)}}}\n{"t":2,"chunk":{"type":"error","errorText":${JSON.stringify(attack)}}}\n`,
  [`${named}.chatmd`]: `<user ${attack}>\n`,
}

const commands: [string, string[]][] = [
  ['check', ['check', 'bad.chatmd']],
  ['check of a file with such a name', ['check', `${named}.chatmd`]],
  ['check --json', ['check', '--json', 'bad.chatmd']],
  ['check of a file that is not there', ['check', `${attack}.chatmd`]],
  ['check of a folder', ['check', '.']],
  ['fmt', ['fmt', 'bad.chatmd']],
  ['fmt on stdout', ['fmt', 'spaced.chatmd']],
  ['fmt --check', ['fmt', '--check', 'spaced.chatmd', `${named}.chatmd`]],
  ['fmt --json', ['fmt', '--json', 'spaced.chatmd']],
  ['convert to stdout', ['convert', '--to', 'callout', 'good.chatmd']],
  ['convert with losses', ['convert', '--to', 'chatmd', 'ui.json']],
  ['convert of what is broken', ['convert', '--to', 'jsonl', 'bad.chatmd']],
  ['convert --json', ['convert', '--to', 'ui-messages', '--json', 'good.chatmd']],
  ['convert to a format that does not exist', ['convert', '--to', attack, 'good.chatmd']],
  ['parse', ['parse', '--syntax', 'caret', 'call.txt']],
  ['parse --trace', ['parse', '--syntax', 'caret', '--trace', 'call.txt']],
  ['parse in a syntax that does not exist', ['parse', '--syntax', attack, 'call.txt']],
  ['docs', ['docs', '--syntax', 'xml', '--tools', 'tools.json']],
  ['docs of tools that are no JSON', ['docs', '--syntax', 'xml', '--tools', 'bad-tools.json']],
  ['docs of a tool without a schema', ['docs', '--syntax', 'xml', '--tools', 'no-name.json']],
  ['replay', ['replay', '--speed', 'max', 'good.chatmd']],
  ['replay --all', ['replay', '--speed', 'max', '--all', 'good.chatmd']],
  ['replay -q', ['replay', '--speed', 'max', '-q', 'good.chatmd']],
  ['replay --json', ['replay', '--speed', 'max', '--json', 'good.chatmd']],
  ['replay of a log', ['replay', '--speed', 'max', 'run.jsonl']],
  ['replay of a message that is not there', ['replay', '--message', attack, 'good.chatmd']],
  ['replay of what is broken', ['replay', 'bad.chatmd']],
  ['run of what is broken', ['run', '--model', 'demo', 'bad.chatmd']],
  ['run --dry-run', ['run', '--model', 'demo', '--dry-run', 'good.chatmd', '--input', attack]],
  ['run with a rule that is none', ['run', 'good.chatmd', '--allow', attack]],
  ['an option that does not exist', ['check', `--${attack}`]],
  ['a command that does not exist', [attack]],
]

/** Runs the command on a terminal of its own, and gives everything that the terminal got. */
async function onTerminal(args: readonly string[], cwd: string): Promise<string> {
  const quoted = commandLine(args).map(word => `'${word.replaceAll("'", String.raw`'\''`)}'`)
  const child = spawn('script', ['-qec', `stty -echo -onlcr; exec ${quoted.join(' ')}`, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH ?? '', TERM: 'xterm-256color', HOME: cwd, LANG: 'C.UTF-8', SHELL: '/bin/sh' },
  })
  child.stdin.end()
  let output = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text
  })
  await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  return output
}

/** What the live view sends besides text: the cursor up and to the left, and clearing. */
const moves = /\x1b\[\d*[AJK]|\x1b\[\?25[hl]/g

describe.skipIf(!hasScript)('no file, name or argument drives a real terminal (needs `script` of util-linux)', () => {
  test.each(commands)('argot %s', async (_, args) => {
    const output = await onTerminal(args, await folderWith(files))
    expect(output.length).toBeGreaterThan(0)
    const own = output
      .replace(moves, '')
      .replaceAll('\r\n', '\n')
      .replace(/\r(?=[^\n]|$)/g, args[0] === 'replay' ? '' : '\r')
    expect(driving.exec(own)?.[0]).toBeUndefined()
    expect(output).not.toContain('\x1b]')
  })
})

describe('stderr is safe in a pipe as well, and data on stdout stays as it is', () => {
  test.each(commands)('argot %s', async (_, args) => {
    const folder = await folderWith(files)
    const { stderr, stdout } = await inProcess(args, { cwd: folder, env: { HOME: folder } })
    expect(driving.exec(stderr)?.[0]).toBeUndefined()
    expect(stderr + stdout).not.toBe('')
  })

  test('a document is printed to the byte into a pipe, and JSON means the same', async () => {
    const folder = await folderWith(files)
    const { stdout } = await argot(['fmt', 'spaced.chatmd'], { cwd: folder })
    expect(stdout).toContain(attack)
    const json = await argot(['fmt', '--json', 'spaced.chatmd'], { cwd: folder })
    expect(json.stdout).not.toMatch(driving)
    expect((JSON.parse(json.stdout) as { text: string }).text).toBe(stdout)
  })
})

test('nothing but the safe writer and the views of a terminal writes to stdout and stderr', async () => {
  const source = new URL('../src/', import.meta.url).pathname
  const found: string[] = []
  for (const name of await readdir(source, { recursive: true })) {
    if (!name.endsWith('.ts') || /(?:^|\/)io\.ts$/.test(name)) continue
    const text = await readFile(join(source, name), 'utf8')
    if (/std(?:out|err)\.write\(|console\.|process\.std(?:out|err)\./.test(text)) found.push(name)
  }
  expect(found).toEqual([])
})
