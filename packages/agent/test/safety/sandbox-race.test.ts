/**
 * Names that change while a sandbox is being made. The law: in every sandbox each path shows what the machine shows at the same
 * path, or nothing; what is hidden is covered; everything else is read-only. It is looked at when all is mounted and before
 * the program begins, so it holds whatever was swapped in between. Siblings that were tried besides: files instead of
 * folders, a folder between, three things under one name in turn, and every mount left out.
 */
import { existsSync } from 'node:fs'
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createShellTool, openSandbox } from '@argot/agent/workshop'
import { describe, expect, onTestFinished, test } from 'vitest'
import { share } from '../../../../test/share-of-cases.ts'
import { callTool } from '../tool/tool-context.ts'
import { isTried, makeSandboxPlace, run, type SandboxPlace } from './sandbox-place.ts'

const LOOT =
  'cat "$HOME"/.ssh/* ; find . -name "id_*" -exec cat {} + ; cat x/.vscode/* .envrc x/.v2/* 2>/dev/null; echo looked'

/** Puts these things under one name in turn, for as long as it runs. */
const swapper = `
const { renameSync } = require('node:fs')
const [, name, ...things] = process.argv
const stay = () => { const end = performance.now() + Math.random() * 3; while (performance.now() < end); }
for (;;) for (const one of things) {
  try { renameSync(one, name); stay(); renameSync(name, one) } catch {}
}
`

describe.runIf(isTried)('while a sandbox is being made', () => {
  test.each([
    ['a folder and a link', 'x/.vscode', 'mkdir -p x/d1; ln -s ../../.ssh x/l', 'x/d1 x/l'],
    ['two folders and a link', 'x/.vscode', 'mkdir -p x/d1 x/d2; ln -s ../../.ssh x/l', 'x/d1 x/l x/d2'],
    ['a file and a link', '.envrc', 'echo > f; ln -s ../.ssh/id_ed25519 l', 'f l'],
    ['the folder around it', 'x', 'mkdir -p d1/.vscode; ln -s .. l; mkdir -p l/.vscode', 'd1 l'],
  ])('a program that swaps %s shows no other one the keys', async (_, name, setup, things) => {
    const { sh, project } = await makeSandboxPlace()
    await sh(setup)
    await writeFile(join(project, 'swap.cjs'), swapper)
    const stop = new AbortController()
    const swapping = sh(`node -e "$(cat swap.cjs)" ${name} ${things}`, { signal: stop.signal }).catch(() => {})
    let looks = 0
    // How often, not how long: each start makes a sandbox of its own.
    for (let start = 0; start < (share === 1 ? 20 : 4); start++) {
      const output = await sh(LOOT).catch((error: Error & { code: string }) => {
        expect(error.code).toBe('TOOL_COMMAND_NOT_STARTED')
        return ''
      })
      expect(output).not.toContain('SECRET')
      if (output.includes('looked')) looks++
    }
    stop.abort()
    await swapping
    expect(looks).toBeGreaterThan(0)
  })

  /** A `bwrap` that does something first, outside the folders of the run. */
  async function withBwrap(place: SandboxPlace, script: string): Promise<Record<string, string | undefined>> {
    const { stdout } = await run('sh', ['-c', 'command -v bwrap'])
    const own = join(place.outside, 'bin')
    await mkdir(own)
    const text = `#!/bin/bash\nbwrap=${await realpath(stdout.trim())}\n${script}\nexec "$bwrap" "$@"\n`
    await writeFile(join(own, 'bwrap'), text, { mode: 0o755 })
    return { ...place.env, PATH: `${own}:${process.env.PATH}` }
  }

  test.each([
    ['a link to the keys', 'mv x/.vscode x/.v2; ln -s ../../.ssh x/.vscode'],
    ['a link to a folder in the project', 'mv x/.vscode x/.v2; ln -s ../src x/.vscode'],
    ['another folder, and a link above', 'mv x y; ln -s y x'],
    ['nothing', 'mv x/.vscode x/.v2'],
  ])('a folder that is swapped at the worst moment with %s stops the start', async (_, swap) => {
    const place = await makeSandboxPlace({ files: { 'x/.vscode/a.json': '{}' } })
    const { project, outside } = place
    const env = await withBwrap(place, `if [ -e ${outside}/go ]; then cd ${project}; ${swap}; rm -f ${outside}/go; fi`)
    const sandbox = await openSandbox({ mode: 'require', roots: [project], env })
    const tool = createShellTool({ name: 'sh', command: 'sh -c', cwd: project, env, sandbox })
    await writeFile(join(outside, 'go'), '')
    const script = `${LOOT}; echo planted > x/.vscode/a.json; echo planted > x/.v2/a.json; echo planted > y/.vscode/a.json`
    // The first start is stopped; the next ones find what is there now.
    const output = await callTool(tool, { arguments: [script] }).then(
      one => String(one.output),
      (error: Error) => error.message,
    )
    expect(existsSync(join(outside, 'go'))).toBe(false)
    expect(output).not.toContain('SECRET')
    expect(await readFile(join(place.home, '.ssh/id_ed25519'), 'utf8')).toBe('SECRET-SSH')
  })

  test('a sandbox in which any one of the mounts is missing or open confines nothing, and says so', async () => {
    const place = await makeSandboxPlace({ files: { 'deep/er/.git/config': '' } })
    const { outside, project } = place
    const env = await withBwrap(
      place,
      `mapfile -d '' all <&6
if [ -e ${outside}/list ]; then
  . ${outside}/list
  exec 6< <(printf '%s\\0' "\${all[@]}")
else
  printf '%s\\n' "\${all[@]}" > ${outside}/all
  exec 6< <(printf '%s\\0' "\${all[@]}")
fi`,
    )
    const open = () => openSandbox({ roots: [project], env })
    expect((await open()).kind).toBe('bwrap')
    const all = (await readFile(join(outside, 'all'), 'utf8')).trim().split('\n')
    const spans = all.flatMap((word, at) => {
      const length = { '--ro-bind': 3, '--bind': 3, '--tmpfs': 2, '--proc': 2, '--dev': 2, '--remount-ro': 2 }[word]
      return length === undefined ? [] : [{ at, length, word }]
    })
    expect(spans.length).toBeGreaterThan(10)
    const changes = spans.flatMap(({ at, length, word }) => [
      `all=("\${all[@]:0:${at}}" "\${all[@]:${at + length}}")`,
      // The same, but open.
      ...(word === '--ro-bind' && all[at + 1] !== '/dev/null' ? [`all[${at}]=--bind`] : []),
    ])
    const stride = share === 1 ? 1 : 4
    for (const change of changes.filter((_, index) => index % stride === 0)) {
      await writeFile(join(outside, 'list'), change)
      const sandbox = await open()
      expect([change, sandbox.kind]).toEqual([change, 'none'])
      expect(sandbox.describe(false)).toContain('Not confined')
    }
  })

  test('the program does not begin before its sandbox was looked at', async () => {
    const { sandbox, project, env } = await makeSandboxPlace()
    const command = ['/bin/sh', '-c', 'echo > began'] as const
    const environment = { PATH: env.PATH ?? '' }
    const launch = await sandbox.launch({ command: [...command], cwd: project, env: environment, network: false })
    const { spawn } = await import('node:child_process')
    const [program, ...words] = launch.command
    const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'ignore', 'ignore', 'pipe', 'pipe', 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    // Made by another name: what is looked for is not there.
    const { StartGate } = await import('../../src/tool/sandbox/start-gate.ts')
    const list = [
      '--ro-bind',
      '/',
      '/',
      '--bind',
      project,
      project,
      '--unshare-pid',
      '--die-with-parent',
      '--cap-drop',
      'ALL',
    ]
    const looks: boolean[] = []
    const gate = new StartGate(list, async () => {
      looks.push(existsSync(join(project, 'began')))
      return 'wrong'
    })
    await expect(gate.open(child)).rejects.toThrow('wrong')
    await new Promise(resolve =>
      (child.exitCode ?? child.signalCode) === null ? child.once('exit', resolve) : resolve(0),
    )
    expect(looks).toEqual([false, false, false])
    expect(existsSync(join(project, 'began'))).toBe(false)
  })
})
