/**
 * A folder that another process swaps with a link while tools use it. Siblings that were tried besides: the folder above
 * it, and the listing of a folder.
 */
import { spawn } from 'node:child_process'
import { lstat, mkdir, readdir, readFile, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createBuiltinTools, createWorkspace } from '@argot/agent'
import { expect, onTestFinished, test } from 'vitest'
import { writeFolder } from '../tool/files.ts'
import { callTool } from '../tool/tool-context.ts'

const swapper = `
const { renameSync, symlinkSync, unlinkSync } = require('node:fs')
const [, folder, outside] = process.argv
let junk = 0
// A tool may have made the folder again while it was away.
const put = work => {
  try {
    work()
  } catch {
    renameSync(folder, folder + '.junk' + junk++)
    work()
  }
}
const stay = () => {
  const end = performance.now() + Math.random() * 0.4
  while (performance.now() < end);
}
for (;;) {
  renameSync(folder, folder + '.away')
  put(() => symlinkSync(outside, folder))
  stay()
  unlinkSync(folder)
  put(() => renameSync(folder + '.away', folder))
  stay()
}
`

test.each(['the folder of the file', 'the folder above it'])(
  'nothing is read or written outside while %s is swapped with a link',
  async which => {
    const top = await writeFolder({
      ...{ 'outside/a.txt': 'SECRET', 'outside/deep/a.txt': 'SECRET', 'root/keep.txt': 'keep' },
      ...{ 'root/folder/a.txt': 'inside', 'root/folder/deep/a.txt': 'inside' },
    })
    const [root, outside] = [join(top, 'root'), join(top, 'outside')]
    const folder = join(root, 'folder')
    const child = spawn(process.execPath, ['-e', swapper, folder, outside], { stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    const tools = createBuiltinTools({ workspace: createWorkspace({ roots: [root] }) })
    const inner = which === 'the folder above it' ? 'folder/deep' : 'folder'
    const add = (path: string): string => `*** Begin Patch\n*** Add File: ${path}\n+new\n*** End Patch\n`
    const seen: unknown[] = []
    const end = performance.now() + 2500
    let written = 0
    for (let count = 0; performance.now() < end; count++) {
      const tries: [string, unknown][] = [
        ['read_file', { path: `${inner}/a.txt` }],
        ['write_file', { path: `${inner}/w${count}.txt`, content: 'new' }],
        ['write_file', { path: `${inner}/new${count}/w.txt`, content: 'new' }],
        ['append_to_file', { path: `${inner}/a.txt`, content: '+' }],
        ['apply_patch', { patch: add(`${inner}/p${count}.txt`) }],
        ['apply_patch', { patch: `*** Begin Patch\n*** Delete File: ${inner}/a.txt\n*** End Patch\n` }],
        ['grep', { pattern: 'SECRET', path: 'folder' }],
        ['read_dir', { path: inner }],
      ]
      const work = tries.map(async ([name, input]) => {
        const result = await callTool(tools.get(name)!, input).catch((error: Error) => error.message)
        if (typeof result !== 'string' && name === 'write_file') written++
        seen.push(result)
      })
      await Promise.all(work)
    }
    expect(child.exitCode).toBeNull()
    const closed = new Promise(resolve => child.once('close', resolve))
    child.kill('SIGKILL')
    await closed
    expect(written).toBeGreaterThan(0)
    expect(seen.map(one => JSON.stringify(one)).filter(one => one.includes('SECRET'))).toEqual([])
    expect((await readdir(outside, { recursive: true })).sort()).toEqual(['a.txt', 'deep', 'deep/a.txt'])
    expect(await readFile(join(outside, 'deep/a.txt'), 'utf8')).toBe('SECRET')
    expect(await readFile(join(outside, 'a.txt'), 'utf8')).toBe('SECRET')
  },
)

test('a draft that cannot be put in its place is not left behind', async () => {
  const root = await writeFolder({ 'a/keep.txt': '' })
  await mkdir(join(root, 'a/taken'))
  await rename(join(root, 'a/keep.txt'), join(root, 'a/taken/keep.txt'))
  const tools = createBuiltinTools({ workspace: createWorkspace({ roots: [root] }) })
  await expect(callTool(tools.get('write_file')!, { path: 'a/taken', content: 'x' })).rejects.toThrow('is a folder')
  await symlink('nowhere', join(root, 'a/link'))
  await expect(callTool(tools.get('write_file')!, { path: 'a/link', content: 'x' })).rejects.toThrow('symbolic link')
  expect((await readdir(join(root, 'a'))).sort()).toEqual(['link', 'taken'])
  expect((await lstat(join(root, 'a/link'))).isSymbolicLink()).toBe(true)
})

test.each(['x'.repeat(300), `deep/${'x'.repeat(256)}/a.txt`, `${'x/'.repeat(3000)}a`])(
  'a name that is too long is said to be (%#)',
  async path => {
    const tools = createBuiltinTools({ workspace: createWorkspace({ roots: [await writeFolder()] }) })
    const patch = `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch\n`
    for (const [name, input] of [
      ['write_file', { path, content: 'x' }],
      ['read_file', { path }],
      ['append_to_file', { path, content: 'x' }],
      ['apply_patch', { patch }],
      ['read_dir', { path }],
      ['grep', { pattern: 'x', path }],
      ['glob', { pattern: '*', path }],
    ] as const) {
      const error = await callTool(tools.get(name)!, input).catch((thrown: Error) => thrown)
      expect((error as Error).message, name).toContain('too long')
      expect((error as Error).message, name).not.toContain('ENAMETOOLONG')
    }
  },
)
