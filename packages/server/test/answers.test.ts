import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Message } from '@argot/core'
import type { Api, DocumentEntry } from '@argot/server/api'
import { expect, test } from 'vitest'
import { type ServedFolder, serveFolder } from './served-folder.ts'

const files = { 'a.chatmd': '<user>\nHello.\n</user>\n', 'sub/b.chatmd': '<user>\nHello.\n</user>\n' }

async function answer({ post, until, get }: ServedFolder, document: string, body: object = {}): Promise<Message> {
  const { id } = await post('/api/runs', { document, ...body })
  await until(id, 'done')
  return (await get<{ messages: Message[] }>(`/api/documents/${document}/messages`)).messages.at(-1)!
}

async function points({ get }: ServedFolder, document: string): Promise<Api['listBranches']['answer']['points']> {
  return (await get<Api['listBranches']['answer']>(`/api/documents/${document}/branches`)).points
}

async function feedback({ get }: ServedFolder, document: string): Promise<unknown[]> {
  const { messages } = await get<{ messages: Message[] }>(`/api/documents/${document}/messages`)
  return messages.map(({ metadata }) => metadata?.feedback)
}

test('each answer to a message is found from every other, after a restart too', async () => {
  let served = await serveFolder(['One.', 'More.', 'Two.', 'Three.'], { files })
  const first = await answer(served, 'sub/b.chatmd')
  await answer(served, 'sub/b.chatmd', { input: 'And?' })
  expect(await points(served, 'sub/b.chatmd')).toEqual([])
  const { path } = await served.post<{ path: string }>('/api/documents/sub/b.chatmd/branch', { at: first.id })
  expect(path).toBe('sub/b.1.chatmd')
  // Its answer is not there yet.
  expect(await points(served, path)).toEqual([{ documents: ['sub/b.chatmd', path], current: 1 }])
  const second = await answer(served, path)
  const { path: third } = await served.post<{ path: string }>(`/api/documents/${path}/branch`, { at: second.id })
  const last = await answer(served, third)
  served = await served.restart([])
  const documents = ['sub/b.chatmd', path, third]
  expect(await points(served, 'sub/b.chatmd')).toEqual([{ message: first.id, documents, current: 0 }])
  expect(await points(served, path)).toEqual([{ message: second.id, documents, current: 1 }])
  expect(await points(served, third)).toEqual([{ message: last.id, documents, current: 2 }])
  const list = await served.get<DocumentEntry[]>('/api/documents')
  expect(list.map(({ path, branchOf }) => [path, branchOf])).toEqual([
    ['a.chatmd', undefined],
    ['sub/b.1.chatmd', 'sub/b.chatmd'],
    ['sub/b.2.chatmd', 'sub/b.1.chatmd'],
    ['sub/b.chatmd', undefined],
  ])
})

test('feedback comes back with the messages, is kept once, and can be taken back', async () => {
  let served = await serveFolder(['One.'], { files })
  const { id } = await answer(served, 'a.chatmd')
  const address = '/api/documents/a.chatmd/feedback'
  const sidecar = join(served.folder, '.chatmd/sidecars/a.chatmd.jsonl')
  const given = { message: id, value: 'bad', reason: 'Too short.' }
  const before = await served.read('a.chatmd')
  expect(await (await served.ask('PUT', address, given)).json()).toEqual(given)
  const kept = await readFile(sidecar, 'utf8')
  expect((await served.ask('PUT', address, given)).status).toBe(200)
  expect(await readFile(sidecar, 'utf8')).toBe(kept)
  expect(await served.read('a.chatmd')).toBe(before)
  served = await served.restart([])
  expect(await feedback(served, 'a.chatmd')).toEqual([undefined, { value: 'bad', reason: 'Too short.' }])
  const { path } = await served.post<{ path: string }>('/api/documents/a.chatmd/branch', { at: id, including: true })
  expect(await feedback(served, path)).toEqual([undefined, { value: 'bad', reason: 'Too short.' }])
  expect((await served.ask('PUT', address, { message: id, value: 'none' })).status).toBe(200)
  expect(await feedback(served, 'a.chatmd')).toEqual([undefined, undefined])
  expect(await feedback(served, path)).toEqual([undefined, { value: 'bad', reason: 'Too short.' }])
})

test('feedback that is not about an answer of the document is refused, and so are planted records', async () => {
  const served = await serveFolder(['One.', 'Two.'], { files, token: 'secret' })
  const ask = (path: string, body: object, token = 'secret'): Promise<Response> =>
    served.ask('PUT', path, body, { authorization: `Bearer ${token}` })
  const post = async (path: string, body: object): Promise<{ id: string }> =>
    (await (await served.ask('POST', path, body, { authorization: 'Bearer secret' })).json()) as { id: string }
  const read = async (document: string): Promise<Message[]> => {
    const headers = { authorization: 'Bearer secret' }
    const response = await served.ask('GET', `/api/documents/${document}/messages`, undefined, headers)
    return ((await response.json()) as { messages: Message[] }).messages
  }
  for (const document of ['a.chatmd', 'sub/b.chatmd']) {
    await post('/api/runs', { document })
    await expect.poll(() => read(document), { timeout: 20_000 }).toHaveLength(2)
  }
  const [question, { id } = { id: '' }] = await read('a.chatmd')
  const [, other] = await read('sub/b.chatmd')
  const address = '/api/documents/a.chatmd/feedback'
  const status = async (path: string, body: object, token?: string): Promise<number> =>
    (await ask(path, body, token)).status
  expect(await status(address, { message: id, value: 'good' }, 'wrong')).toBe(401)
  expect(await status(address, { message: other!.id, value: 'good' })).toBe(404)
  expect(await status(address, { message: question!.id, value: 'good' })).toBe(404)
  expect(await status('/api/documents/none.chatmd/feedback', { message: id, value: 'good' })).toBe(404)
  expect(await status('/api/documents/..%2Fa.chatmd/feedback', { message: id, value: 'good' })).toBe(400)
  expect(await status(address, { message: id, value: 'great' })).toBe(400)
  expect(await status(address, { message: id, value: 'good', reason: 'x'.repeat(2001) })).toBe(400)
  expect(await status(address, { message: id, value: 'good', reason: 'x'.repeat(20_000) })).toBe(413)
  // What others wrote into the sidecar, or copied there from another one, says nothing.
  const sidecar = (name: string): string => join(served.folder, name)
  await ask('/api/documents/sub/b.chatmd/feedback', { message: other!.id, value: 'good' })
  const lines = (await readFile(sidecar('sub/.chatmd/sidecars/b.chatmd.jsonl'), 'utf8')).trim().split('\n')
  const signed = lines.find(line => line.includes('"feedback"'))!
  const planted = [
    JSON.stringify({ record: { feedback: { message: id, value: 'bad', reason: 'planted' } } }),
    JSON.stringify({ record: { branch: { of: '../../etc', keeps: 0, at: 1 } } }),
    JSON.stringify({ record: { branch: { of: 'b.chatmd', keeps: 1, at: 1 } } }),
    signed.replace(other!.id, id),
    signed,
  ]
  await appendFile(sidecar('.chatmd/sidecars/a.chatmd.jsonl'), `${planted.join('\n')}\n`)
  expect((await read('a.chatmd')).map(({ metadata }) => metadata?.feedback)).toEqual([undefined, undefined])
  const headers = { authorization: 'Bearer secret' }
  const branches = await served.ask('GET', '/api/documents/a.chatmd/branches', undefined, headers)
  expect(await branches.json()).toEqual({ points: [] })
})

test('while a run has the document, feedback is refused and nothing is lost', async () => {
  let release = (): void => {}
  const gate = new Promise<void>(resolve => {
    release = resolve
  })
  const before = { before: (_: unknown, step: number) => (step === 1 ? gate : undefined) }
  const served = await serveFolder(['One.', 'Two.'], { files, before })
  const { id } = await answer(served, 'a.chatmd')
  const run = await served.post('/api/runs', { document: 'a.chatmd', input: 'More.' })
  await expect.poll(() => served.model.asked.length, { timeout: 20_000 }).toBe(2)
  const address = '/api/documents/a.chatmd/feedback'
  const refused = await served.ask('PUT', address, { message: id, value: 'good' })
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([409, 'SERVER_BUSY'])
  release()
  await served.until(run.id, 'done')
  expect((await served.ask('PUT', address, { message: id, value: 'good' })).status).toBe(200)
  expect((await feedback(served, 'a.chatmd'))[1]).toEqual({ value: 'good' })
})
