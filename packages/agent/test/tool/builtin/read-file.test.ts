import { open, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../../files/folder.ts'
import { builtin, call, failureOf, problemOf, textOf } from '../call.ts'

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('')

test('returns a whole file as it is', async () => {
  const text = '\ufeffeins\r\nzwei ä 😀\n\tdrei'
  const tool = builtin('read_file', await folder({ 'a.md': text }))
  expect(await textOf(tool, { path: 'a.md' })).toBe(text)
  expect(await textOf(tool, { file: 'a.md' })).toBe(text)
  expect(tool).toMatchObject({ name: 'read_file', effect: 'read' })
})

test('returns a part by lines and says how to go on', async () => {
  const tool = builtin('read_file', await folder({ 'a.md': lines(1, 5) }))
  const ask = (offset?: number, line_count?: number) =>
    textOf(tool, { path: 'a.md', ...(offset && { offset }), ...(line_count && { line_count }) })
  expect(await ask(2, 2)).toBe(`${lines(2, 3)}\n[Lines 2–3 of 5. Continue with offset 4.]`)
  expect(await ask(4)).toBe(`${lines(4, 5)}\n[Lines 4–5 of 5.]`)
  expect(await ask(5, 9)).toBe(`${lines(5, 5)}\n[Line 5 of 5.]`)
  expect(await ask(1, 5)).toBe(lines(1, 5))
  expect(await ask(6)).toBe('[There is no line 6: the file has 5 lines.]')
})

test('line 0 is the first line, for those who count from 0', async () => {
  const tool = builtin('read_file', await folder({ 'a.md': lines(1, 3) }))
  expect(await textOf(tool, { path: 'a.md', offset: 0 })).toBe(lines(1, 3))
  expect(await textOf(tool, { path: 'a.md', offset: 0, line_count: 1 })).toBe(
    `${lines(1, 1)}\n[Line 1 of 3. Continue with offset 2.]`,
  )
  expect(await problemOf(tool, { path: 'a.md', offset: -1 })).toContain('offset')
})

test('get_contents is the same tool under another name', async () => {
  const place = await folder({ 'a.md': 'text' })
  const tool = builtin('get_contents', place)
  expect(await textOf(tool, { file: 'a.md', offset: 0 })).toBe('text')
  expect(tool).toMatchObject({ name: 'get_contents', aliasOf: 'read_file', effect: 'read' })
})

test('returns 2 000 lines at once unless said otherwise', async () => {
  const tool = builtin('read_file', await folder({ 'a.md': lines(1, 5321) }))
  expect(await textOf(tool, { path: 'a.md' })).toBe(
    `${lines(1, 2000)}\n[Lines 1–2000 of 5321. Continue with offset 2001.]`,
  )
  expect(await textOf(tool, { path: 'a.md', line_count: 6000 })).toBe(lines(1, 5321))
})

test('the last line needs no newline, and an empty file is called empty', async () => {
  const tool = builtin('read_file', await folder({ a: 'x\ny', b: '', c: '\n' }))
  expect(await textOf(tool, { path: 'a', offset: 2 })).toBe('y\n\n[Line 2 of 2.]')
  expect(await textOf(tool, { path: 'b' })).toBe('[The file is empty.]')
  expect(await textOf(tool, { path: 'c' })).toBe('\n')
})

test('returns at most 384 KiB, whole lines where possible', async () => {
  const line = `${'ä'.repeat(49_999)}\n`
  const tool = builtin(
    'read_file',
    await folder({ a: line.repeat(6), b: 'ä'.repeat(300_000), c: `x${'ä'.repeat(300_000)}\ny` }),
  )
  expect(await textOf(tool, { path: 'a' })).toBe(`${line.repeat(3)}\n[Lines 1–3 of 6. Continue with offset 4.]`)
  const b = await textOf(tool, { path: 'b' })
  expect(b).toBe(`${'ä'.repeat(196_608)}\n\n[Line 1 of 1. Line 1 is longer than 384 KiB; the rest of it was left out.]`)
  const c = await textOf(tool, { path: 'c' })
  expect(c.startsWith(`x${'ä'.repeat(196_607)}\n\n[`)).toBe(true)
  expect(c).toContain(
    '[Line 1 of 2. Line 1 is longer than 384 KiB; the rest of it was left out. Continue with offset 2.]',
  )
})

test('reads the start of a file that is larger than memory', async () => {
  const root = await folder({ big: `${lines(1, 3)}` })
  const file = await open(join(root, 'big'), 'r+')
  await file.write('x'.repeat(70 * 1024 * 1024), 21)
  await file.truncate(71 * 1024 * 1024 * 1024)
  await file.close()
  const text = await textOf(builtin('read_file', root), { path: 'big', line_count: 2 })
  expect(text).toBe(`${lines(1, 2)}\n[Lines 1–2 of a file with more than 64 MiB. Continue with offset 3.]`)
})

test.each([
  ['an image', Buffer.from('\x89PNG\r\n\x1a\n\0', 'latin1'), 'is a PNG image, not text'],
  ['a NUL far behind', Buffer.from(`${'x\n'.repeat(100_000)}\0`), 'NUL byte at offset 200000'],
  ['bytes that are no UTF-8', Buffer.from([0x61, 0xe9, 0x62]), 'is not UTF-8'],
  ['UTF-16', Buffer.from('\ufeffab', 'utf16le'), 'is UTF-16LE'],
])('read_file refuses %s', async (_, bytes, words) => {
  const tool = builtin('read_file', await folder({ file: bytes }))
  const { code, message } = await failureOf(call(tool, { path: 'file' }))
  expect(code).toBe('TOOL_BINARY')
  expect(message).toContain(words)
})

test('refuses what lies outside, what is not a file, and what is not there', async () => {
  const root = await folder({ 'in/a.md': 'a', 'secret.md': 'secret' })
  await symlink('../secret.md', join(root, 'in/link.md'))
  const tool = builtin('read_file', join(root, 'in'))
  for (const path of ['../secret.md', join(root, 'secret.md'), 'link.md', '/etc/passwd']) {
    expect((await failureOf(call(tool, { path }))).code).toBe('TOOL_PATH_OUTSIDE')
  }
  expect((await failureOf(call(tool, { path: '.' }))).code).toBe('TOOL_FILE_UNREADABLE')
  expect(await failureOf(call(tool, { path: 'b.md' }))).toMatchObject({ code: 'TOOL_FILE_NOT_FOUND' })
})

test('an aborted call rejects with the reason', async () => {
  const tool = builtin('read_file', await folder({ a: 'a' }))
  await expect(call(tool, { path: 'a' }, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
})

test('says what is wrong with an input', async () => {
  const tool = builtin('read_file', '.')
  expect(await problemOf(tool, {})).toBe('`path` is missing; it must be a string.')
  expect(await problemOf(tool, { path: 'a', offset: -1 })).toBe('`offset` must be at least `1`, not `-1`.')
  expect(await problemOf(tool, { path: 'a', file: 'b' })).toContain('`file` is not a parameter')
  expect(await problemOf(tool, JSON.parse('{"__proto__": "a"}'))).toContain('`path` is missing')
})
