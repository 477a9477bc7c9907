import { spawnSync } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { commandList } from '../src/commands/command-list.ts'
import { folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'
import { hasScript, onTerminal, words } from './on-terminal.ts'

const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0
const shells = ['bash', 'zsh', 'fish'].filter(has)
for (const shell of ['zsh', 'fish']) if (!shells.includes(shell)) console.warn(`${shell} is not installed: not tested`)

/** Names that would run something if a script evaluated them. */
const hostile = ['$(touch OWNED).chatmd', '`touch OWNED`.chatmd', 'a b.chatmd', "it's;touch OWNED.chatmd"]
let folder = ''

beforeAll(async () => {
  folder = await folderWith(Object.fromEntries([...hostile, 'x.md'].map(name => [name, ''])))
  await mkdir(join(folder, 'sub'))
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout, status } = await inProcess(['completion', shell], { cwd: folder })
    expect(status).toBe(0)
    await writeFile(join(folder, `.comp.${shell}`), stdout)
  }
})

const bashScript = `source ./.comp.bash
COMP_LINE=$1 COMP_POINT=\${#1}
_argot_complete
printf '%s\\n' "\${COMPREPLY[@]}"`

function completeIn(shell: string, line: string): string[] {
  const args =
    shell === 'bash'
      ? ['--norc', '-c', bashScript, 'bash', line]
      : ['-N', '-c', 'source ./.comp.fish; complete -C $argv[1]', line]
  const { stdout, stderr } = spawnSync(shell, args, { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH } })
  expect(stderr).toBe('')
  return stdout
    .split('\n')
    .filter(row => row !== '')
    .map(row => row.split('\t')[0]!)
}

describe.each(shells.filter(shell => shell !== 'zsh'))('%s completes', shell => {
  test.each([
    ['argot ru', ['run']],
    ['argot run --mod', ['--model']],
    ['argot run --model ant', ['anthropic:claude-sonnet-5']],
    ['argot run -s herm', ['hermes']],
    ['argot ask x --tools read_file,app', ['read_file,append_to_file', 'read_file,apply_patch']],
    ['argot keys re', ['remove']],
    ['argot keys set ant', ['anthropic']],
    ['argot check --quiet a', ['a b.chatmd']],
    ['argot help comp', ['completion']],
    ['argot serve ', ['sub/']],
    ['argot convert x --payloads in', ['inline']],
  ])('%s', (line, expected) => {
    const names = completeIn(shell, line).map(name => (name === 'sub' ? 'sub/' : name))
    expect(names.sort()).toEqual(expected)
  })

  test('documents of any name, and runs nothing in them', async () => {
    const names = completeIn(shell, 'argot run ')
    for (const name of hostile) expect(names).toContain(name)
    completeIn(shell, 'argot run "$(touch OWNED)" `touch OWNED` --model $(touch OWNED)')
    expect(await readdir(folder)).not.toContain('OWNED')
  })
})

test('bash completes what follows a colon', () => {
  expect(completeIn('bash', 'argot run --model openai:')).toEqual(['gpt-5.4-mini'])
})

test.runIf(hasScript && shells.includes('zsh'))('zsh completes commands, options and documents', async () => {
  const setup = "PS1='RE''ADY> '; autoload -U compinit; compinit -u -D; source ./.comp.zsh\r"
  const shown = await onTerminal(
    ['zsh', '-f', '-i'],
    [
      ['START>', setup],
      ['READY>', 'argot compl\t'],
      ['completion', '\x15argot run --mod\t'],
      ['--model', '\x15argot run a\t'],
      ['a\\ b.chatmd', '\x15argot keys set ant\t'],
      ['anthropic', '\x15exit\r'],
    ],
    { cwd: folder, env: { PS1: 'START> ' } },
  )
  expect(words(shown)).toContain('status 0')
  expect(await readdir(folder)).not.toContain('OWNED')
})

test('every command and every option is in each script', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout } = await inProcess(['completion', shell], { cwd: folder })
    for (const { name } of commandList) expect(stdout).toContain(name)
    for (const option of ['salvage-dialect', 'output-schema', 'older-than', 'no-cache'])
      expect(stdout).toContain(option)
  }
  const { stderr, status } = await inProcess(['completion', 'bsh'], { cwd: folder })
  expect([status, stderr]).toEqual([2, expect.stringContaining('Did you mean "bash"?')])
})
