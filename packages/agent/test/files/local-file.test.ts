import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ask, problemOf, textOf } from '../resolver/ask.ts'
import { folder } from './folder.ts'

test('a doc is looked for beside the document, then in the process directory', async () => {
  const cwd = await folder({ 'a.md': 'cwd a', 'b.md': 'cwd b', 'docs/a.md': 'docs a' })
  const document = join(cwd, 'docs/chat.chatmd')
  expect(await ask({ cwd }, { src: 'a.md', document })).toEqual({
    ok: true,
    text: 'docs a',
    file: join(cwd, 'docs/a.md'),
  })
  expect(textOf(await ask({ cwd }, { src: 'b.md', document }))).toBe('cwd b')
  expect(textOf(await ask({ cwd }, { src: './b.md', document: 'docs/chat.chatmd' }))).toBe('cwd b')
  expect(textOf(await ask({ cwd }, { src: '../b.md', document }))).toBe('cwd b')
  expect(textOf(await ask({ cwd }, { src: join(cwd, 'b.md'), document }))).toBe('cwd b')
})

test('a document without a file of its own stands in the given directory, else in the process directory', async () => {
  const cwd = await folder({ 'a.md': 'cwd', 'docs/a.md': 'docs' })
  expect(textOf(await ask({ cwd }, { src: 'a.md' }))).toBe('cwd')
  expect(textOf(await ask({ cwd, directory: 'docs' }, { src: 'a.md' }))).toBe('docs')
})

test('an import is looked for beside the importing file and nowhere else', async () => {
  const cwd = await folder({ 'a.md': 'cwd', 'docs/a.md': 'docs', 'docs/deep/b.md': 'deep', 'docs/deep/c.md': 'c' })
  const document = join(cwd, 'docs/chat.chatmd')
  const from = join(cwd, 'docs/deep/b.md')
  const importing = { kind: 'import', document, from } as const
  expect(textOf(await ask({ cwd }, { ...importing, src: 'c.md' }))).toBe('c')
  expect(textOf(await ask({ cwd }, { ...importing, src: '../a.md' }))).toBe('docs')
  expect(problemOf(await ask({ cwd }, { ...importing, src: 'a.md' }))).toMatchObject({ code: 'CHATMD_FILE_NOT_FOUND' })
})

test('a doc in an import is looked for beside the document, not beside the import', async () => {
  const cwd = await folder({ 'docs/a.md': 'docs', 'docs/deep/a.md': 'deep' })
  const request = { src: 'a.md', document: join(cwd, 'docs/chat.chatmd'), from: join(cwd, 'docs/deep/b.md') }
  expect(textOf(await ask({ cwd }, request))).toBe('docs')
})

test('the document itself keeps the name that the caller gave it', async () => {
  const cwd = await folder({ 'a.chatmd': 'a', 'sub/b.md': 'b' })
  await symlink('a.chatmd', join(cwd, 'link.chatmd'))
  for (const document of ['a.chatmd', './a.chatmd', join(cwd, 'a.chatmd'), 'link.chatmd']) {
    const request = { kind: 'import', src: '../a.chatmd', document, from: join(cwd, 'sub/b.md') } as const
    expect(await ask({ cwd }, request)).toMatchObject({ file: document })
  }
})

/** `outside/` has a secret; `root/docs/` is the folder of the document, `root/run/` the process directory. */
async function fortress(): Promise<{ outside: string; docs: string; cwd: string; document: string }> {
  const root = await folder({
    'outside/secret.md': 'secret',
    'root/docs/in.md': 'in',
    'root/run/w.md': 'w',
    'root/near.md': 'near',
    'root/docs-2/x.md': 'x',
  })
  const docs = join(root, 'root/docs')
  const outside = join(root, 'outside')
  await symlink(join(outside, 'secret.md'), join(docs, 'link.md'))
  await symlink('../../outside', join(docs, 'folder'))
  await symlink('link.md', join(docs, 'link-to-link.md'))
  await symlink('in.md', join(docs, 'inside.md'))
  await symlink(join(outside, 'nothing.md'), join(docs, 'dangling.md'))
  await symlink('loop.md', join(docs, 'loop.md'))
  await symlink(join(docs, 'in.md'), join(outside, 'back.md'))
  return { outside, docs, cwd: join(root, 'root/run'), document: join(docs, 'chat.chatmd') }
}

test.each([
  ['a parent folder', '../near.md'],
  ['a parent folder that is not there', '../nothing.md'],
  ['a folder whose name begins like that of the document', '../docs-2/x.md'],
  ['a way out and in again elsewhere', '../../outside/secret.md'],
  ['many ways up', `${'../'.repeat(40)}etc/passwd`],
  ['an absolute path', '/etc/passwd'],
  ['an absolute path that is not there', '/etc/there-is-no-such-file'],
  ['a symbolic link to a file outside', 'link.md'],
  ['a symbolic link to such a link', 'link-to-link.md'],
  ['a symbolic link to a folder outside', 'folder/secret.md'],
  ['a missing file in a linked folder outside', 'folder/nothing.md'],
  ['a link and back up through the link', 'folder/../../outside/secret.md'],
])('a local file is refused: %s', async (_, src) => {
  const { cwd, document } = await fortress()
  for (const kind of ['doc', 'img', 'agent', 'import'] as const) {
    const result = await ask({ cwd }, { kind, src, document, from: document })
    expect(problemOf(result)).toMatchObject({
      code: 'CHATMD_PATH_OUTSIDE',
      cure: expect.stringContaining('--allow-path'),
    })
    expect(JSON.stringify(result)).not.toContain('"secret"')
  }
})

test('reads what lies inside once links are resolved, and what is allowed', async () => {
  const { cwd, document, outside } = await fortress()
  expect(textOf(await ask({ cwd }, { src: 'inside.md', document }))).toBe('in')
  expect(textOf(await ask({ cwd }, { src: '../run/w.md', document }))).toBe('w')
  expect(textOf(await ask({ cwd }, { src: join(outside, 'back.md'), document }))).toBe('in')
  for (const allowed of [outside, '../../outside']) {
    expect(textOf(await ask({ cwd, allowPaths: [allowed] }, { src: 'link.md', document }))).toBe('secret')
    expect(textOf(await ask({ cwd, allowPaths: [allowed] }, { src: 'folder/secret.md', document }))).toBe('secret')
    expect(textOf(await ask({ cwd, allowPaths: [allowed] }, { src: join(outside, 'secret.md') }))).toBe('secret')
  }
  const problem = problemOf(await ask({ cwd, allowPaths: ['../docs-2'] }, { src: 'link.md', document }))
  expect(problem.code).toBe('CHATMD_PATH_OUTSIDE')
})

test('roots that are reached through symbolic links count as what they are', async () => {
  const root = await folder({ 'real/docs/a.md': 'a' })
  await symlink('real', join(root, 'link'))
  const cwd = join(root, 'link')
  expect(textOf(await ask({ cwd }, { src: 'a.md', document: 'docs/chat.chatmd' }))).toBe('a')
  expect(textOf(await ask({ cwd }, { src: join(root, 'real/docs/a.md') }))).toBe('a')
})

test('a process directory that is the root of the file system opens nothing', async () => {
  const docs = await folder({ 'a.md': 'a' })
  const document = join(docs, 'chat.chatmd')
  expect(textOf(await ask({ cwd: '/' }, { src: 'a.md', document }))).toBe('a')
  expect(problemOf(await ask({ cwd: '/' }, { src: 'etc/passwd', document })).code).toBe('CHATMD_PATH_OUTSIDE')
})

test('payloads and metadata stay beside the file that names them, whatever is allowed', async () => {
  const { cwd, document, outside, docs } = await fortress()
  await mkdir(join(docs, '.chatmd'))
  await writeFile(join(docs, '.chatmd/1.json'), '{}')
  for (const kind of ['payload', 'meta'] as const) {
    const options = { cwd, allowPaths: [outside] }
    expect(textOf(await ask(options, { kind, src: './.chatmd/1.json', document, from: document }))).toBe('{}')
    for (const src of ['link.md', '../near.md', join(outside, 'secret.md'), '../run/w.md']) {
      const problem = problemOf(await ask(options, { kind, src, document, from: document }))
      expect(problem.code).toBe('CHATMD_PATH_OUTSIDE')
    }
    expect(problemOf(await ask(options, { kind, src: 'w.md', document, from: document })).code).toBe(
      'CHATMD_FILE_NOT_FOUND',
    )
  }
})

test.each([
  ['a file that is not there', 'nothing.md', 'CHATMD_FILE_NOT_FOUND', 'does not exist'],
  ['a file in a file', 'in.md/x', 'CHATMD_FILE_NOT_FOUND', 'does not exist'],
  ['a link that leads nowhere', 'dangling.md', 'CHATMD_FILE_NOT_FOUND', 'does not exist'],
  ['a link to itself', 'loop.md', 'CHATMD_FILE_UNREADABLE', 'form a loop'],
  ['a folder', '.', 'CHATMD_FILE_UNREADABLE', 'is a folder'],
  ['a NUL in a path', 'a\0b', 'CHATMD_FILE_NOT_FOUND', 'NUL'],
  ['a path that is too long', 'x/'.repeat(100_000), 'CHATMD_FILE_UNREADABLE', 'too long'],
  ['a name that is too long', 'x'.repeat(4000), 'CHATMD_FILE_UNREADABLE', 'too long'],
])('says what is wrong with %s', async (_, src, code, words) => {
  const { cwd, document } = await fortress()
  const problem = problemOf(await ask({ cwd }, { src, document }))
  expect(problem).toMatchObject({ code, message: expect.stringContaining(words) })
  expect(problem.message.length).toBeLessThan(1000)
})

test('the message about a missing file names the places that were looked at', async () => {
  const { cwd, document, docs } = await fortress()
  const { message } = problemOf(await ask({ cwd }, { src: 'x.md', document }))
  expect(message).toContain(join(docs, 'x.md'))
  expect(message).toContain(join(cwd, 'x.md'))
})

test('a pipe, a socket and a device are refused and do not hang', async () => {
  const cwd = await folder()
  execFileSync('mkfifo', [join(cwd, 'pipe')])
  const server = createServer()
  await new Promise<void>(resolve => server.listen(join(cwd, 'socket'), resolve))
  onTestFinished(() => void server.close())
  for (const [src, what] of [
    ['pipe', 'a pipe'],
    ['socket', 'a socket'],
    ['/dev/zero', 'a device'],
    ['/dev/tty', 'a device'],
  ] as const) {
    const problem = problemOf(await ask({ cwd, allowPaths: ['/dev'] }, { src }))
    expect(problem).toMatchObject({ code: 'CHATMD_FILE_UNREADABLE', message: `\`${src}\` is ${what}, not a file.` })
  }
})

test('a text may have as many bytes as the limit, and not one more', async () => {
  const cwd = await folder({ 'at.md': 'x'.repeat(100), 'over.md': 'x'.repeat(101) })
  const options = { cwd, limits: { textBytes: 100 } }
  for (const kind of ['doc', 'import', 'agent'] as const) {
    expect(textOf(await ask(options, { kind, src: 'at.md' }))).toHaveLength(100)
    const message = '`over.md` is 101 bytes. The limit is 100 bytes.'
    expect(problemOf(await ask(options, { kind, src: 'over.md' }))).toMatchObject({
      code: 'CHATMD_SOURCE_TOO_LARGE',
      message,
    })
  }
  for (const kind of ['payload', 'meta'] as const) {
    expect(textOf(await ask(options, { kind, src: 'over.md' }))).toHaveLength(101)
  }
})

test('the limit is 1 MiB unless said otherwise', async () => {
  const cwd = await folder({ 'at.md': 'x'.repeat(1024 * 1024), 'over.md': 'x'.repeat(1024 * 1024 + 1) })
  expect(textOf(await ask({ cwd }, { src: 'at.md' }))).toHaveLength(1024 * 1024)
  expect(problemOf(await ask({ cwd }, { src: 'over.md' })).message).toContain('1 MiB')
  expect(textOf(await ask({ cwd }, { kind: 'payload', src: 'over.md' }))).toHaveLength(1024 * 1024 + 1)
})

test.runIf(process.platform === 'linux')('files without a size are limited too', async () => {
  const options = { cwd: '/proc/self', limits: { textBytes: 10 } }
  expect(problemOf(await ask(options, { src: 'mounts' })).code).toBe('CHATMD_SOURCE_TOO_LARGE')
})

test('a request whose signal is aborted rejects with the reason', async () => {
  const cwd = await folder({ 'a.md': 'a' })
  const signal = AbortSignal.abort(new Error('no longer wanted'))
  await expect(ask({ cwd }, { src: 'a.md', signal })).rejects.toThrow('no longer wanted')
})
