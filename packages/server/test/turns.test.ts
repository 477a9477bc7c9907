import { rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import type { Api, RunResource } from '@argot/server/api'
import { expect, test } from 'vitest'
import { call, finish } from '../../agent/test/scripted-model.ts'
import { type ServedFolder, type ServeOptions, serveFolder } from './served-folder.ts'

type Changes = Api['readChanges']['answer']
type Undo = Api['undoTurn']['answer']

const tools = ['write_file', 'apply_patch'].map(name => `<tool name="${name}"/>\n`).join('')
const files = { 'sub/chat.chatmd': `${tools}\n<user>\nDo it.\n</user>\n`, 'sub/a.md': 'one\n', 'b.md': 'two\n' }
const steps = [
  [
    ...call('c1', 'write_file', { path: 'sub/a.md', content: 'one\nmore\n' }),
    ...call('c2', 'apply_patch', { patch: '*** Begin Patch\n*** Delete File: b.md\n*** End Patch' }),
    ...call('c3', 'write_file', { path: 'new/c.md', content: 'three\n' }),
    finish('tool-calls'),
  ],
  'Done.',
]

async function serveTurn(options: ServeOptions = {}): Promise<ServedFolder & { turn: string; run: string }> {
  const served = await serveFolder(steps, { files, ...options, run: { approve: 'all', ...options.run } })
  const headers = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }
  const own = { ...served, get: (path: string) => served.ask('GET', path, undefined, headers).then(one => one.json()) }
  const started = await served.ask('POST', '/api/runs', { document: 'sub/chat.chatmd' }, headers)
  const { id } = (await started.json()) as RunResource
  await expect.poll(async () => (await own.get(`/api/runs/${id}`)).state, { timeout: 30_000 }).toBe('done')
  return { ...own, run: id, turn: `/api/documents/sub/chat.chatmd/turns/${id}` }
}

test('the changes of a turn are read by its run or its message, undone once, and the undo is recorded', async () => {
  const { turn, run, get, post, read, ask } = await serveTurn()
  const changes = await get<Changes>(`${turn}/changes`)
  expect(changes).toMatchObject({
    run,
    message: `msg-${run}`,
    isOver: true,
    files: [
      {
        path: 'sub/a.md',
        operation: 'update',
        added: 1,
        removed: 0,
        state: 'ready',
        diff: '@@ -1,1 +1,2 @@\n one\n+more',
      },
      { path: 'b.md', operation: 'delete', added: 0, removed: 1, state: 'ready' },
      { path: 'new/c.md', operation: 'add', added: 1, removed: 0, state: 'ready' },
    ],
    effects: [],
  })
  expect(await get(`${turn.replace(run, `msg-${run}`)}/changes`)).toEqual(changes)
  const undo = await post<Undo>(`${turn}/undo`, undefined)
  expect(undo.files).toEqual(['sub/a.md', 'b.md', 'new/c.md'].map(path => ({ path, outcome: 'restored' })))
  expect([await read('sub/a.md'), await read('b.md')]).toEqual(['one\n', 'two\n'])
  await expect(read('new/c.md')).rejects.toThrow('ENOENT')
  const again = await post<Undo>(`${turn}/undo`, undefined)
  expect(again.files.map(({ outcome }) => outcome)).toEqual(['already', 'already', 'already'])
  expect(again.undoneAt).toBe(undo.undoneAt)
  expect(await get<Changes>(`${turn}/changes`)).toMatchObject({
    undoneAt: undo.undoneAt,
    files: [{ state: 'undone' }, {}, {}],
  })
  const sidecar = await read('sub/.chatmd/sidecars/chat.chatmd.jsonl')
  const record = sidecar.split('\n').findLast(line => line.includes('"undone"'))
  expect(record).toContain('"by":')
  for (const [path, status] of [
    ['/api/documents/sub/chat.chatmd/turns/nope/changes', 404],
    ['/api/documents/nope.chatmd/turns/x/changes', 404],
    ['/api/documents/..%2Fchat.chatmd/turns/x/changes', 400],
  ] as const) {
    expect([path, (await ask('GET', path)).status]).toEqual([path, status])
  }
})

test('an undo leaves alone what changed since and what leads elsewhere, and says why', async () => {
  const { turn, folder, post, read } = await serveTurn()
  await writeFile(join(folder, 'sub/a.md'), 'mine\n')
  await rm(join(folder, 'new'), { recursive: true })
  await symlink('/tmp', join(folder, 'new'))
  const { files: outcomes } = await post<Undo>(`${turn}/undo`, undefined)
  expect(outcomes).toEqual([
    { path: 'sub/a.md', outcome: 'refused', reason: 'It has changed since the turn.' },
    { path: 'b.md', outcome: 'restored' },
    { path: 'new/c.md', outcome: 'refused', reason: 'It is outside the folders that tools may use.' },
  ])
  expect([await read('sub/a.md'), await read('b.md')]).toEqual(['mine\n', 'two\n'])
})

test('an undo is refused while a run has the document, by another origin, and without the token', async () => {
  const { turn, ask, server, folder } = await serveTurn({ token: 'secret-token-of-this-test' })
  const own = { authorization: 'Bearer secret-token-of-this-test' }
  expect((await ask('POST', `${turn}/undo`)).status).toBe(401)
  expect((await ask('POST', `${turn}/undo`, undefined, { ...own, origin: 'http://evil.example' })).status).toBe(403)
  expect((await ask('GET', `${turn}/undo`, undefined, own)).status).toBe(405)
  const lease = await folderStore(folder, { key: Buffer.alloc(32, 7) }).leases.take('sub/chat.chatmd')
  const busy = await ask('POST', `${turn}/undo`, undefined, own)
  expect([busy.status, await busy.json()]).toMatchObject([409, { code: 'SERVER_BUSY' }])
  await lease.release()
  expect((await ask('POST', `${turn}/undo`, undefined, own)).status).toBe(200)
  expect(server.openapi).toHaveProperty(['paths', '/api/documents/{path}/turns/{turn}/undo', 'post'])
})

test('a store that keeps no versions says so for each file', async () => {
  const { turn, get, post } = await serveTurn({ over: ({ versions: _, ...store }) => store })
  const { files: listed } = await get<Changes>(`${turn}/changes`)
  expect(listed[0]).toMatchObject({
    state: 'refused',
    reason: "This document's store keeps no earlier versions of files.",
  })
  const { files: outcomes } = await post<Undo>(`${turn}/undo`, undefined)
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['refused', 'refused', 'restored'])
})
