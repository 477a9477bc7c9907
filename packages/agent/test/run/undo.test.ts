import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderStore, runDocument } from '@argot/agent'
import { readTurnChanges, undoTurn } from '@argot/agent/internal'
import { previewDocument } from '@argot/agent/workshop'
import { expect, test } from 'vitest'
import { share } from '../../../../test/share-of-cases.ts'
import { folderStoreOn } from '../../src/store/folder/folder-store.ts'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, scriptedModel } from '../scripted-model.ts'
import { DeadlyDisk } from '../transcript/unsafe-disk.ts'
import { optionsFor, playTurn, snapshot, undoDocument, undoPlace } from './undo-folder.ts'

const write = (path: string, content: string): [string, unknown] => ['write_file', { path, content }]

test('a turn has one diff per file, over all of its calls, and names what is not undone', async () => {
  const place = await undoPlace(
    { 'project/notes.md': 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n' },
    `<tool name="deploy"/>\n<tool name="look"/>\n${undoDocument}`,
  )
  const edit = (search: string, replace: string): [string, unknown] => [
    'find_and_replace',
    { path: 'notes.md', search, replace },
  ]
  const tools = [fakeTool('deploy', 'exec'), fakeTool('look', 'read')]
  const run = await playTurn(
    place,
    [
      [edit('a\n', 'A\n')],
      [edit('j\n', 'J\nk\n'), ['deploy', { a: 'prod' }], ['look', { a: 'x' }]],
      [edit('A\n', 'AA\n')],
    ],
    { tools },
  )
  const changes = await readTurnChanges(place.file, `msg-${run}`, optionsFor(place))
  expect(changes).toEqual({
    run,
    message: `msg-${run}`,
    isOver: true,
    files: [
      {
        path: 'notes.md',
        operation: 'update',
        state: 'ready',
        added: 3,
        removed: 2,
        diff: '@@ -1,4 +1,4 @@\n-a\n+AA\n b\n c\n d\n@@ -7,4 +7,5 @@\n g\n h\n i\n-j\n+J\n+k',
      },
    ],
    effects: [{ toolName: 'deploy', text: expect.stringContaining('prod') }],
  })
  const undo = await undoTurn(place.file, run, optionsFor(place))
  expect(undo).toMatchObject({ files: [{ path: 'notes.md', outcome: 'restored' }], effects: changes.effects })
  const after = await readTurnChanges(place.file, run, optionsFor(place))
  expect(after).toMatchObject({ undoneAt: undo.undoneAt, files: [{ state: 'undone', added: 3, removed: 2 }] })
})

test('files that agents and forks inside the turn changed are part of it', async () => {
  const place = await undoPlace(
    { 'project/helper.chatmd': '<tool name="write_file"/>\n<system>\nHelp.\n</system>\n' },
    '<tool name="helper" agent="helper.chatmd" local/>\n<tool name="write_file"/>\n\n<user>\nGo.\n</user>\n',
  )
  const before = snapshot(place.project)
  const model = scriptedModel([
    [...call('h', 'helper', { input: 'Write.' }), finish('tool-calls')],
    [...call('w', 'write_file', { path: 'inside.txt', content: 'by the helper\n' }), finish('tool-calls')],
    'The helper is done.',
    'Done.',
  ])
  const run = runDocument(place.file, { ...optionsFor(place), model })
  expect((await run.result).status).toBe('done')
  const { files, effects } = await readTurnChanges(place.file, undefined, optionsFor(place))
  expect(files).toMatchObject([{ path: 'inside.txt', added: 1, removed: 1, state: 'ready' }])
  expect(effects).toMatchObject([{ toolName: 'helper' }])
  await undoTurn(place.file, undefined, optionsFor(place))
  expect(snapshot(place.project)).toEqual(before)
})

test('the model learns of an undo with the next message, in the same place in every prompt, and a preview shows it', async () => {
  const place = await undoPlace()
  await playTurn(place, [[write('inside.txt', 'one\n'), write('kept.txt', 'two\n')]])
  writeFileSync(join(place.project, 'kept.txt'), 'mine\n')
  await undoTurn(place.file, undefined, optionsFor(place))
  const text = readFileSync(place.file, 'utf8')
  const model = scriptedModel(['All right.'])
  const next = (input: string) => runDocument(place.file, { ...optionsFor(place), model, input }).result
  const note =
    '[The user has undone your changes to these files, which have their earlier content again: "inside.txt". Not undone, because they had changed since: "kept.txt".]'
  const preview = await previewDocument(place.file, { ...optionsFor(place), model: 'demo', input: 'Why?' })
  expect(preview.messages.at(-1)?.pieces[0]).toMatchObject({ text: note, origin: 'an undone turn', added: true })
  await next('Why?')
  await next('And now?')
  const users = model.asked.map(({ prompt }) => prompt.filter(({ role }) => role === 'user').map(one => one.content))
  expect(users[0]?.[1]).toMatchObject([{ text: note }, { text: 'Why?' }])
  expect(users[1]?.slice(0, 2)).toEqual(users[0])
  expect(users[1]?.[2]).toMatchObject([{ text: 'And now?' }])
  expect(readFileSync(place.file, 'utf8').slice(0, text.length)).toBe(text)
  expect(readFileSync(place.file, 'utf8')).not.toContain('undone')
})

test('an undo waits for no run: it is refused while one has the document or waits for an answer', async () => {
  const place = await undoPlace()
  const store = folderStore(place.project, { configFolder: place.config, env: {} })
  await playTurn(place, [[write('inside.txt', 'one\n')]])
  const lease = await store.leases.take('chat.chatmd')
  await expect(undoTurn(place.file, undefined, optionsFor(place))).rejects.toMatchObject({ code: 'RUN_LOCKED' })
  await lease.release()
  const model = scriptedModel([[...call('w', 'write_file', { path: 'x', content: 'x' }), finish('tool-calls')]])
  const ask = async () => undefined
  await runDocument(place.file, { ...optionsFor(place), model, approve: 'ask', ask, input: 'More.' }).result
  await expect(undoTurn(place.file, undefined, optionsFor(place))).rejects.toMatchObject({ code: 'RUN_PARKED' })
  await expect(undoTurn(place.file, 'no-such-run', optionsFor(place))).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
})

test('a write that the system refused is no change', async () => {
  const place = await undoPlace()
  const editor = { files: { write: () => Promise.reject(new Error('no')) } }
  await playTurn(place, [[write('inside.txt', 'one\n')]], { editor })
  expect((await readTurnChanges(place.file, undefined, optionsFor(place))).files).toEqual([])
})

const remove = (path: string): [string, unknown] => [
  'apply_patch',
  { patch: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch\n` },
]
const addAndDelete = (path: string): [string, unknown][] => [write(path, 'one\n'), remove(path)]

test('an undo removes the empty folders of a file that the turn added and deleted again', async () => {
  const place = await undoPlace()
  const before = snapshot(place.project)
  const calls = [...addAndDelete('new/deep/c.txt'), write('new/d.txt', 'd\n'), ...addAndDelete('new/other/e.txt')]
  await playTurn(
    place,
    calls.map(one => [one]),
  )
  const { files } = await undoTurn(place.file, undefined, optionsFor(place))
  expect(files).toEqual([{ path: 'new/d.txt', outcome: 'restored' }])
  expect(snapshot(place.project)).toEqual(before)
  mkdirSync(join(place.project, 'new/deep'), { recursive: true })
  await undoTurn(place.file, undefined, optionsFor(place))
  expect(Object.keys(snapshot(place.project)), 'made after the undo').toContain('new/deep/')
})

test('an undo restores the permissions of a file that the turn deleted and wrote again with the same content', async () => {
  const place = await undoPlace({ 'project/b.txt': 'one\n' })
  chmodSync(join(place.project, 'b.txt'), 0o750)
  const before = snapshot(place.project)
  const calls = [remove('b.txt'), write('b.txt', 'one\n'), write('a.txt', 'one\n')]
  await playTurn(
    place,
    calls.map(one => [one]),
  )
  expect(snapshot(place.project)['b.txt']).not.toBe(before['b.txt'])
  await undoTurn(place.file, undefined, optionsFor(place))
  expect(snapshot(place.project)).toEqual(before)
})

test('an undo leaves folders that were there before the turn or that have other contents', async () => {
  const place = await undoPlace()
  mkdirSync(join(place.project, 'old/empty'), { recursive: true })
  const calls = [
    ...addAndDelete('old/empty/a.txt'),
    ...addAndDelete('new/deep/c.txt'),
    write('inside.txt', 'changed\n'),
  ]
  await playTurn(
    place,
    calls.map(one => [one]),
  )
  writeFileSync(join(place.project, 'new/mine.txt'), 'mine\n')
  await undoTurn(place.file, undefined, optionsFor(place))
  expect(Object.keys(snapshot(place.project))).toEqual(['inside.txt', 'new/', 'new/mine.txt', 'old/', 'old/empty/'])
})

test('wherever the process dies, the log knows every file that has changed, and the undo restores it', async () => {
  const key = Buffer.from('11'.repeat(32), 'hex')
  const steps = (): ReturnType<typeof scriptedModel> =>
    scriptedModel([
      ({ prompt }) =>
        prompt.some(({ role }) => role === 'tool')
          ? 'Done.'
          : [
              ...call('a', 'write_file', { path: 'inside.txt', content: 'changed\n' }),
              ...call('b', 'apply_patch', {
                patch: '*** Begin Patch\n*** Update File: old.txt\n*** Move to: new.txt\n@@\n-old\n+new\n*** End Patch',
              }),
              finish('tool-calls'),
            ],
    ])
  let at = 0
  let changed = 0
  // Each moment of an operation in turn.
  for (; ; at += share === 1 ? 1 : 5) {
    const place = await undoPlace({ 'project/old.txt': 'old\n' })
    const before = snapshot(place.project)
    const disk = new DeadlyDisk(at, (['before', 'within', 'behind'] as const)[at % 3]!)
    const own = { ...optionsFor(place), model: steps() }
    const dying = runDocument('chat.chatmd', { ...own, store: folderStoreOn(disk, place.project, { key }) })
    await dying.result
    disk.bury()
    if (disk.count <= at) break
    rmSync(join(place.project, '.chatmd/locks'), { recursive: true, force: true })
    const isChanged = JSON.stringify(snapshot(place.project)) !== JSON.stringify(before)
    if (isChanged) changed++
    // The next process settles what was interrupted; it is told, and does nothing again.
    const last = await runDocument(place.file, { ...own, model: scriptedModel(['Done.']), interrupted: 'tell' }).result
    if (last.status !== 'done') expect(last).toMatchObject({ code: 'RUN_NOTHING_TO_ANSWER' })
    const { files } = await undoTurn(place.file, undefined, optionsFor(place)).catch(error => {
      if (isChanged) throw error
      return { files: [] }
    })
    for (const { outcome } of files) expect(['restored', 'already']).toContain(outcome)
    expect(snapshot(place.project), `operation ${at}`).toEqual(before)
  }
  expect(at).toBeGreaterThan(30)
  expect(changed).toBeGreaterThan(2)
})
