import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineTool, runDocument } from '@argot/agent'
import { expect, test } from 'vitest'
import { call, finish, scriptedModel } from '../../agent/test/scripted-model.ts'
import { commandLine, folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'
import { hasScript, onTerminal, words } from './on-terminal.ts'

const places = Array.from({ length: 101 }, (_, index) => `place-${index}`)

/** A folder whose document has had a turn that changed two files, made one and ran a program many times. */
async function turnFolder(): Promise<string> {
  const tools = ['write_file', 'apply_patch', 'deploy'].map(name => `<tool name="${name}"/>\n`).join('')
  const cwd = await folderWith({
    'chat.chatmd': `${tools}\n<user>\nGo.\n</user>\n`,
    'a.md': 'one\n',
    'b.md': 'two\n',
  })
  const model = scriptedModel([
    [
      ...call('c1', 'write_file', { path: 'a.md', content: 'one\nmore\n' }),
      ...call('c2', 'apply_patch', { patch: '*** Begin Patch\n*** Delete File: b.md\n*** End Patch' }),
      ...call('c3', 'write_file', { path: 'new\u001b[2J/c.md', content: 'three\n' }),
      ...places.flatMap(a => call(a, 'deploy', { a })),
      finish('tool-calls'),
    ],
    'Done.',
  ])
  const deploy = defineTool({
    ...{ name: 'deploy', description: 'Deploys.', inputSchema: { type: 'object' } },
    effect: 'exec',
    execute: () => 'deployed',
  })
  const run = runDocument('chat.chatmd', {
    ...{ model, cwd, env: {}, tools: [deploy], approve: 'all' },
    configFolder: join(cwd, '.config/argot'),
  })
  expect((await run.result).status).toBe('done')
  return cwd
}

test('argot undo does not claim that a turn changed no files if one of its calls may have', async () => {
  const cwd = await folderWith({ 'chat.chatmd': '<tool name="write"/>\n\n<user>\nGo.\n</user>\n' })
  // A tool of an application, or `write_file` in a turn from before files were kept.
  const write = defineTool({
    ...{ name: 'write', description: 'Writes.', inputSchema: { type: 'object' } },
    effect: 'write',
    execute: () => 'Written.',
  })
  const model = scriptedModel([[...call('c1', 'write', { path: 'a.md' }), finish('tool-calls')], 'Done.'])
  const options = { cwd, env: {}, approve: 'all', configFolder: join(cwd, '.config/argot') } as const
  const run = runDocument('chat.chatmd', { ...options, model, tools: [write] })
  expect((await run.result).status).toBe('done')
  const { stdout, stderr } = await inProcess(['undo', 'chat.chatmd', '--yes'], { cwd })
  expect([stdout, stderr]).toEqual(["Can't be undone: Wrote a.md.\n", 'Nothing to undo.\n'])
})

test('argot undo shows its plan, asks, restores, and says what is not undone', async () => {
  const cwd = await turnFolder()
  const dry = await inProcess(['undo', 'chat.chatmd', '--dry-run'], { cwd })
  expect(dry.status).toBe(0)
  expect(dry.stdout).toMatch(
    /^restore {2}a\.md {2}\+1 −0\nrestore {2}b\.md {2}\+0 −1\nremove {3}new.*\/c\.md {2}\+1 −0\nCan't be undone: .*place-100\.\n$/,
  )
  expect(places.filter(one => !dry.stdout.includes(one))).toEqual([])
  expect(dry.stdout).not.toContain('\u001b')
  const json = await inProcess(['undo', 'chat.chatmd', '--dry-run', '--json'], { cwd })
  expect(JSON.parse(json.stdout)).toMatchObject({
    isOver: true,
    files: [{ diff: '@@ -1,1 +1,2 @@\n one\n+more' }, {}, {}],
  })
  const pipe = await inProcess(['undo', 'chat.chatmd'], { cwd })
  expect([pipe.status, pipe.stderr]).toEqual([2, expect.stringContaining('No one can answer the question. Use --yes')])
  expect(readFileSync(join(cwd, 'a.md'), 'utf8')).toBe('one\nmore\n')
  writeFileSync(join(cwd, 'a.md'), 'mine\n')
  const done = await inProcess(['undo', 'chat.chatmd', '--yes'], { cwd })
  expect([done.status, done.stderr]).toEqual([1, 'Restored 2 files. 1 file left unchanged.\n'])
  expect(done.stdout).toContain('leave    a.md: It has changed since the turn.\n')
  expect([readFileSync(join(cwd, 'a.md'), 'utf8'), readFileSync(join(cwd, 'b.md'), 'utf8')]).toEqual([
    'mine\n',
    'two\n',
  ])
  const again = await inProcess(['undo', 'chat.chatmd', '-y'], { cwd })
  expect(again).toMatchObject({
    status: 1,
    stderr: 'Nothing to undo.\n',
    stdout: expect.stringContaining('undone   b.md'),
  })
  const other = await inProcess(['undo', 'chat.chatmd', '--run', 'nope'], { cwd })
  expect([other.status, other.stderr]).toEqual([1, 'argot: There is no run `nope`. (RUN_NOT_FOUND)\n'])
})

test.runIf(hasScript)('on a terminal an Enter alone undoes nothing, and a yes does', async () => {
  const cwd = await turnFolder()
  const env = { HOME: cwd }
  const no = words(await onTerminal(commandLine(['undo', 'chat.chatmd']), [['Restore 3 files?', '\r']], { cwd, env }))
  expect(no).toContain('Nothing was undone.')
  expect(readFileSync(join(cwd, 'a.md'), 'utf8')).toBe('one\nmore\n')
  const yes = words(await onTerminal(commandLine(['undo', 'chat.chatmd']), [['Restore 3 files?', 'y']], { cwd, env }))
  expect(yes).toContain('Restored 3 files.')
  expect(yes).toContain('status 0')
  expect(readFileSync(join(cwd, 'a.md'), 'utf8')).toBe('one\n')
})
