import { type PostgresStore, postgresQueue, postgresStore } from '@argot/postgres'
import { expect, test } from 'vitest'
import { takeSchema } from './schemas.ts'
import { openServer } from './servers.ts'

type Node = ReturnType<typeof openServer>

/** Two nodes for clients and one for runs, on one database. */
async function onThreeNodes(
  work: (one: Node, two: Node, stores: readonly PostgresStore[]) => Promise<void>,
): Promise<void> {
  const { schema, pool, giveBack } = await takeSchema()
  const stores: PostgresStore[] = Array.from({ length: 3 }, () => postgresStore(pool, { schema }))
  const nodes = stores.map((store, index) => openServer(store, index < 2 ? { workers: false } : {}))
  try {
    await work(nodes[0]!, nodes[1]!, stores)
  } finally {
    for (const { server } of nodes) await server.close()
    for (const store of stores) await store.close()
    await giveBack()
  }
}

const asking = '<tool name="write_note"/>\n\n<user>\nPlease write_note "Hello"\n</user>\n'

async function untilAsked(node: Node, run: string) {
  const read = async () => (await node.ask('GET', `/api/runs/${run}`)).value.pending[0]
  await expect.poll(read).toBeDefined()
  return read()
}

test('a document that waits is renamed at one node and answered at the other, under its new name', () =>
  onThreeNodes(async (one, two) => {
    await one.ask('PUT', '/api/documents/a.chatmd', asking)
    const { value: run } = await one.ask('POST', '/api/runs', { document: 'a.chatmd' })
    await untilAsked(two, run.id)
    const renamed = await two.ask('POST', '/api/documents/a.chatmd/rename', { to: 'notes/plan b.chatmd' })
    expect([renamed.status, renamed.value]).toEqual([200, { path: 'notes/plan b.chatmd' }])
    for (const { ask } of [one, two]) {
      expect((await ask('GET', '/api/documents/a.chatmd')).status).toBe(404)
      expect((await ask('GET', '/api/documents')).value).toMatchObject([{ path: 'notes/plan b.chatmd', run: run.id }])
    }
    const { approvalId, inputHash } = await untilAsked(one, run.id)
    expect((await one.ask('GET', `/api/runs/${run.id}`)).value.document).toBe('notes/plan b.chatmd')
    const answers = [{ approvalId, inputHash, approved: true }]
    expect((await one.ask('POST', `/api/runs/${run.id}/approvals`, { answers })).value.results[0].status).toBe(200)
    expect((await two.ask('GET', `/api/runs/${run.id}/stream`)).value).toContain('Wrote Hello.')
    expect((await two.ask('GET', '/api/documents/notes%2Fplan%20b.chatmd/messages')).value.total).toBe(2)
  }))

for (const [moment, isTaken] of [
  ['before', false],
  ['after', true],
] as const) {
  test(`an answer is applied though another node is renaming the document, ${moment} a worker takes the run`, async () => {
    const { schema, pool, giveBack } = await takeSchema()
    const stores = Array.from({ length: 4 }, () => postgresStore(pool, { schema }))
    const [one, two, three] = stores.slice(0, 3).map((store, index) => openServer(store, { workers: index === 2 }))
    const queue = postgresQueue(stores[3]!)
    const take = queue.take.bind(queue)
    let begin = () => {}
    const renamed = new Promise<void>(resolve => {
      begin = resolve
    })
    queue.take = signal => renamed.then(() => take(signal))
    const four = openServer(stores[3]!, { queue })
    try {
      await one!.ask('PUT', '/api/documents/a.chatmd', asking)
      const { value: run } = await one!.ask('POST', '/api/runs', { document: 'a.chatmd' })
      const { approvalId, inputHash } = await untilAsked(two!, run.id)
      const getState = async () => (await queue.list({ run: run.id }))[0]?.state
      await expect.poll(getState).toBe('parked')
      if (!isTaken) await three!.server.close()
      const rename = stores[0]!.documents.rename.bind(stores[0]!.documents)
      stores[0]!.documents.rename = async (...move) => {
        const answers = [{ approvalId, inputHash, approved: true }]
        const { value } = await two!.ask('POST', `/api/runs/${run.id}/approvals`, { answers })
        expect(value.results).toMatchObject([{ status: 200 }])
        await expect.poll(getState).toBe(isTaken ? 'taken' : 'waiting')
        await rename(...move)
      }
      expect((await one!.ask('POST', '/api/documents/a.chatmd/rename', { to: 'n/b.chatmd' })).status).toBe(200)
      begin()
      await expect.poll(async () => (await two!.ask('GET', `/api/runs/${run.id}`)).value.state).toBe('done')
      expect((await two!.ask('GET', '/api/documents/n%2Fb.chatmd')).value).toContain('Wrote Hello.')
    } finally {
      begin()
      for (const node of [one, two, three, four]) await node!.server.close()
      for (const store of stores) await store.close()
      await giveBack()
    }
  })
}

test('an answer is taken though another node renames the document while it is checked', () =>
  onThreeNodes(async (one, two, [, store]) => {
    await one.ask('PUT', '/api/documents/a.chatmd', asking)
    const { value: run } = await one.ask('POST', '/api/runs', { document: 'a.chatmd' })
    const { approvalId, inputHash } = await untilAsked(two, run.id)
    const { inbox } = store!
    const read = inbox.read.bind(inbox)
    inbox.read = async id => {
      inbox.read = read
      expect((await one.ask('POST', '/api/documents/a.chatmd/rename', { to: 'n/b.chatmd' })).status).toBe(200)
      await expect.poll(async () => (await two.ask('GET', `/api/runs/${run.id}`)).value.document).toBe('n/b.chatmd')
      return read(id)
    }
    const answers = [{ approvalId, inputHash, approved: true }]
    const { value } = await two.ask('POST', `/api/runs/${run.id}/approvals`, { answers })
    expect(value.results).toMatchObject([{ status: 200 }])
    await expect.poll(async () => (await two.ask('GET', `/api/runs/${run.id}`)).value.state).toBe('done')
  }))

test('titles, copies, branches, feedback, search and the trash are the same at every node', () =>
  onThreeNodes(async (one, two) => {
    await one.ask('PUT', '/api/documents/a.chatmd', '<user>\nTell me about walruses.\n</user>\n')
    const { value: run } = await one.ask('POST', '/api/runs', { document: 'a.chatmd' })
    await one.ask('GET', `/api/runs/${run.id}/stream`)
    const { value: before } = await two.ask('GET', '/api/documents/a.chatmd/messages')
    const [question, answer] = before.messages

    expect((await one.ask('PUT', '/api/documents/a.chatmd/title', { title: 'Walruses' })).status).toBe(200)
    await expect.poll(async () => (await two.ask('GET', '/api/documents')).value[0].title).toBe('Walruses')

    const feedback = { message: answer.id, value: 'good', reason: 'Short.' }
    expect((await one.ask('PUT', '/api/documents/a.chatmd/feedback', feedback)).value).toEqual(feedback)
    expect(JSON.stringify((await two.ask('GET', '/api/documents/a.chatmd/messages')).value)).toContain('Short.')
    const missing = { message: 'nothing', value: 'bad' }
    expect((await two.ask('PUT', '/api/documents/a.chatmd/feedback', missing)).status).toBe(404)

    const copy = await two.ask('POST', '/api/documents/a.chatmd/copy', {})
    expect([copy.status, copy.value]).toEqual([201, { path: 'a copy.chatmd' }])
    const branch = await two.ask('POST', '/api/documents/a.chatmd/branch', { at: question.id })
    expect(branch.status, JSON.stringify(branch.value)).toBe(201)
    const { value: again } = await two.ask('POST', '/api/runs', {
      document: branch.value.path,
      input: { role: 'user', parts: [{ type: 'text', text: 'Tell me about seals.' }] },
    })
    await one.ask('GET', `/api/runs/${again.id}/stream`)
    const { points } = (await one.ask('GET', '/api/documents/a.chatmd/branches')).value
    expect(points).toMatchObject([{ documents: ['a.chatmd', branch.value.path], current: 0 }])

    const search = async ({ ask }: Node) => (await ask('GET', '/api/search?q=walrus')).value.hits
    await expect.poll(async () => (await search(one)).map(({ path }: { path: string }) => path)).toContain('a.chatmd')
    expect((await search(two))[0]).toMatchObject({ snippet: { text: expect.stringContaining('walruses') } })

    const changes = await one.ask('GET', `/api/documents/a.chatmd/turns/${run.id}/changes`)
    expect(changes.value).toMatchObject({ run: run.id, files: [], isOver: true })

    expect((await one.ask('DELETE', '/api/documents/a%20copy.chatmd')).status).toBeLessThan(300)
    const { value: trash } = await two.ask('GET', '/api/trash')
    expect(trash).toMatchObject([{ path: 'a copy.chatmd' }])
    const restored = await two.ask('POST', '/api/documents/a%20copy.chatmd/restore', { id: trash[0].id })
    expect(restored.status, JSON.stringify(restored.value)).toBeLessThan(300)
    expect((await one.ask('GET', '/api/documents/a%20copy.chatmd')).status).toBe(200)
  }))
