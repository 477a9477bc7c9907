import { readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createBuiltinTools, createWorkspace } from '@argot/agent'
import { expect, test } from 'vitest'
import { folder } from '../../files/folder.ts'
import { builtin, call, failureOf, problemOf } from '../call.ts'

test('creates a file with its folders', async () => {
  const root = await folder()
  const tool = builtin('write_file', root)
  expect(await call(tool, { path: 'a/b/c.md', content: 'eins\nzwei ✓\n' })).toEqual({
    output: 'Created `a/b/c.md`: 2 lines, 14 bytes.',
    details: {
      path: 'a/b/c.md',
      created: true,
      after: { bytes: 14, lines: 2 },
      diff: '@@ -0,0 +1,2 @@\n+eins\n+zwei ✓\n',
    },
  })
  expect(await readFile(join(root, 'a/b/c.md'), 'utf8')).toBe('eins\nzwei ✓\n')
  expect(tool.effect).toBe('write')
})

test('replaces a file and shows what changed', async () => {
  const root = await folder({ 'a.md': '1\n2\n3\n4\n5\n6\n7\n8\n9' })
  const outcome = await call(builtin('write_file', root), { path: './a.md', content: '1\n2\n3\n4\nx\n6\n7\n8\n9' })
  expect(outcome).toEqual({
    output: 'Replaced `a.md`: 9 lines, 17 bytes.',
    details: {
      path: 'a.md',
      created: false,
      before: { bytes: 17, lines: 9 },
      after: { bytes: 17, lines: 9 },
      diff: '@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n',
    },
  })
})

test('shows a changed last line, an emptied file, and none where nothing changed', async () => {
  const tool = builtin('write_file', await folder({ 'a.md': 'a\nb' }))
  const diff = async (content: string) =>
    ((await call(tool, { path: 'a.md', content })).details as { diff: string }).diff
  expect(await diff('a\nb\n')).toBe('@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n')
  expect(await diff('a\nb\n')).toBe('')
  expect(await diff('')).toBe('@@ -1,2 +0,0 @@\n-a\n-b\n')
})

test('details stay small when the texts are large', async () => {
  const tool = builtin('write_file', await folder({ 'a.md': 'old line\n'.repeat(200_000) }))
  const { details } = await call(tool, { path: 'a.md', content: 'new line\n'.repeat(200_000) })
  expect(JSON.stringify(details).length).toBeLessThan(64 * 1024)
  expect((details as { diff: string }).diff).toContain('[Cut here')
})

test('replaces a file that is not text, without comparing', async () => {
  const root = await folder({ x: Buffer.from([0, 255]) })
  const { output, details } = await call(builtin('write_file', root), { path: 'x', content: 'text' })
  expect(output).toBe('Replaced `x`: 1 line, 4 bytes.')
  expect(details).toEqual({ path: 'x', created: false, after: { bytes: 4, lines: 1 } })
})

test('writes through a link that stays inside, and nowhere else', async () => {
  const root = await folder({ 'in/a.md': 'a', 'out/b.md': 'b' })
  await symlink('a.md', join(root, 'in/good.md'))
  await symlink('../out/b.md', join(root, 'in/bad.md'))
  await symlink('../out/new.md', join(root, 'in/dangling.md'))
  await symlink('../out', join(root, 'in/folder'))
  const tool = builtin('write_file', join(root, 'in'))
  expect((await call(tool, { path: 'good.md', content: 'x' })).output).toContain('Replaced `a.md`')
  const absolute = join(root, 'out/b.md')
  for (const path of [
    'bad.md',
    'dangling.md',
    'folder/b.md',
    'folder/new/c.md',
    '../out/b.md',
    '../new.md',
    absolute,
  ]) {
    expect((await failureOf(call(tool, { path, content: 'x' }))).code).toBe('TOOL_PATH_OUTSIDE')
  }
  expect(await readFile(join(root, 'in/a.md'), 'utf8')).toBe('x')
  expect(await readFile(join(root, 'out/b.md'), 'utf8')).toBe('b')
  expect(await readdir(root)).toEqual(['in', 'out'])
  expect(await readdir(join(root, 'out'))).toEqual(['b.md'])
})

test('refuses the running document, a folder, and an input that lacks something', async () => {
  const root = await folder({ 'chat.chatmd': 'chat', 'sub/x': '' })
  const workspace = createWorkspace({
    roots: [root],
    protectedPaths: [join(root, 'chat.chatmd'), join(root, '.chatmd')],
  })
  const tool = createBuiltinTools({ workspace }).get('write_file')!
  for (const path of ['chat.chatmd', '.chatmd/1.json']) {
    expect((await failureOf(call(tool, { path, content: 'x' }))).code).toBe('TOOL_PATH_PROTECTED')
  }
  expect((await failureOf(call(tool, { path: 'sub', content: 'x' }))).code).toBe('TOOL_FILE_UNWRITABLE')
  expect(await problemOf(tool, { path: 'a' })).toBe('`content` is missing; it must be a string.')
  expect(await problemOf(tool, { path: 'a', content: { a: 1 } })).toContain('`content` must be a string, not an object')
})

test('a call that was stopped before writes nothing', async () => {
  const root = await folder()
  const stopped = call(
    builtin('write_file', root),
    { path: 'a', content: 'x' },
    AbortSignal.abort(new Error('stopped')),
  )
  await expect(stopped).rejects.toThrow('stopped')
  expect(await readdir(root)).toEqual([])
})
