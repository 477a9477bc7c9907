import { chmod, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createWorkspace } from '@argot/agent'
import { expect, test } from 'vitest'
import { createGrep } from '../../../src/tool/builtin/grep.ts'
import { folder } from '../../files/folder.ts'
import { builtin, call, failureOf, problemOf, textOf } from '../call.ts'

async function project(): Promise<string> {
  return folder({
    'b.ts': 'const a = 1\nconst b = 2\r\n// TODO: ä\n',
    'a.md': '# Title\n\ntodo later\n',
    'src/c.ts': 'TODO in c',
    '.git/config': 'TODO',
    'node_modules/p/i.js': 'TODO',
    'image.png': Buffer.from('\x89PNG\r\n\x1a\n\0TODO', 'latin1'),
    'latin.txt': Buffer.from('TODO \xe4', 'latin1'),
  })
}

test.each([
  ['a word', { pattern: 'TODO' }, ['b.ts:3:// TODO: ä', 'src/c.ts:1:TODO in c']],
  [
    'any case',
    { pattern: 'todo', ignore_case: true },
    ['a.md:3:todo later', 'b.ts:3:// TODO: ä', 'src/c.ts:1:TODO in c'],
  ],
  ['the end of a line', { pattern: '[12]$' }, ['b.ts:1:const a = 1', 'b.ts:2:const b = 2']],
  ['an empty line', { pattern: '^$' }, ['a.md:2:']],
  ['names by ending', { pattern: 'o', glob: '*.md' }, ['a.md:3:todo later']],
  ['paths by pattern', { pattern: 'TODO', glob: 'src/**' }, ['src/c.ts:1:TODO in c']],
  ['a folder', { pattern: 'TODO', path: 'src' }, ['src/c.ts:1:TODO in c']],
  ['a file', { pattern: 'TODO', path: 'b.ts' }, ['b.ts:3:// TODO: ä']],
  ['a hidden folder by name', { pattern: 'TODO', path: '.git' }, ['.git/config:1:TODO']],
  ['node_modules by name', { pattern: 'TODO', path: 'node_modules' }, ['node_modules/p/i.js:1:TODO']],
  [
    'letters of all languages',
    { pattern: '\\p{Ll}$' },
    ['a.md:1:# Title', 'a.md:3:todo later', 'b.ts:3:// TODO: ä', 'src/c.ts:1:TODO in c'],
  ],
  ['escapes that are not needed', { pattern: 'TODO\\: \\ä' }, ['b.ts:3:// TODO: ä']],
  ['nothing', { pattern: 'nowhere' }, ['[No line matches in 3 files.]']],
])('grep finds %s', async (_, input, expected) => {
  expect((await textOf(builtin('grep', await project()), input)).split('\n')).toEqual(expected)
})

test('shows lines around a match once, with gaps marked', async () => {
  const text = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join('\n')
  const tool = builtin('grep', await folder({ a: text, b: 'x\nline 2' }))
  const found = await textOf(tool, { pattern: ' (2|3|8)$', context: 1 })
  expect(found.split('\n')).toEqual([
    'a-1-line 1',
    'a:2:line 2',
    'a:3:line 3',
    'a-4-line 4',
    '--',
    'a-7-line 7',
    'a:8:line 8',
    'a-9-line 9',
    '--',
    'b-1-x',
    'b:2:line 2',
  ])
})

test('long lines are cut around the match, between characters', async () => {
  const tool = builtin(
    'grep',
    await folder({ a: `${'😀'.repeat(5000)}needle${'ä'.repeat(5000)}`, b: `needle${'x'.repeat(600)}` }),
  )
  const [a, b] = (await textOf(tool, { pattern: 'needle' })).split('\n') as [string, string]
  expect(a).toMatch(/^a:1:…😀+needleä+…$/u)
  expect(a.length).toBeLessThan(520)
  expect(b).toBe(`b:1:needle${'x'.repeat(494)}…`)
})

test('returns at most as many matches as are asked for, 500 by default', async () => {
  const tool = builtin('grep', await folder({ a: 'x\n'.repeat(400), b: 'x\n'.repeat(400) }))
  const lines = (await textOf(tool, { pattern: 'x' })).split('\n')
  expect(lines).toHaveLength(501)
  expect(lines.at(-1)).toBe('[Only the first 500 matches; narrow the pattern, the path or the glob.]')
  expect(await textOf(tool, { pattern: 'x', limit: 1 })).toMatch(/^a:1:x\n\[Only the first 1 /)
  expect((await textOf(tool, { pattern: 'x', path: 'a' })).split('\n')).toHaveLength(400)
})

test('the output has a limit of its own', async () => {
  const line = `x${'y'.repeat(499)}\n`
  const tool = builtin('grep', await folder({ a: line.repeat(10_000) }))
  const text = await textOf(tool, { pattern: '^x', context: 20, limit: 500 })
  expect(text.length).toBeLessThan(400 * 1024)
})

test.each([
  ['(a+)+$', 'a'.repeat(40)],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(60)],
  ['(.*)*=(.*)*x', 'a='.repeat(60)],
])('ends a search for %s that would never end, and names the file', async (pattern, text) => {
  const root = await folder({ 'a.md': 'harmless', 'evil.md': `${text}!` })
  const tool = createGrep(createWorkspace({ roots: [root] }), { matchMs: 1000 })
  const { code, message } = await failureOf(call(tool, { pattern }))
  expect(code).toBe('TOOL_SEARCH_TOO_LONG')
  expect(message).toContain('`evil.md`')
  expect(await textOf(tool, { pattern: 'harmless' })).toBe('a.md:1:harmless')
})

test('a search that would never end is ended by an abort, and the program goes on meanwhile', async () => {
  const tool = createGrep(createWorkspace({ roots: [await folder({ evil: `${'a'.repeat(50)}!` })] }), {
    matchMs: 600_000,
  })
  const controller = new AbortController()
  const running = call(tool, { pattern: '(a+)+$' }, controller.signal)
  let turns = 0
  const timer = setInterval(() => {
    if (++turns === 5) controller.abort(new Error('stopped'))
  }, 20)
  await expect(running).rejects.toThrow('stopped')
  clearInterval(timer)
  expect(turns).toBeGreaterThanOrEqual(5)
})

test('a call that was aborted before does not begin', async () => {
  const tool = builtin('grep', await project())
  await expect(call(tool, { pattern: 'x' }, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
})

test('leaves out large files, links and folders that cannot be read, and says what it left out', async () => {
  const root = await folder({ 'a.md': 'x', 'large.md': `x${'\n'.repeat(10 * 1024 * 1024)}`, 'closed/b.md': 'x' })
  await symlink('a.md', join(root, 'link.md'))
  await symlink('.', join(root, 'circle'))
  await chmod(join(root, 'closed'), 0)
  const text = await textOf(builtin('grep', root), { pattern: 'x' })
  await chmod(join(root, 'closed'), 0o755)
  expect(text).toContain('a.md:1:x')
  expect(text).not.toContain('link.md')
  expect(text).toContain('Files over 10 MiB were left out: 1.')
  expect((await failureOf(call(builtin('grep', root), { pattern: 'x', path: 'large.md' }))).code).toBe(
    'TOOL_FILE_TOO_LARGE',
  )
})

test('refuses bad patterns, what lies outside, and numbers out of range', async () => {
  const tool = builtin('grep', await project())
  const bad = await failureOf(call(tool, { pattern: '(' }))
  expect(bad).toMatchObject({ code: 'TOOL_BAD_PATTERN', message: expect.stringContaining('Unterminated group') })
  expect((await failureOf(call(tool, { pattern: '(?i)x' }))).message).toContain('`ignore_case`')
  expect((await failureOf(call(tool, { pattern: 'x', glob: '../*' }))).code).toBe('TOOL_BAD_PATTERN')
  expect((await failureOf(call(tool, { pattern: 'x', path: '..' }))).code).toBe('TOOL_PATH_OUTSIDE')
  expect((await failureOf(call(tool, { pattern: 'x', path: 'image.png' }))).code).toBe('TOOL_BINARY')
  expect(await problemOf(tool, { pattern: 'x', limit: 501 })).toContain('`limit` must be at most `500`')
})

test('a byte order mark and line ends do not count', async () => {
  const tool = builtin('grep', await folder({ a: '\ufeffx\r\ny' }))
  expect(await textOf(tool, { pattern: '^x$' })).toBe('a:1:x')
})
