import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../../files/folder.ts'
import { builtin, call, failureOf, textOf } from '../call.ts'

test('lists folders, links and files with their sizes, sorted', async () => {
  const root = await folder({ 'b.md': 'x'.repeat(2048), 'a/x.md': '', '.hidden': 'x', 'ä.md': '', Z: '' })
  await symlink('b.md', join(root, 'c'))
  await symlink('/etc', join(root, 'd'))
  execFileSync('mkfifo', [join(root, 'pipe')])
  const tool = builtin('read_dir', root)
  const list = ['.hidden (1 bytes)', 'Z (0 bytes)', 'a/', 'b.md (2 KiB)', 'c@', 'd@', 'pipe (a pipe)', 'ä.md (0 bytes)']
  expect((await textOf(tool, {})).split('\n')).toEqual(list)
  expect(await textOf(tool, { path: 'a' })).toBe('x.md (0 bytes)')
  expect(await textOf(tool, { path: join(root, 'a') })).toBe('x.md (0 bytes)')
})

test('says that a folder is empty, and shows at most 1 000 entries', async () => {
  const root = await folder()
  expect(await textOf(builtin('read_dir', root), {})).toBe('[The folder is empty.]')
  await Promise.all(Array.from({ length: 1001 }, (_, index) => writeFile(join(root, `${index}`), '')))
  const lines = (await textOf(builtin('read_dir', root), {})).split('\n')
  expect(lines).toHaveLength(1001)
  expect(lines.at(-1)).toContain('1000 of 1001 entries')
})

test('a name with a line break stays on one line', async () => {
  const root = await folder({ 'a\nb.md': '' })
  expect(await textOf(builtin('read_dir', root), {})).toBe('a\ufffdb.md (0 bytes)')
})

test('refuses a file, a missing folder and what lies outside', async () => {
  const root = await folder({ 'in/a.md': '', 'out/b.md': '' })
  await symlink('../out', join(root, 'in/link'))
  await mkdir(join(root, 'in/sub'))
  const tool = builtin('read_dir', join(root, 'in'))
  expect((await failureOf(call(tool, { path: 'a.md' }))).message).toContain('is a file, not a folder')
  expect((await failureOf(call(tool, { path: 'sbu' }))).code).toBe('TOOL_FILE_NOT_FOUND')
  for (const path of ['..', '../out', 'link', '/', 'sub/../..']) {
    expect((await failureOf(call(tool, { path }))).code).toBe('TOOL_PATH_OUTSIDE')
  }
})
