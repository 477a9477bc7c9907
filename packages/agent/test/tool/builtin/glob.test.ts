import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../../files/folder.ts'
import { builtin, call, failureOf, problemOf, textOf } from '../call.ts'

const files = ['b.ts', 'a.md', 'src/x.ts', 'src/deep/y.ts', 'src.ts', '.hidden/z.ts', 'node_modules/p/i.ts', '.env']

async function project(): Promise<string> {
  return folder(Object.fromEntries(files.map(name => [name, ''])))
}

test.each([
  ['*.ts', ['b.ts', 'src.ts']],
  ['./*.md', ['a.md']],
  ['**/*.ts', ['b.ts', 'src.ts', 'src/deep/y.ts', 'src/x.ts']],
  ['**', ['a.md', 'b.ts', 'src.ts', 'src/deep/y.ts', 'src/x.ts']],
  ['src/*', ['src/x.ts']],
  ['**/[xy].{ts,js}', ['src/deep/y.ts', 'src/x.ts']],
  ['.hidden/*', ['.hidden/z.ts']],
  ['.*', ['.env']],
  ['node_modules/**', ['node_modules/p/i.ts']],
])('glob finds the files of %s', async (pattern, expected) => {
  expect((await textOf(builtin('glob', await project()), { pattern })).split('\n')).toEqual(expected)
})

test('looks in a folder and gives paths that can be used as they are', async () => {
  const root = await project()
  expect(await textOf(builtin('glob', root), { pattern: '**/*.ts', path: 'src' })).toBe('src/deep/y.ts\nsrc/x.ts')
  expect(await textOf(builtin('glob', root), { pattern: '*', path: 'node_modules/p' })).toBe('node_modules/p/i.ts')
  expect(await textOf(builtin('glob', await folder(), root), { pattern: '*.md', path: root })).toBe(join(root, 'a.md'))
})

test('does not enter linked folders; a linked file is found if it lies inside', async () => {
  const root = await folder({ 'in/a.ts': '', 'in/sub/b.ts': '', 'out/c.ts': '' })
  await symlink('../out', join(root, 'in/folder'))
  await symlink('sub', join(root, 'in/again'))
  await symlink('.', join(root, 'in/circle'))
  await symlink('../out/c.ts', join(root, 'in/out.ts'))
  await symlink('a.ts', join(root, 'in/link.ts'))
  await symlink('none.ts', join(root, 'in/dangling.ts'))
  const text = await textOf(builtin('glob', join(root, 'in')), { pattern: '**' })
  expect(text.split('\n')).toEqual(['a.ts', 'link.ts', 'sub/b.ts'])
})

test('returns at most 1 000 files and says so', async () => {
  const root = await folder()
  await mkdir(join(root, 'x'))
  await Promise.all(Array.from({ length: 1001 }, (_, index) => writeFile(join(root, `x/${index}.ts`), '')))
  const lines = (await textOf(builtin('glob', root), { pattern: '**/*.ts' })).split('\n')
  expect(lines).toHaveLength(1001)
  expect(lines.at(-1)).toBe('[Only the first 1000 files; use a narrower pattern.]')
  expect(lines.slice(0, -1)).toEqual(lines.slice(0, -1).toSorted())
})

test('says that nothing was found, and refuses patterns and folders that cannot be meant', async () => {
  const tool = builtin('glob', await project())
  expect(await textOf(tool, { pattern: '*.rs' })).toBe('[No file matches `*.rs`.]')
  for (const pattern of ['/etc/*', '../*', 'src/../../*']) {
    expect((await failureOf(call(tool, { pattern }))).code).toBe('TOOL_BAD_PATTERN')
  }
  expect((await failureOf(call(tool, { pattern: '*', path: '..' }))).code).toBe('TOOL_PATH_OUTSIDE')
  expect((await failureOf(call(tool, { pattern: '*', path: 'a.md' }))).code).toBe('TOOL_FILE_UNREADABLE')
  expect(await problemOf(tool, { pattern: 'x'.repeat(1001) })).toContain('`pattern` must have at most')
})

test('an aborted call rejects with the reason', async () => {
  const tool = builtin('glob', await project())
  await expect(call(tool, { pattern: '**' }, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
})
