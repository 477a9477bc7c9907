import { migrate, type PostgresStore, postgresStore } from '@argot/postgres'
import { expect, test } from 'vitest'
import { recordRun } from '../../agent/src/testing/record-run.ts'
import { parkedRun, wholeRun } from '../../agent/src/testing/scripted-chunks.ts'
import { Cluster, sharedCluster } from './cluster.ts'
import { takeSchema } from './schemas.ts'
import { openServer } from './servers.ts'

async function inDatabase(
  work: (store: PostgresStore, place: Awaited<ReturnType<typeof takeSchema>>) => Promise<void>,
): Promise<void> {
  const place = await takeSchema()
  const store = postgresStore(place.pool, { schema: place.schema })
  try {
    await work(store, place)
  } finally {
    await store.close()
    await place.giveBack()
  }
}

test('of many processes that make the tables at once all succeed, and a schema of a later version is refused in one sentence', async () => {
  const url = await sharedCluster()
  const schema = `made_${process.pid}`
  await Promise.all(Array.from({ length: 5 }, () => migrate(url, { schema, connections: 2 })))
  await inDatabase(async (_, { query }) => {
    await query(`update ${schema}.meta set version = 99`)
    const failure = await migrate(url, { schema, connections: 2 }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'STORE_SCHEMA_NEWER', message: expect.stringMatching(/Update Argot\.$/) })
    await query(`drop schema ${schema} cascade`)
  })
})

test('a process with another key is refused; installations in two schemas do not see each other', () =>
  inDatabase(async (store, { pool, schema, query }) => {
    const first = postgresStore(pool, { schema, key: Buffer.alloc(32, 1) })
    await first.ready()
    const other = postgresStore(pool, { schema, key: Buffer.alloc(32, 2) })
    await expect(other.ready()).rejects.toMatchObject({ code: 'STORE_OTHER_KEY' })
    await Promise.all([first.close(), other.close()])
    await query(`update ${schema}.meta set key_print = null`)
    await store.documents.write('a.chatmd', 'a', {})
    await inDatabase(async elsewhere => expect(await elsewhere.documents.list()).toEqual([]))
  }))

test('an address that is none is refused without its password', () => {
  expect(() => postgresStore('mysql://me:hunter22@host/db')).toThrow(expect.objectContaining({ code: 'STORE_BAD_URL' }))
  expect(() => postgresStore('mysql://me:hunter22@host/db')).not.toThrow(/hunter22/)
})

test('a run is sent to one node, answered at another and read at a third, over workers elsewhere', () =>
  inDatabase(async (_, { pool, schema }) => {
    const stores = Array.from({ length: 3 }, () => postgresStore(pool, { schema }))
    const [one, two] = [openServer(stores[0]!, { workers: false }), openServer(stores[1]!, { workers: false })]
    const worker = openServer(stores[2]!)
    await one.ask(
      'PUT',
      '/api/documents/chat.chatmd',
      '<tool name="write_note"/>\n\n<user>\nPlease write_note "Hello"\n</user>\n',
    )
    const { value: run } = await one.ask('POST', '/api/runs', { document: 'chat.chatmd' })
    const question = await expect
      .poll(async () => (await two.ask('GET', `/api/runs/${run.id}`)).value.pending[0])
      .toBeDefined()
      .then(async () => (await two.ask('GET', `/api/runs/${run.id}`)).value.pending[0])
    const answers = [{ approvalId: question.approvalId, inputHash: question.inputHash, approved: true }]
    expect((await two.ask('POST', `/api/runs/${run.id}/approvals`, { answers })).value.results[0].status).toBe(200)
    const { value: stream } = await one.ask('GET', `/api/runs/${run.id}/stream`)
    expect(stream).toContain('Wrote Hello.')
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
    expect((await two.ask('GET', '/api/documents/chat.chatmd/messages')).value.total).toBe(2)
    expect((await two.ask('GET', '/api/documents')).value).toMatchObject([{ path: 'chat.chatmd', state: 'idle' }])
    expect((await one.ask('POST', '/api/runs', { document: 'nothing.chatmd' })).status).toBe(404)
    for (const { server } of [one, two, worker]) await server.close()
    for (const store of stores) await store.close()
  }))

test('files, answers of clients and news travel through any node', () =>
  inDatabase(async (_, { pool, schema }) => {
    const stores = Array.from({ length: 3 }, () => postgresStore(pool, { schema }))
    const [one, two] = [openServer(stores[0]!, { workers: false }), openServer(stores[1]!, { workers: false })]
    const worker = openServer(stores[2]!, { web: false })
    const events = (await two.server.fetch(new Request('http://127.0.0.1/api/events'))).body!.getReader()
    await one.ask('PUT', '/api/documents/chat.chatmd', '<tool name="ask_user"/>\n')
    const decoder = new TextDecoder()
    let news = ''
    while (!news.includes('chat.chatmd')) news += decoder.decode((await events.read()).value, { stream: true })
    await events.cancel()
    const file = { type: 'file', mediaType: 'text/plain', filename: 'note.txt', url: 'data:text/plain;base64,SGVsbG8=' }
    const input = { role: 'user', parts: [{ type: 'text', text: 'Please ask_user "Which?"' }, file] }
    const { value: run } = await one.ask('POST', '/api/runs', { document: 'chat.chatmd', input })
    const call = async () => (await two.ask('GET', `/api/runs/${run.id}`)).value.outputs[0]?.toolCallId
    await expect.poll(call).toBeDefined()
    const toolCallId = await call()
    expect((await two.ask('POST', `/api/runs/${run.id}/outputs`, { toolCallId, output: 'The blue one' })).status).toBe(
      200,
    )
    expect((await one.ask('GET', `/api/runs/${run.id}/stream`)).value).toContain('The blue one')
    const { value } = await two.ask('GET', '/api/documents/chat.chatmd/messages')
    expect(value.messages[0].parts).toMatchObject([{ type: 'text' }, { type: 'file', filename: 'note.txt' }])
    for (const { server } of [one, two, worker]) await server.close()
    for (const store of stores) await store.close()
  }))

test('documents import others through the store; a tool that needs files is refused in one sentence, and check says so', () =>
  inDatabase(async store => {
    const { server, ask } = openServer(store)
    await ask('PUT', '/api/documents/parts/rules.chatmd', '<developer>\nBe short.\n</developer>\n')
    await ask('PUT', '/api/documents/chat.chatmd', '<import src="parts/rules.chatmd"/>\n\n<user>\nHello\n</user>\n')
    expect((await ask('GET', '/api/documents/chat.chatmd/check')).value.diagnostics).toEqual([])
    const preview = JSON.stringify((await ask('GET', '/api/documents/chat.chatmd/preview')).value)
    expect(preview).toContain('Be short.')
    await ask('PUT', '/api/documents/files.chatmd', '<tool name="read_file"/>\n\n<user>\nHello\n</user>\n')
    expect((await ask('GET', '/api/documents/files.chatmd/check')).value.diagnostics).toMatchObject([
      { code: 'TOOL_NO_FOLDER' },
    ])
    const { status, value } = await ask('POST', '/api/runs', { document: 'files.chatmd' })
    expect({ status, value: JSON.stringify(value) }).toMatchObject({
      status: 422,
      value: expect.stringContaining('needs a folder'),
    })
    await server.close()
  }))

test('what is old is pruned: documents in the trash and runs that ended, nothing else', () =>
  inDatabase(async store => {
    for (const path of ['chat.chatmd', 'b.chatmd', 'c.chatmd'])
      await store.documents.write(path, '<user>\nHello\n</user>\n', {})
    await recordRun(store, wholeRun)
    await recordRun(store, parkedRun, { path: 'b.chatmd', run: 'parked' })
    const lease = await store.leases.take('c.chatmd')
    await store.documents.remove('c.chatmd', lease)
    await lease.release()
    const expected = [
      { kind: 'document', path: 'c.chatmd' },
      { kind: 'run', path: 'chat.chatmd', run: 'run-1' },
    ]
    expect((await store.prune!({ olderThanMs: 60_000 })).items).toEqual([])
    expect((await store.prune!({ olderThanMs: 0, dryRun: true })).items).toMatchObject(expected)
    expect((await store.prune!({ olderThanMs: 0 })).items).toMatchObject(expected)
    expect((await store.logs.list()).map(({ run }) => run)).toEqual(['parked'])
    expect([await store.trash.list(), await store.documents.list()]).toEqual([[], ['b.chatmd', 'chat.chatmd']])
  }))

test('a fast flush commits asynchronously, and a sync does not', async () => {
  const place = await takeSchema()
  const statements: string[] = []
  const pool = new Proxy(place.pool, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name).bind(target)
      return (query: { text: string }) => {
        if (query.text.includes('lines as (insert')) statements.push(query.text.includes("'off'") ? 'fast' : 'durable')
        if (query.text.includes('set holder = holder')) statements.push('durable')
        return target.query(query)
      }
    },
  })
  const store = postgresStore(pool, { schema: place.schema, flush: 'fast' })
  await store.documents.write('chat.chatmd', '<user>\nHello\n</user>\n', {})
  await recordRun(store, wholeRun)
  expect(new Set(statements)).toEqual(new Set(['fast', 'durable']))
  expect((await store.logs.read('run-1'))?.lines.length).toBeGreaterThan(wholeRun.length)
  await store.close()
  await place.giveBack()
})

test('while the database is away a web node answers 503 with retry-after, and afterwards as before', async () => {
  const cluster = await Cluster.create()
  const store = postgresStore(cluster.url, { patienceMs: 100 })
  const { server, ask } = openServer(store, { workers: false })
  expect((await ask('PUT', '/api/documents/chat.chatmd', 'Hello')).status).toBe(201)
  await cluster.kill()
  const away = async () => {
    const { status, headers, value } = await ask('GET', '/api/documents/chat.chatmd')
    return { status, retry: headers.get('retry-after'), value }
  }
  // A process of the database may outlive it for a moment.
  await expect.poll(away).toMatchObject({ status: 503, retry: '2', value: { code: 'STORE_UNAVAILABLE' } })
  await cluster.start()
  await expect.poll(async () => (await ask('GET', '/api/documents/chat.chatmd')).value).toBe('Hello')
  await server.close()
  await store.close()
  await cluster.remove()
})
