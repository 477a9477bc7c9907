import { execFileSync } from 'node:child_process'
import { chmod, link, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createWorkspace } from '@argot/agent'
import type { Workspace } from '@argot/agent/internal'
import { expect, onTestFinished, test } from 'vitest'
import { openFile } from '../../src/files/local-file.ts'
import { extendFile, removeFile, replaceFile } from '../../src/files/replace-file.ts'
import { listFolder } from '../../src/tool/builtin/walk-folder.ts'
import { failureOf } from '../tool/call.ts'
import { folder } from './folder.ts'

interface Fortress {
  root: string
  outside: string
  workspace: Workspace
}

/** `outside/` has a secret, `root/` is the workspace, with links of all kinds. */
async function fortress(): Promise<Fortress> {
  const top = await folder({
    'outside/secret.md': 'secret',
    'root/in.md': 'in',
    'root/docs/a.md': 'a',
    'root-2/x.md': 'x',
  })
  const [root, outside] = [join(top, 'root'), join(top, 'outside')]
  await symlink(join(outside, 'secret.md'), join(root, 'link.md'))
  await symlink('link.md', join(root, 'link-to-link.md'))
  await symlink('../outside', join(root, 'folder'))
  await symlink('folder', join(root, 'folder-2'))
  await symlink('in.md', join(root, 'inside.md'))
  await symlink(join(outside, 'nothing.md'), join(root, 'dangling.md'))
  await symlink('nothing.md', join(root, 'dangling-inside.md'))
  await symlink('loop.md', join(root, 'loop.md'))
  return { root, outside, workspace: createWorkspace({ roots: [root] }) }
}

test('finds files by relative and absolute paths and resolves links that stay inside', async () => {
  const { root, workspace } = await fortress()
  expect(workspace.root).toBe(root)
  for (const path of ['in.md', './docs/../in.md', 'inside.md', join(root, 'in.md')]) {
    expect(await workspace.locate(path)).toBe(join(root, 'in.md'))
    expect(await workspace.locateNew(path)).toBe(join(root, 'in.md'))
    expect(await workspace.read(path, 100)).toBe('in')
  }
  expect(await workspace.locate('.')).toBe(root)
  expect(await workspace.locateNew('new/er/file.md')).toBe(join(root, 'new/er/file.md'))
})

test.each([
  ['a parent folder', '../outside/secret.md'],
  ['a parent folder that is not there', '../nothing.md'],
  ['a folder whose name begins like that of the root', '../root-2/x.md'],
  ['many ways up', `${'../'.repeat(40)}etc/passwd`],
  ['an absolute path', '/etc/passwd'],
  ['an absolute path that is not there', '/etc/there-is-no-such-file'],
  ['a link to a file outside', 'link.md'],
  ['a link to such a link', 'link-to-link.md'],
  ['a file in a linked folder outside', 'folder/secret.md'],
  ['a missing file in a linked folder outside', 'folder/new.md'],
  ['a missing folder in a linked folder outside', 'folder/new/er.md'],
  ['a link to a linked folder', 'folder-2/secret.md'],
])('refuses %s, for reading and for writing', async (_, path) => {
  const { workspace, outside } = await fortress()
  expect((await failureOf(workspace.locate(path))).code).toBe('TOOL_PATH_OUTSIDE')
  expect((await failureOf(workspace.read(path, 100))).code).toBe('TOOL_PATH_OUTSIDE')
  expect((await failureOf(workspace.locateNew(path))).code).toBe('TOOL_PATH_OUTSIDE')
  expect((await failureOf(workspace.write(path, 'x'))).code).toBe('TOOL_PATH_OUTSIDE')
  expect((await failureOf(workspace.append(path, 'x'))).code).toBe('TOOL_PATH_OUTSIDE')
  expect((await failureOf(workspace.remove(path))).code).toBe('TOOL_PATH_OUTSIDE')
  expect(await readdir(outside)).toEqual(['secret.md'])
  expect(await readFile(join(outside, 'secret.md'), 'utf8')).toBe('secret')
})

test.each([
  ['a link that leads to nothing outside', 'dangling.md', 'TOOL_PATH_OUTSIDE'],
  ['a path through such a link', 'dangling.md/x', 'TOOL_PATH_OUTSIDE'],
  ['a link that leads to nothing inside', 'dangling-inside.md', 'TOOL_FILE_UNWRITABLE'],
  ['a link to itself', 'loop.md', 'TOOL_FILE_UNREADABLE'],
  ['a folder', 'docs', 'TOOL_FILE_UNWRITABLE'],
  ['the root', '.', 'TOOL_FILE_UNWRITABLE'],
  ['a file in a file', 'in.md/x', 'TOOL_FILE_UNWRITABLE'],
  ['a NUL', 'a\0b', 'TOOL_FILE_NOT_FOUND'],
  ['a path that is too long', 'x/'.repeat(100_000), 'TOOL_FILE_UNREADABLE'],
  ['a name that is too long', 'x'.repeat(4000), 'TOOL_FILE_UNREADABLE'],
])('does not write to %s', async (_, path, code) => {
  const { workspace, outside } = await fortress()
  expect((await failureOf(workspace.locateNew(path))).code).toBe(code)
  expect(await readdir(outside)).toEqual(['secret.md'])
})

test.each([
  ['a file that is not there', 'nothing.md', 'TOOL_FILE_NOT_FOUND'],
  ['a link that leads nowhere', 'dangling-inside.md', 'TOOL_FILE_NOT_FOUND'],
  ['a link that leads nowhere outside', 'dangling.md', 'TOOL_FILE_NOT_FOUND'],
  ['a file in a file', 'in.md/x', 'TOOL_FILE_NOT_FOUND'],
  ['a link to itself', 'loop.md', 'TOOL_FILE_UNREADABLE'],
  ['a folder', 'docs', 'TOOL_FILE_UNREADABLE'],
  ['a NUL', 'a\0b', 'TOOL_FILE_NOT_FOUND'],
])('does not read %s', async (_, path, code) => {
  const { workspace } = await fortress()
  expect((await failureOf(workspace.read(path, 100))).code).toBe(code)
})

test('a missing file is answered with the names that are most like it', async () => {
  const workspace = createWorkspace({
    roots: [await folder({ 'src/index.ts': '', 'src/inbox.ts': '', 'README.md': '' })],
  })
  const say = async (path: string) => (await failureOf(workspace.locate(path))).message
  expect(await say('src/idnex.ts')).toMatch(/^`src\/idnex.ts` does not exist. Did you mean `src\/index.ts`/)
  expect(await say('readme.md')).toContain('Did you mean `README.md`?')
  expect(await say('scr/index.ts')).toBe('`scr/index.ts` does not exist. Did you mean `src`?')
  expect(await say('src/zzz')).toContain('`src` has `inbox.ts`, `index.ts`.')
})

test('a relative path that is not at the first root is read at the others, and written at the first', async () => {
  const [first, second] = [await folder({ 'a.md': '1' }), await folder({ 'a.md': '2', 'b.md': '2' })]
  const workspace = createWorkspace({ roots: [first, second] })
  expect(await workspace.read('a.md', 10)).toBe('1')
  expect(await workspace.read('b.md', 10)).toBe('2')
  expect(await workspace.locateNew('b.md')).toBe(join(first, 'b.md'))
  expect(await workspace.locateNew(join(second, 'b.md'))).toBe(join(second, 'b.md'))
  expect(workspace.show(join(first, 'x/a.md'))).toBe('x/a.md')
  expect(workspace.show(first)).toBe('.')
  expect(workspace.show(join(second, 'b.md'))).toBe(join(second, 'b.md'))
})

test('a root that is a link counts as what it leads to', async () => {
  const { root } = await fortress()
  await symlink(root, join(root, '../way'))
  const workspace = createWorkspace({ roots: [join(root, '../way')] })
  expect(workspace.root).toBe(root)
  expect(await workspace.read(join(root, '../way/in.md'), 10)).toBe('in')
})

test('a pipe, a socket and a device are neither read nor written, and nothing hangs', async () => {
  const root = await folder()
  execFileSync('mkfifo', [join(root, 'pipe')])
  const server = createServer()
  await new Promise<void>(resolve => server.listen(join(root, 'socket'), resolve))
  onTestFinished(() => void server.close())
  const workspace = createWorkspace({ roots: [root, '/dev'] })
  for (const path of ['pipe', 'socket', '/dev/zero', '/dev/null', '/dev/tty']) {
    expect((await failureOf(workspace.read(path, 100))).code).toBe('TOOL_FILE_UNREADABLE')
    expect((await failureOf(workspace.locateNew(path))).code).toBe('TOOL_FILE_UNWRITABLE')
  }
})

test('a protected file and all in a protected folder are read and never changed', async () => {
  const root = await folder({ 'chat.chatmd': 'chat', '.chatmd/1.json': '{}', 'a.md': 'a' })
  await symlink('chat.chatmd', join(root, 'link.chatmd'))
  await symlink('.chatmd', join(root, 'store'))
  await link(join(root, 'chat.chatmd'), join(root, 'hard.chatmd'))
  const protectedPaths = [join(root, 'chat.chatmd'), join(root, '.chatmd'), join(root, 'later')]
  const workspace = createWorkspace({ roots: [root], protectedPaths })
  expect(await workspace.read('chat.chatmd', 10)).toBe('chat')
  expect(await workspace.locateNew('chat.chatmd.bak')).toBe(join(root, 'chat.chatmd.bak'))
  const names = ['chat.chatmd', './x/../chat.chatmd', 'link.chatmd', '.chatmd/1.json', '.chatmd/2.json', 'store/1.json']
  for (const path of [...names, 'later', 'later/x', join(root, 'chat.chatmd')]) {
    expect((await failureOf(workspace.locateNew(path))).code).toBe('TOOL_PATH_PROTECTED')
  }
  for (const real of [join(root, 'chat.chatmd'), join(root, '.chatmd/1.json')]) {
    expect((await failureOf(workspace.write(real, 'x'))).code).toBe('TOOL_PATH_PROTECTED')
    expect((await failureOf(workspace.append(real, 'x'))).code).toBe('TOOL_PATH_PROTECTED')
    expect((await failureOf(workspace.remove(real))).code).toBe('TOOL_PATH_PROTECTED')
  }
  await workspace.append(join(root, 'hard.chatmd'), '!')
  await workspace.write(join(root, 'hard.chatmd'), 'other')
  expect(await readFile(join(root, 'chat.chatmd'), 'utf8')).toBe('chat')
})

test('writing replaces a file as a whole, keeps its mode, makes folders and leaves nothing else behind', async () => {
  const root = await folder({ 'run.sh': 'old' })
  await chmod(join(root, 'run.sh'), 0o751)
  const workspace = createWorkspace({ roots: [root] })
  await workspace.write(join(root, 'run.sh'), 'new ✓')
  await workspace.write(await workspace.locateNew('a/b/c.md'), 'c')
  expect(await readFile(join(root, 'run.sh'), 'utf8')).toBe('new ✓')
  expect((await stat(join(root, 'run.sh'))).mode & 0o777).toBe(0o751)
  expect(await readFile(join(root, 'a/b/c.md'), 'utf8')).toBe('c')
  expect((await readdir(root, { recursive: true })).sort()).toEqual(['a', 'a/b', 'a/b/c.md', 'run.sh'])
})

test('a file that becomes a link between the check and the writing is not followed', async () => {
  const { root, outside, workspace } = await fortress()
  const real = await workspace.locateNew('in.md')
  await rm(real)
  await symlink(join(outside, 'secret.md'), real)
  expect((await failureOf(workspace.write(real, 'x'))).code).toBe('TOOL_PATH_OUTSIDE')
  expect((await failureOf(workspace.append(real, 'x'))).code).toBe('TOOL_PATH_OUTSIDE')
  expect((await failureOf(workspace.remove(real))).code).toBe('TOOL_PATH_OUTSIDE')
  await rm(real)
  await symlink('docs/a.md', real)
  expect((await failureOf(workspace.write(real, 'x'))).code).toBe('TOOL_FILE_UNWRITABLE')
  expect(await readFile(join(outside, 'secret.md'), 'utf8')).toBe('secret')
  expect(await readFile(join(root, 'docs/a.md'), 'utf8')).toBe('a')
})

test('a folder that becomes a link between the check and the writing is not followed', async () => {
  const { root, outside, workspace } = await fortress()
  const real = await workspace.locateNew('docs/new.md')
  await rename(join(root, 'docs'), join(root, 'docs-2'))
  await symlink(outside, join(root, 'docs'))
  expect((await failureOf(workspace.write(real, 'x'))).code).toBe('TOOL_PATH_OUTSIDE')
  expect(await readdir(outside)).toEqual(['secret.md'])
})

test('a folder that becomes a link after the last check is noticed before anything is read or written', async () => {
  const { root, outside } = await fortress()
  const [secret, fresh] = [join(root, 'folder/secret.md'), join(root, 'folder/new.md')]
  expect((await failureOf(replaceFile(secret, 'x', 'secret.md'))).message).toContain('was replaced meanwhile')
  expect((await failureOf(replaceFile(fresh, 'x', 'new.md'))).message).toContain('was replaced meanwhile')
  const deep = join(root, 'folder/new/er/file.md')
  expect((await failureOf(replaceFile(deep, 'x', 'file.md'))).message).toContain('was replaced meanwhile')
  expect((await failureOf(extendFile(secret, 'x', 'secret.md'))).message).toContain('was replaced meanwhile')
  expect((await failureOf(removeFile(secret, 'secret.md'))).message).toContain('was replaced meanwhile')
  await expect(openFile(secret, 'secret.md')).rejects.toThrow('replaced while it was being opened')
  await expect(listFolder(join(root, 'folder'), 10)).rejects.toThrow('replaced')
  expect(await readdir(outside)).toEqual(['secret.md'])
  expect(await readFile(join(outside, 'secret.md'), 'utf8')).toBe('secret')
})

test('a file that becomes a link after the last check is not opened', async () => {
  const { root, outside } = await fortress()
  const path = join(root, 'link.md')
  expect((await failureOf(replaceFile(path, 'x', 'link.md'))).code).toBe('TOOL_FILE_UNWRITABLE')
  expect((await failureOf(extendFile(path, 'x', 'link.md'))).code).toBe('TOOL_FILE_UNWRITABLE')
  expect((await failureOf(removeFile(path, 'link.md'))).code).toBe('TOOL_FILE_UNWRITABLE')
  await expect(openFile(path, 'link.md')).rejects.toThrow('cannot be read')
  expect(await readFile(join(outside, 'secret.md'), 'utf8')).toBe('secret')
})

test('adding to a file goes to its end, and creates it where there is none', async () => {
  const root = await folder({ 'a.md': 'one' })
  const workspace = createWorkspace({ roots: [root] })
  await workspace.append(join(root, 'a.md'), '\ntwo')
  await workspace.append(await workspace.locateNew('new/b.md'), 'b')
  expect(await readFile(join(root, 'a.md'), 'utf8')).toBe('one\ntwo')
  expect(await readFile(join(root, 'new/b.md'), 'utf8')).toBe('b')
})

test('removes a file and no folder', async () => {
  const root = await folder({ 'a.md': 'a', 'b/c.md': 'c' })
  const workspace = createWorkspace({ roots: [root] })
  await workspace.remove(join(root, 'a.md'))
  expect((await failureOf(workspace.remove(join(root, 'b')))).code).toBe('TOOL_FILE_UNWRITABLE')
  expect((await failureOf(workspace.remove(join(root, 'a.md')))).code).toBe('TOOL_FILE_UNWRITABLE')
  expect(await readdir(root)).toEqual(['b'])
})

test('work on the same file is done in order, one after the other, also when some of it fails', async () => {
  const workspace = createWorkspace({ roots: [await folder()] })
  const order: string[] = []
  const step = (name: string, fails = false) =>
    workspace.alone('/x', async () => {
      order.push(`${name} begins`)
      await stat('/')
      order.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    })
  const results = await Promise.allSettled([step('a'), step('b', true), step('c')])
  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test.each([
  ['a NUL byte', Buffer.from('a\0b')],
  ['bytes that are no UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0x62])],
  ['a PNG image', Buffer.from('\x89PNG\r\n\x1a\n\0', 'latin1')],
  ['UTF-16', Buffer.from('\ufeffab', 'utf16le')],
])('refuses %s as binary', async (_, bytes) => {
  const workspace = createWorkspace({ roots: [await folder({ file: bytes })] })
  expect((await failureOf(workspace.read('file', 100))).code).toBe('TOOL_BINARY')
})

test('reads no more than the limit, and keeps byte order mark and line ends', async () => {
  const workspace = createWorkspace({ roots: [await folder({ a: '\ufeffä\r\n', b: 'x'.repeat(101) })] })
  expect(await workspace.read('a', 100)).toBe('\ufeffä\r\n')
  const { code, message } = await failureOf(workspace.read('b', 100))
  expect(code).toBe('TOOL_FILE_TOO_LARGE')
  expect(message).toContain('`b` is 101 bytes. The limit is 100 bytes.')
})

test('a path may contain any name that a model can think of', async () => {
  const root = await folder({ __proto__x: '' })
  const workspace = createWorkspace({ roots: [root] })
  for (const name of ['__proto__', 'constructor', '~', 'ä ö\u202e', '-rf', '$(x)', '*']) {
    const real = await workspace.locateNew(name)
    await workspace.alone(real, () => workspace.write(real, name))
    expect(await workspace.read(name, 100)).toBe(name)
    expect((await lstat(real)).isFile()).toBe(true)
  }
  await mkdir(join(root, 'toString'))
  await writeFile(join(root, 'toString/x'), 'x')
  expect(await workspace.read('toString/x', 10)).toBe('x')
})
