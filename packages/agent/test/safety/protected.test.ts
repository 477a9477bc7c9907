/**
 * What a tool that writes files must not write, because other programs obey it. Siblings that were tried besides: other
 * spellings of the same name, and a folder that becomes one of git by the write itself; a document by a link, and as the
 * target of a move.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createBuiltinTools, createWorkspace, type Tool } from '@argot/agent'
import { expect, test } from 'vitest'
import { writeFolder } from '../tool/files.ts'
import { callTool } from '../tool/tool-context.ts'

async function toolsIn(root: string): Promise<Map<string, Tool>> {
  return createBuiltinTools({ workspace: createWorkspace({ roots: [root] }) })
}

/** Tries every tool that writes. */
async function expectRefused(root: string, path: string): Promise<void> {
  const tools = await toolsIn(root)
  const before = await readFile(join(root, path), 'utf8').catch(() => undefined)
  const patch = (lines: string): string => `*** Begin Patch\n${lines}\n*** End Patch\n`
  const tries: [string, unknown][] = [
    ['write_file', { path, content: 'evil' }],
    ['append_to_file', { path, content: 'evil' }],
    ['apply_patch', { patch: patch(`*** Add File: ${path}\n+evil`) }],
    ['apply_patch', { patch: patch(`*** Update File: plain.txt\n*** Move to: ${path}\n@@\n-plain\n+evil`) }],
    ...(before === undefined || before === ''
      ? []
      : ([
          ['find_and_replace', { path, search: before.slice(0, 1), replace: 'evil' }],
          ['apply_patch', { patch: patch(`*** Delete File: ${path}`) }],
        ] as [string, unknown][])),
  ]
  for (const [name, input] of tries) {
    await expect(callTool(tools.get(name)!, input), name).rejects.toMatchObject({ name: 'ToolFailure' })
  }
  expect(await readFile(join(root, path), 'utf8').catch(() => undefined)).toBe(before)
  expect(await readFile(join(root, 'plain.txt'), 'utf8')).toBe('plain\n')
}

test.each([
  '.git/config',
  '.git/hooks/pre-commit',
  'deep/down/.git/config',
  '.git',
  'sub/.git',
  '.GIT/config',
  '.git./config',
  '.git /config',
  '.g\u200cit/config',
  'GIT~1/config',
  '.git::$INDEX_ALLOCATION/config',
  '.gitmodules',
  'argot.config.json',
  'deep/argot.config.json',
  'Argot.Config.JSON',
  '.chatmd/runs/other.chatmd/1.jsonl',
  'deep/down/.chatmd/0.tool-call.c1.json',
  '.vscode/tasks.json',
  'packages/a/.vscode/settings.json',
  '.idea/workspace.xml',
  '.vimrc',
  '.exrc',
  '.nvim.lua',
  '.dir-locals.el',
  '.bashrc',
  'home/me/.zshenv',
  '.profile',
  '.config/fish/config.fish',
  '.envrc',
  '.npmrc',
  '.mcp.json',
  '.husky/pre-commit',
  '.ssh/authorized_keys',
])('no tool writes %s', async path => {
  const root = await writeFolder({
    ...{ 'plain.txt': 'plain\n', '.git/config': '[core]\n', 'argot.config.json': '{}', '.vscode/tasks.json': '{}' },
  })
  await expectRefused(root, path)
})

test.each(['.github/workflows/ci.yml', '.gitignore', 'src/git/config', 'argot.config.ts', '.eslintrc.json', 'HEAD'])(
  'a tool writes %s',
  async path => {
    const root = await writeFolder()
    await callTool((await toolsIn(root)).get('write_file')!, { path, content: 'fine\n' })
    expect(await readFile(join(root, path), 'utf8')).toBe('fine\n')
  },
)

test('no tool writes into the folder that a `.git` file names, whatever it is called', async () => {
  const inTree = await writeFolder({ 'plain.txt': 'plain\n', '.git': 'gitdir: meta\n', 'meta/config': '' })
  await expectRefused(inTree, 'meta/hooks/pre-commit')
  await expectRefused(inTree, 'meta/config')
})

test('no tool writes into a repository without a work tree, nor makes one of a folder', async () => {
  const root = await writeFolder({ 'plain.txt': 'plain\n', 'half/objects/x': '', 'half/refs/x': '', 'half/config': '' })
  execFileSync('git', ['init', '-q', '--bare', join(root, 'bare')])
  await expectRefused(root, 'bare/config')
  await expectRefused(root, 'bare/hooks/post-update')
  await expectRefused(root, 'half/HEAD')
  expect(existsSync(join(root, 'half/HEAD'))).toBe(false)
})

test('a link to a protected folder is as protected', async () => {
  const root = await writeFolder({ 'plain.txt': 'plain\n', '.git/config': '[core]\n' })
  await symlink('.git', join(root, 'meta'))
  await expectRefused(root, 'meta/config')
})

test('a folder that somebody opened by its own name is open', async () => {
  const root = await writeFolder({ '.vscode/tasks.json': '{}' })
  const workspace = createWorkspace({ roots: [root, join(root, '.vscode')] })
  const tools = createBuiltinTools({ workspace })
  await callTool(tools.get('write_file')!, { path: '.vscode/tasks.json', content: '[]' })
  expect(await readFile(join(root, '.vscode/tasks.json'), 'utf8')).toBe('[]')
})

const moving = '*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.chatmd\n@@\n-a\n+b\n*** End Patch\n'

test.each<[string, unknown]>([
  ['write_file', { path: 'other.chatmd', content: '' }],
  ['write_file', { path: 'deep/new.chatmd', content: '' }],
  ['write_file', { path: 'OTHER.ChatMD', content: '' }],
  ['write_file', { path: 'link.md', content: '' }],
  ['append_to_file', { path: 'other.chatmd', content: 'x' }],
  ['find_and_replace', { path: 'other.chatmd', search: 'a', replace: 'b' }],
  ['apply_patch', { patch: '*** Begin Patch\n*** Delete File: other.chatmd\n*** End Patch\n' }],
  ['apply_patch', { patch: moving }],
])('%s must ask before it changes another document: %j', async (name, input) => {
  const root = await writeFolder({ 'other.chatmd': '<user>\na\n</user>\n', 'a.txt': 'a\n' })
  await symlink('other.chatmd', join(root, 'link.md'))
  const tool = (await toolsIn(root)).get(name)!
  expect(await tool.mustAsk!(input)).toContain('is an Argot document')
})

test('about other files the policy decides', async () => {
  const tools = await toolsIn(await writeFolder({ 'a.txt': 'a\n' }))
  expect(await tools.get('write_file')!.mustAsk!({ path: 'a.txt', content: '' })).toBeUndefined()
  expect(await tools.get('apply_patch')!.mustAsk!({ patch: 'nonsense' })).toBeUndefined()
  expect(tools.get('read_file')!.mustAsk).toBeUndefined()
})
