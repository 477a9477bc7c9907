import { chmod, mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerOptions } from '@argot/server'
import { expect, test } from 'vitest'
import { call, finish } from '../../../agent/test/scripted-model.ts'
import { MemoryQueue } from '../runs/memory-queue.ts'
import { type ServedFolder, serveFolder } from '../served-folder.ts'

const text = '<tool name="write_file"/>\n\n<user>\nDo it.\n</user>\n'
const files = { 'a/chat.chatmd': text, 'ab/chat.chatmd': text, 'a/sub/chat.chatmd': text, 'notes.md': 'x\n' }
let count = 0

/** A step with one write to a file. */
const write = (path: string, content = 'new\n') => {
  count++
  return [...call(`c${count}`, 'write_file', { path, content }), finish('tool-calls')]
}

interface Relaxable extends ServedFolder {
  notices: string[]
  clock: { now: number }
  /** Sends a message and gives the run once it waits or is over. */
  send(document: string): Promise<{ id: string; state: string; pending: { approvalId: string; inputHash: string }[] }>
  answer(run: { id: string; pending: { approvalId: string; inputHash: string }[] }, approved?: boolean): Promise<void>
  key(document: string): Promise<string>
  relax(folder: string, document: string, key?: string): Promise<Response>
  off(folder: string): Promise<Response>
}

/** Adds what the tests do to a server. */
function relaxable(served: ServedFolder, notices: string[], clock: { now: number }): Relaxable {
  const key: Relaxable['key'] = async document =>
    (await served.get<{ key: string }>(`/api/relax?document=${encodeURIComponent(document)}`)).key
  return {
    ...served,
    notices,
    clock,
    key,
    async send(document) {
      const { id } = await served.post('/api/runs', { document, input: 'Go on.' })
      return served.until(id, 'waiting', 'done')
    },
    async answer({ id, pending }, approved = true) {
      const answers = pending.map(({ approvalId, inputHash }) => ({ approvalId, inputHash, approved }))
      await served.post(`/api/runs/${id}/approvals`, { answers })
      if (!approved) await served.until(id, 'done')
    },
    relax: async (folder, document, given) =>
      served.ask('POST', '/api/relax', { folder, document, key: given ?? (await key(document)) }),
    off: folder => served.ask('DELETE', `/api/relax?folder=${encodeURIComponent(folder)}`),
  }
}

async function serve(
  steps: Parameters<typeof serveFolder>[0],
  options: Partial<ServerOptions> = {},
): Promise<Relaxable> {
  const notices: string[] = []
  const clock = { now: Date.now() }
  const served = await serveFolder(steps, {
    files,
    allowRelax: true,
    notice: said => notices.push(said),
    now: () => clock.now,
    ...options,
  })
  return relaxable(served, notices, clock)
}

/** Each document has been run once, so that it is this user's. */
const known = ['Hello.', 'Hello.', 'Hello.']
async function knowAll({ send }: Relaxable): Promise<void> {
  for (const document of ['a/chat.chatmd', 'ab/chat.chatmd', 'a/sub/chat.chatmd']) await send(document)
}

test('calls in the folder and below it run for an hour, are logged, and ask again after Off', async () => {
  const served = await serve([
    ...known,
    ...[write('a/one.md'), 'Done.', write('a/sub/two.md'), 'Done.', write('notes.md'), 'Not allowed.'],
    ...[write('ab/x.md'), 'Denied.', write('a/after.md'), 'Denied.', write('a/late.md'), 'Denied.'],
  ])
  await knowAll(served)
  const { send, relax, off, key, answer, clock, notices, read } = served
  const used = await key('a/chat.chatmd')
  expect((await relax('a', 'a/chat.chatmd', used)).status).toBe(200)
  const run = await send('a/chat.chatmd')
  expect(run.state).toBe('done')
  expect(await read('a/one.md')).toBe('new\n')
  expect(await read(`a/.chatmd/runs/chat.chatmd/${run.id}.jsonl`)).toContain('data-argot-relaxed')
  expect(notices.some(one => one.includes('runs without asking: approvals are relaxed until'))).toBe(true)
  expect((await send('a/sub/chat.chatmd')).state).toBe('done')
  // A file outside of the folder, and a folder whose name begins alike.
  const outside = await send('a/chat.chatmd')
  expect(outside.state).toBe('waiting')
  await answer(outside, false)
  const beside = await send('ab/chat.chatmd')
  expect(beside.state).toBe('waiting')
  await answer(beside, false)
  const later = await key('a/chat.chatmd')
  expect((await off('a')).status).toBe(204)
  // Neither the request that turned it on nor an offer from before counts again.
  for (const old of [used, later, 'guess']) expect((await relax('a', 'a/chat.chatmd', old)).status).toBe(409)
  const after = await send('a/chat.chatmd')
  expect(after.state).toBe('waiting')
  await answer(after, false)
  expect((await relax('a', 'a/chat.chatmd')).status).toBe(200)
  clock.now += 60 * 60_000
  expect((await served.get<{ active: unknown[] }>('/api/relax')).active).toEqual([])
  expect((await send('a/chat.chatmd')).state).toBe('waiting')
  expect(notices.filter(one => /are relaxed until|ask again/.test(one) && one.startsWith('Approvals'))).toHaveLength(4)
})

test('a question that was asked before stays a question; after a restart everything asks again', async () => {
  const served = await serve([
    ...known,
    ...[
      [
        ...call('w1', 'write_file', { path: 'a/1.md', content: '1' }),
        ...call('w2', 'write_file', { path: 'a/2.md', content: '2' }),
        finish('tool-calls'),
      ],
    ],
    ...[write('a/3.md'), 'Done.'],
  ])
  await knowAll(served)
  const run = await served.send('a/chat.chatmd')
  expect(run.pending).toHaveLength(2)
  expect((await served.relax('a', 'a/chat.chatmd')).status).toBe(200)
  await served.answer({ id: run.id, pending: run.pending.slice(0, 1) })
  await expect.poll(() => served.read('a/1.md').catch(() => '')).toBe('1')
  const waiting = await served.until(run.id, 'waiting')
  expect(waiting.pending).toHaveLength(1)
  await served.answer(waiting)
  await served.until(run.id, 'done')
  // The call after them was new, so it ran.
  expect(await served.read('a/3.md')).toBe('new\n')
  const again = relaxable(await served.restart([write('a/4.md'), 'Done.']), [], served.clock)
  expect((await again.get<{ active: unknown[] }>('/api/relax')).active).toEqual([])
  expect((await again.send('a/chat.chatmd')).state).toBe('waiting')
})

test('rules, and a request that asks for less, are stricter than a relaxed folder', async () => {
  const served = await serve(
    [...known, write('a/no.md'), 'Denied.', write('a/ask.md'), 'Denied.', write('a/strict.md'), 'x'],
    {
      run: { rules: { deny: ['write_file(a/no.md)'], ask: ['write_file(a/ask.md)'] } },
    },
  )
  await knowAll(served)
  expect((await served.relax('', 'a/chat.chatmd')).status).toBe(200)
  expect((await served.send('a/chat.chatmd')).state).toBe('done')
  await expect(served.read('a/no.md')).rejects.toThrow()
  const asked = await served.send('a/chat.chatmd')
  expect(asked.state).toBe('waiting')
  await served.answer(asked, false)
  await served.until(asked.id, 'done')
  const { id } = await served.post('/api/runs', { document: 'a/chat.chatmd', input: 'Go on.', approve: 'ask' })
  expect((await served.until(id, 'waiting', 'done')).state).toBe('waiting')
})

test('other sites, forms, strangers and folders elsewhere relax nothing', async () => {
  const served = await serve([...known, write('a/one.md'), 'x'], { token: 'a secret token' })
  const { folder } = served
  const own = { authorization: 'Bearer a secret token' }
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = own) =>
    served.ask(method, path, body, headers)
  const first = await ask('GET', '/api/relax?document=a%2Fchat.chatmd')
  expect(await first.json()).toEqual({ active: [], problem: 'You have not run this document yet.' })
  const body = { folder: 'a', document: 'a/chat.chatmd', key: 'x' }
  expect((await ask('POST', '/api/relax', body)).status).toBe(403)
  const { id } = (await (await ask('POST', '/api/runs', { document: 'a/chat.chatmd' })).json()) as { id: string }
  await expect
    .poll(async () => ((await (await ask('GET', `/api/runs/${id}`)).json()) as { state: string }).state)
    .toBe('done')
  const key = async (): Promise<string> =>
    ((await (await ask('GET', '/api/relax?document=a%2Fchat.chatmd')).json()) as { key: string }).key
  const post = async (more: Record<string, unknown>, headers: Record<string, string> = own) =>
    (await ask('POST', '/api/relax', { ...body, key: await key(), ...more }, headers)).status
  expect(await post({}, {})).toBe(401)
  expect(await post({}, { ...own, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await post({}, { ...own, 'content-type': 'text/plain' })).not.toBe(200)
  expect(await post({ minutes: 9999 })).toBe(400)
  for (const elsewhere of ['..', 'a/..', '/', '/etc', '.chatmd', 'a//', 'a\\b'])
    expect(await post({ folder: elsewhere }), elsewhere).toBe(400)
  expect(await post({ folder: 'none' })).toBe(404)
  expect(await post({ folder: 'ab' })).toBe(409)
  await mkdir(join(folder, '..', 'outside'), { recursive: true })
  await symlink(join(folder, '..', 'outside'), join(folder, 'way-out'))
  expect(await post({ folder: 'way-out' })).toBe(400)
  await chmod(join(folder, 'a/chat.chatmd'), 0o666)
  expect(await (await ask('GET', '/api/relax?document=a%2Fchat.chatmd')).json()).toMatchObject({
    problem: 'Everyone on this machine can change the document.',
  })
  expect(((await (await ask('GET', '/api/relax')).json()) as { active: unknown[] }).active).toEqual([])
})

test('a document that is put in place of one that was yours asks', async () => {
  const served = await serve([...known, write('a/one.md'), 'Denied.'])
  await knowAll(served)
  expect((await served.relax('', 'a/chat.chatmd')).status).toBe(200)
  await writeFile(join(served.folder, 'downloaded.chatmd'), text)
  expect((await served.send('downloaded.chatmd')).state).toBe('waiting')
  // A folder that takes the place of a relaxed one is another folder only if its real path is.
  await rename(join(served.folder, 'ab'), join(served.folder, 'abc'))
  expect((await served.get<{ active: unknown[] }>('/api/relax')).active).toHaveLength(1)
})

test('without `allowRelax` there is no such route, and a server that shares its queue refuses to start with it', async () => {
  const served = await serveFolder(['Hello.'], { files })
  for (const method of ['GET', 'DELETE']) {
    const answer = await served.ask(method, '/api/relax')
    expect(answer.status).toBe(404)
    expect(await answer.json()).toEqual({ code: 'SERVER_NOT_FOUND', message: 'There is nothing at this address.' })
  }
  const body = { folder: '', document: 'a/chat.chatmd', key: 'x' }
  expect((await served.ask('POST', '/api/relax', body)).status).toBe(404)
  const alone = { files, allowRelax: true }
  await expect(serveFolder([], { ...alone, workers: false })).rejects.toThrow(/runs its documents itself/)
  const queue = Object.assign(new MemoryQueue(), { watch: async function* () {} })
  await expect(serveFolder([], { ...alone, queue })).rejects.toThrow(/runs its documents itself/)
})
