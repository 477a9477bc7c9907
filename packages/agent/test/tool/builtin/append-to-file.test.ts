import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../../files/folder.ts'
import { builtin, call, failureOf, problemOf } from '../call.ts'

test('adds exactly what it is given', async () => {
  const root = await folder({ 'a.md': 'one\r\n', 'b.md': 'one' })
  const tool = builtin('append_to_file', root)
  expect(await call(tool, { path: 'a.md', content: 'two ä\n\n' })).toEqual({
    output: 'Added to `a.md`: 2 lines, 8 bytes.',
    details: { path: 'a.md', created: false, diff: '+two ä\n+\n' },
  })
  expect(await readFile(join(root, 'a.md'), 'utf8')).toBe('one\r\ntwo ä\n\n')
  const { output } = await call(tool, { path: 'b.md', content: 'two' })
  expect(output).toContain('The file did not end with a newline')
  expect(await readFile(join(root, 'b.md'), 'utf8')).toBe('onetwo')
  expect(tool.effect).toBe('write')
})

test('creates a file with its folders', async () => {
  const root = await folder()
  const tool = builtin('append_to_file', root)
  expect((await call(tool, { path: 'x/y.md', content: 'a\n' })).output).toBe('Created `x/y.md`: 1 line, 2 bytes.')
  expect((await call(tool, { path: 'x/y.md', content: 'b\n' })).output).toBe('Added to `x/y.md`: 1 line, 2 bytes.')
  expect(await readFile(join(root, 'x/y.md'), 'utf8')).toBe('a\nb\n')
})

test('calls at the same time lose nothing', async () => {
  const root = await folder()
  const tool = builtin('append_to_file', root)
  await Promise.all(Array.from({ length: 20 }, (_, index) => call(tool, { path: 'new.md', content: `${index}\n` })))
  expect((await readFile(join(root, 'new.md'), 'utf8')).trim().split('\n')).toHaveLength(20)
})

test('adds to a file of another root if it is there, and creates it at the first root if not', async () => {
  const [first, second] = [await folder(), await folder({ 'a.md': 'a' })]
  const tool = builtin('append_to_file', first, second)
  await call(tool, { path: 'a.md', content: 'b' })
  await call(tool, { path: 'c.md', content: 'c' })
  expect(await readFile(join(second, 'a.md'), 'utf8')).toBe('ab')
  expect(await readFile(join(first, 'c.md'), 'utf8')).toBe('c')
})

test('refuses binary files, what lies outside, and an empty text', async () => {
  const root = await folder({ 'in/x.bin': Buffer.from([1, 0, 2]), 'out.md': 'out' })
  await symlink('../out.md', join(root, 'in/link.md'))
  const tool = builtin('append_to_file', join(root, 'in'))
  expect((await failureOf(call(tool, { path: 'x.bin', content: 'x' }))).code).toBe('TOOL_BINARY')
  for (const path of ['link.md', '../out.md']) {
    expect((await failureOf(call(tool, { path, content: 'x' }))).code).toBe('TOOL_PATH_OUTSIDE')
  }
  expect((await failureOf(call(tool, { path: '.', content: 'x' }))).code).toBe('TOOL_FILE_UNWRITABLE')
  expect(await problemOf(tool, { path: 'a', content: '' })).toContain('`content` must have at least `1` characters')
  expect(await readFile(join(root, 'out.md'), 'utf8')).toBe('out')
})
