import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runDocument } from '@argot/agent'
import { expect, test } from 'vitest'
import { documentFolder, follow } from '../run/document-folder.ts'
import { call, finish, scriptedModel } from '../scripted-model.ts'

const document = '<tool name="read_file"/>\n\n<user>\nRead it: <doc src="notes.txt" local/>\n</user>\n'

function git(folder: string, ...words: string[]): string {
  return execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8' })
}

async function run(folder: string): Promise<void> {
  const model = scriptedModel([[...call('x', 'read_file', { path: 'notes.txt' }), finish('tool-calls')], 'Done.'])
  const options = { cwd: folder, env: {}, configFolder: join(folder, '.config'), model }
  const { result } = await follow(runDocument('chat.chatmd', options))
  expect(result.status).toBe('done')
}

test('git sees the document, its payloads and its sources after a run, and nothing else', async () => {
  const folder = await documentFolder({ 'chat.chatmd': document, 'notes.txt': 'Milk.' })
  git(folder, 'init', '-q')
  writeFileSync(join(folder, '.git/info/exclude'), '/.config/\n')
  await run(folder)
  const seen = git(folder, 'status', '--porcelain', '--untracked-files=all').trim().split('\n')
  const kinds = new Set(
    seen.map(line =>
      line
        .slice(3)
        .replace(/[0-9]+\.(tool-call)/, 'N.$1')
        .replace(/(sources)\/.*/, '$1/'),
    ),
  )
  expect([...kinds].sort()).toEqual([
    '.chatmd/.gitignore',
    '.chatmd/N.tool-call-result.c1.json',
    '.chatmd/N.tool-call.c1.json',
    '.chatmd/sources/',
    'chat.chatmd',
    'notes.txt',
  ])
})

test('an existing .gitignore stays; a folder of an older version gets one, once', async () => {
  const folder = await documentFolder({
    'chat.chatmd': document,
    'notes.txt': 'Milk.',
    '.chatmd/.gitignore': '# mine\n',
  })
  await run(folder)
  expect(readFileSync(join(folder, '.chatmd/.gitignore'), 'utf8')).toBe('# mine\n')
  const other = await documentFolder({ 'chat.chatmd': document, 'notes.txt': 'Milk.' })
  mkdirSync(join(other, '.chatmd'))
  writeFileSync(join(other, '.chatmd/x'), '')
  await run(other)
  expect(existsSync(join(other, '.chatmd/.gitignore'))).toBe(true)
  rmSync(join(other, '.chatmd/.gitignore'))
  appendFileSync(join(other, 'chat.chatmd'), '\n<user>\nAgain.\n</user>\n')
  await run(other)
  expect(existsSync(join(other, '.chatmd/.gitignore'))).toBe(false)
})
