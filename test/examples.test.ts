import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { codeBlocks } from './guards/code-blocks.ts'
import { trackedFiles } from './guards/tracked-files.ts'
import { root } from './guards/workspace.ts'

const run = promisify(execFile)

const examples = readdirSync(join(root, 'examples')).filter(name => /^\d\d-.*\.tsx?$/.test(name))

/** Nothing of the developer's machine: no keys, no colours, no proxies. */
const environment = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', CI: '1' }

describe.each(examples)('examples/%s', name => {
  test('runs, and prints what its .out.txt says', async () => {
    const args = ['--import', 'tsx', '--conditions=@argot/source', `examples/${name}`]
    const { stdout } = await run(process.execPath, args, { cwd: root, env: environment, timeout: 60_000 })
    expect(stdout.trim()).not.toBe('')
    const expected = join(root, 'examples', name.replace(/\.tsx?$/, '.out.txt'))
    if (!existsSync(expected)) return
    if (process.env.UPDATE) writeFileSync(expected, stdout)
    expect(stdout).toBe(readFileSync(expected, 'utf8'))
  })
})

test('there are examples, and their numbers are unique', () => {
  expect(examples).not.toEqual([])
  const numbers = examples.map(name => name.slice(0, 2))
  expect(numbers).toEqual([...new Set(numbers)])
})

test('every expected output belongs to an example', () => {
  const outputs = trackedFiles().filter(path => /^examples\/[^/]*\.out\.txt$/.test(path))
  const orphans = outputs.filter(
    path => !examples.some(name => path === `examples/${name.replace(/\.tsx?$/, '.out.txt')}`),
  )
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

test('every example that a page shows is one of the numbered programs', () => {
  const strays = marked.filter(
    ({ example }) => example.endsWith('.ts') && !examples.includes(example.replace('examples/', '')),
  )
  expect(strays.map(({ place, example }) => `${place} shows ${example}`)).toEqual([])
})
