import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Chunk, decodeSse } from '@argot/core'
import type { RunResource } from '@argot/server'
import { expect, test } from 'vitest'
import { gate } from './clients/gate.ts'
import { readEvents, serveFolder } from './served-folder.ts'

const hello = { 'hello.chatmd': '<user>\nHello.\n</user>\n' }
const own = { 'x-argot-chunks': '1' }

test('a reader that leaves at any chunk and comes back has everything once, while the run works', async () => {
  const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ')
  const { ask, post } = await serveFolder([words], {
    files: hello,
    before: { before: () => new Promise(resolve => setTimeout(resolve, 1)) },
  })
  const { id } = await post('/api/runs', { document: 'hello.chatmd' })
  const ids: string[] = []
  const chunks: Chunk[] = []
  for (;;) {
    const last = ids.at(-1)
    const headers = { ...own, ...(last !== undefined && { 'last-event-id': last }) }
    const response = await ask('GET', `/api/runs/${id}/stream`, undefined, headers)
    const decoder = decodeSse()
    let isNew = false
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      for (const event of decoder.push(bytes)) {
        // One event, then it is gone, whatever else came with it.
        if (isNew) break
        ids.push(event.id!)
        chunks.push(event.chunk as Chunk)
        isNew = true
      }
      if (isNew) break
    }
    if (!isNew) break
  }
  const whole = await readEvents(await ask('GET', `/api/runs/${id}/stream`, undefined, own))
  expect(chunks).toEqual(whole.events.map(({ chunk }) => chunk))
  expect(ids).toEqual(whole.events.map(event => event.id))
})

test('readers that do not read hold up neither the run nor those who do', async () => {
  const long = 'x'.repeat(2000)
  const { ask, post, until } = await serveFolder([Array.from({ length: 400 }, () => long).join(' ')], { files: hello })
  const { id } = await post('/api/runs', { document: 'hello.chatmd' })
  const idle = await Promise.all(Array.from({ length: 50 }, () => ask('GET', `/api/runs/${id}/stream`, undefined, own)))
  await until(id, 'done')
  const whole = await readEvents(await ask('GET', `/api/runs/${id}/stream`, undefined, own))
  const late = await readEvents(idle[0]!)
  expect(late.events).toEqual(whole.events)
  for (const response of idle.slice(1)) await response.body!.cancel()
})

test('of two sends at once on one document the second waits for the first', async () => {
  const { post, until, read } = await serveFolder(['First.', 'Second.'], { files: hello })
  const sends = await Promise.all(
    ['One?', 'Two?'].map(input => post<RunResource>('/api/runs', { document: 'hello.chatmd', input })),
  )
  for (const { id } of sends) await until(id, 'done')
  const text = await read('hello.chatmd')
  const places = ['One?', 'First.', 'Two?', 'Second.'].map(one => text.indexOf(one))
  const others = ['Two?', 'First.', 'One?', 'Second.'].map(one => text.indexOf(one))
  expect([places, others].some(list => list.every((at, index) => at > (list[index - 1] ?? -1)))).toBe(true)
})

test('a document that is edited while it runs keeps the edit, and its run fails and says why', async () => {
  const middle = gate()
  const { post, until, read, folder, ask, get } = await serveFolder(['One two.', 'And three.'], {
    files: hello,
    before: { before: (part, step) => (step === 0 && part.type === 'text-end' ? middle.wait() : undefined) },
  })
  const { id } = await post('/api/runs', { document: 'hello.chatmd' })
  await middle.reached
  const edited = `${await read('hello.chatmd')}\n<user>\nEdited.\n</user>\n`
  await writeFile(join(folder, 'hello.chatmd'), edited)
  middle.open()
  expect(await until(id, 'failed')).toMatchObject({ code: 'RUN_FILE_CHANGED', error: expect.stringMatching(/changed/) })
  expect(await read('hello.chatmd')).toBe(edited)
  // Who reads the run has all of it, and the next run puts it where it belongs: after the edit.
  const { events, isDone } = await readEvents(await ask('GET', `/api/runs/${id}/stream`, undefined, own))
  const said = events.map(({ chunk }) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')
  expect([said, isDone]).toEqual(['One two.', true])
  const next = await post('/api/runs', { document: 'hello.chatmd', input: 'And?' })
  await until(next.id, 'done')
  const text = await read('hello.chatmd')
  expect(text.startsWith(edited)).toBe(true)
  expect(text.match(/<user\b|One two\.|And\?|And three\./g)).toEqual([
    ...['<user', '<user', 'One two.'],
    ...['<user', 'And?', 'And three.'],
  ])
  expect(await get(`/api/runs/${id}`)).toMatchObject({ state: 'done' })
})

test('a document cannot be written through the server while it runs, and can be after that', async () => {
  const middle = gate()
  const { ask, post, until, read } = await serveFolder(['One two.'], {
    files: hello,
    before: { before: part => (part.type === 'text-end' ? middle.wait() : undefined) },
  })
  const { id } = await post('/api/runs', { document: 'hello.chatmd' })
  await middle.reached
  const etag = async (): Promise<string> => (await ask('GET', '/api/documents/hello.chatmd')).headers.get('etag')!
  const before = await etag()
  const busy = await ask('PUT', '/api/documents/hello.chatmd', 'x', { 'if-match': before })
  expect([busy.status, await busy.json()]).toMatchObject([409, { code: 'SERVER_BUSY' }])
  middle.open()
  await until(id, 'done')
  expect((await ask('PUT', '/api/documents/hello.chatmd', 'x', { 'if-match': before })).status).toBe(412)
  const text = await read('hello.chatmd')
  expect((await ask('PUT', '/api/documents/hello.chatmd', `${text}\n`, { 'if-match': await etag() })).status).toBe(200)
})

test('no more runs work at a time than the limit says, and those that wait begin when there is room', async () => {
  const gates = [gate(), gate(), gate()]
  let most = 0
  let now = 0
  const names = ['a.chatmd', 'b.chatmd', 'c.chatmd']
  const { post, get, until } = await serveFolder([() => 'Hi.'], {
    files: Object.fromEntries(names.map(name => [name, '<user>\nHello.\n</user>\n'])),
    limits: { runsAtOnce: 1 },
    before: {
      async before(part) {
        if (part.type === 'text-start') most = Math.max(most, ++now)
        if (part.type === 'text-end') await gates.shift()?.wait()
        if (part.type === 'finish') now--
      },
    },
  })
  const all = [...gates]
  const runs: string[] = []
  for (const document of names) runs.push((await post('/api/runs', { document })).id)
  for (const [index, run] of runs.entries()) {
    await all[index]!.reached
    const states = await Promise.all(runs.map(async one => (await get(`/api/runs/${one}`)).state))
    expect(states).toEqual(runs.map((_, at) => (at < index ? 'done' : at === index ? 'running' : 'queued')))
    all[index]!.open()
    // From here on it is seen at every moment, in no other state than these.
    for (let state = 'running'; state !== 'done'; ) {
      state = (await get(`/api/runs/${run}`)).state
      expect(['running', 'done']).toContain(state)
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  for (const run of runs) await until(run, 'done')
  expect(most).toBe(1)
})

test.each([
  ['a minute back', -60_000],
  ['ten years on', 10 * 365 * 86_400_000],
])(
  'a clock that jumps %s, also between two servers, changes neither the order of runs nor what readers get',
  async (_, jump) => {
    let time = Date.UTC(2026, 0, 1)
    const now = (): number => {
      time += jump
      return time
    }
    const first = await serveFolder(['First.', 'Second.'], { files: hello, now, run: { now } })
    const runs: string[] = []
    let { post, until, ask, read, get } = first
    for (const [index, word] of ['First.', 'Second.', 'Third.'].entries()) {
      if (index === 2) {
        time = Date.UTC(2020, 0, 1)
        ;({ post, until, ask, read, get } = await first.restart(['Third.']))
      }
      const { id } = await post('/api/runs', { document: 'hello.chatmd', ...(index > 0 && { input: 'More?' }) })
      runs.unshift(id)
      await until(id, 'done')
      const { events, isDone } = await readEvents(await ask('GET', `/api/runs/${id}/stream`, undefined, own))
      const offsets = events.map(event => Number(event.id))
      expect([isDone, offsets]).toEqual([true, [...new Set(offsets)].sort((a, b) => a - b)])
      expect(await read('hello.chatmd')).toContain(word)
      const { runs: listed } = await get<{ runs: RunResource[] }>('/api/runs')
      expect(listed.map(one => one.id)).toEqual(runs)
    }
  },
)
