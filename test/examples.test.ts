import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkChatMd } from '@argot/core/chatmd'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bundlePrograms } from './bundle-programs.ts'
import { codeBlocks } from './guards/code-blocks.ts'
import { trackedFiles } from './guards/tracked-files.ts'
import { root } from './guards/workspace.ts'

const run = promisify(execFile)

const examples = readdirSync(join(root, 'examples')).filter(name => /^\d\d-.*\.(?:tsx?|chatmd)$/.test(name))
const programs = examples.filter(name => !name.endsWith('.chatmd'))
/** Documents that are run; one without an expected output is there to be read. */
const documents = examples.filter(name => name.endsWith('.chatmd') && existsSync(outputOf(name)))

/** What a person would say yes to. */
const flags: ReadonlyMap<string, readonly string[]> = new Map([
  ['12-shell-tool.chatmd', ['--allow-exec', '--approve', 'all']],
])

/** Nothing of the developer's machine: no keys, no colours, no proxies. */
const environment = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', CI: '1' }

function outputOf(name: string): string {
  return join(root, 'examples', name.replace(/\.(?:tsx?|chatmd)$/, '.out.txt'))
}

function expectOutput(name: string, stdout: string): void {
  const expected = outputOf(name)
  if (process.env.UPDATE) writeFileSync(expected, stdout)
  expect(stdout).toBe(readFileSync(expected, 'utf8'))
}

/** Programs import the packages as source, or as they are built. */
const conditions = process.env.ARGOT_TESTS === 'dist' ? [] : ['--conditions=@argot/source']

/** Its module imports the package by name, which is found as source only so. */
const fromSource: ReadonlySet<string> = new Set(['26-tools-in-a-module.ts'])

const [command, ...paths] = bundlePrograms([
  join(root, 'packages/cli/src/bin.ts'),
  ...programs.map(name => join(root, 'examples', name)),
])
const bundled = new Map(programs.map((name, index) => [name, paths[index]!]))

describe.each(programs)('examples/%s', name => {
  test('runs, and prints what its .out.txt says', async () => {
    const args = fromSource.has(name) ? ['--import', 'tsx', ...conditions, name] : [bundled.get(name)!]
    const { stdout } = await run(process.execPath, args, {
      cwd: join(root, 'examples'),
      env: environment,
      timeout: 60_000,
    })
    expect(stdout.trim()).not.toBe('')
    if (existsSync(outputOf(name))) expectOutput(name, stdout)
  })
})

describe.each(documents)('examples/%s', name => {
  test('is run by the command, and its answer is what its .out.txt says', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'argot-example-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true, filter: isOfExample })
    const file = join('examples', name)
    const args = [command!, 'run', file, ...(flags.get(name) ?? [])]
    const env = { ...environment, HOME: folder }
    const { stdout } = await run(process.execPath, args, { cwd: folder, env, timeout: 60_000 })
    expectOutput(name, stdout)
    const before = readFileSync(join(root, file), 'utf8')
    const after = readFileSync(join(folder, file), 'utf8')
    expect(after.slice(0, before.length)).toBe(before)
    expect(after.slice(before.length)).toContain('<tool_response')
    expect(checkChatMd(after)).toEqual([])
  })
})

/** Runs that somebody made by hand leave `.chatmd` behind. */
function isOfExample(path: string): boolean {
  return !path.includes('.chatmd/') && !path.endsWith('/.chatmd')
}

test('there are examples, and their numbers are unique', () => {
  expect(examples).not.toEqual([])
  const numbers = examples.map(name => name.slice(0, 2))
  expect(numbers).toEqual([...new Set(numbers)])
})

test('examples/README.md lists every example', () => {
  const list = readFileSync(join(root, 'examples/README.md'), 'utf8')
  expect(examples.filter(name => !list.includes(`](${name})`))).toEqual([])
})

test('every expected output belongs to an example', () => {
  const outputs = trackedFiles().filter(path => /^examples\/[^/]*\.out\.txt$/.test(path))
  const orphans = outputs.filter(path => !examples.some(name => outputOf(name) === join(root, path)))
  expect(orphans).toEqual([])
})

const pages = trackedFiles().filter(path => path.endsWith('.md') && !path.startsWith('fixtures/'))

const marked = pages.flatMap(page =>
  codeBlocks(readFileSync(join(root, page), 'utf8')).flatMap(({ line, example, code }) =>
    example === undefined ? [] : [{ place: `${page}:${line}`, example, code }],
  ),
)

test.each(marked)('the code at $place is exactly $example', ({ example, code }) => {
  expect(code).toBe(readFileSync(join(root, example), 'utf8'))
})

test('every TypeScript block of README.md is marked as an example, so that all of them run', () => {
  const blocks = codeBlocks(readFileSync(join(root, 'README.md'), 'utf8'))
  const unmarked = blocks.filter(
    ({ language, example }) => /^(?:[jt]sx?|typescript|javascript)$/.test(language) && !example,
  )
  expect(unmarked.map(({ line }) => `README.md:${line}`)).toEqual([])
})

test('every example that a page shows is one of the numbered ones, a file that one imports, or one that a test of the browser runs', () => {
  const imported = programs.flatMap(name =>
    [...readFileSync(join(root, 'examples', name), 'utf8').matchAll(/from '\.\/([\w/-]+\.ts)'/g)].map(
      ([, path]) => path!,
    ),
  )
  const strays = marked.filter(
    ({ example }) =>
      /\.tsx?$/.test(example) &&
      !example.startsWith('packages/react/test/peers/') &&
      ![...examples, ...imported].includes(example.replace('examples/', '')),
  )
  expect(strays.map(({ place, example }) => `${place} shows ${example}`)).toEqual([])
})
