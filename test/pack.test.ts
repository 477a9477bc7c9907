import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const packages = ['core', 'agent', 'cli']
const place = mkdtempSync(join(tmpdir(), 'argot-pack-'))
const env = { PATH: process.env.PATH ?? '', HOME: place }

/** Runs a program to its end, and ends it when that takes longer than minutes: a test that waits for ever holds all others. */
function run(command: string, args: readonly string[], cwd: string, more: Record<string, string> = {}): string {
  const limits = { timeout: 300_000, killSignal: 'SIGKILL' } as const
  return execFileSync(command, [...args], {
    cwd,
    env: { ...process.env, ...more },
    encoding: 'utf8',
    stdio: 'pipe',
    ...limits,
  })
}

/** The installed command, in a folder of the user. */
function argot(args: readonly string[], cwd = place): string {
  return execFileSync(join(place, 'node_modules/.bin/argot'), [...args], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: 'pipe',
    timeout: 60_000,
  })
}

function node(program: string): string {
  writeFileSync(join(place, 'program.mjs'), program)
  return execFileSync(process.execPath, ['program.mjs'], { cwd: place, env, encoding: 'utf8', timeout: 60_000 })
}

// One build and one install for all: what is packed is what people get.
beforeAll(() => {
  run('npm', ['run', '-s', 'build'], root)
  const tarballs = packages.map(name => {
    const list = run('npm', ['pack', '--json', '--pack-destination', place], join(root, 'packages', name))
    return join(place, (JSON.parse(list) as { filename: string }[])[0]!.filename)
  })
  writeFileSync(join(place, 'package.json'), '{ "name": "mine", "private": true, "type": "module" }')
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs], place)
}, 600_000)

afterAll(() => rmSync(place, { recursive: true, force: true }))

test('the command says its version, which is that of its package, and its help', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as { version: string }
  expect(argot(['--version'])).toBe(`${version}\n`)
  expect(argot(['--help'])).toContain('Usage: argot')
})

test('the command runs a document with the demo model, in any folder', () => {
  const folder = join(place, 'work')
  argot(['init', folder])
  expect(argot(['run', 'chat.chatmd'], folder)).toContain('This is what the tools said')
  expect(readFileSync(join(folder, 'chat.chatmd'), 'utf8')).toContain('<assistant')
  expect(argot(['ask', 'Hello', '--tools', 'read_dir'], folder)).toContain('`read_dir` gave back')
  expect(argot(['convert', 'chat.chatmd', '--to', 'jsonl'], folder)).toContain('tool-input-available')
})

test.each(packages)('the example of the README of %s runs with plain Node', name => {
  const readme = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8')
  const program = /```js\n([\s\S]*?)```/.exec(readme)?.[1]
  if (name === 'cli') return expect(program).toBeUndefined()
  expect(node(program!).trim()).not.toBe('')
})

test('every package brings its licence, its README and its types, and depends on real versions', () => {
  for (const name of ['argot', '@argot/agent', '@argot/cli']) {
    const folder = join(place, 'node_modules', name)
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>
    expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toContain('MIT')
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain(`# ${name}`)
    expect(readFileSync(join(folder, 'dist/index.d.ts'), 'utf8')).toContain('export')
    expect(Object.values((manifest.dependencies ?? {}) as Record<string, string>)).not.toContain('*')
    expect(manifest).toMatchObject({ license: 'MIT', keywords: expect.any(Array), description: expect.any(String) })
  }
})
