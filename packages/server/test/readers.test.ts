import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunResource } from '@argot/server'
import { type Chunk, decodeSse } from 'argot'
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

test('a document that is edited while it runs keeps the edit, and its run says that it was not written', async () => {
  const middle = gate()
  const { post, until, read, folder, ask } = await serveFolder(['One two.'], {
    files: hello,
    before: { before: part => (part.type === 'text-end' ? middle.wait() : undefined) },
  })
  const { id } = await post('/api/runs', { document: 'hello.chatmd' })
  await appendFile(join(folder, 'hello.chatmd'), '\n<user>\nEdited.\n</user>\n')
  middle.open()
  await until(id, 'failed', 'done', 'stopped')
  expect(await read('hello.chatmd')).toContain('Edited.')
  const { events } = await readEvents(await ask('GET', `/api/runs/${id}/stream`, undefined, own))
  const said = events.map(({ chunk }) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')
  expect(said).toBe('One two.')
  expect(await ask('GET', '/healthz')).toMatchObject({ status: 200 })
})

test('a clock that goes backwards changes neither the order of runs nor what readers get', async () => {
  let time = Date.UTC(2026, 0, 1)
  const now = (): number => {
    time -= 60_000
    return time
  }
  const { post, until, ask, read } = await serveFolder(['First.', 'Second.'], { files: hello, now, run: { now } })
  for (const [index, input] of [undefined, 'More?'].entries()) {
    const { id } = await post('/api/runs', { document: 'hello.chatmd', ...(input !== undefined && { input }) })
    await until(id, 'done')
    const { events, isDone } = await readEvents(await ask('GET', `/api/runs/${id}/stream`, undefined, own))
    expect(isDone).toBe(true)
    expect(events.map(event => Number(event.id))).toEqual(events.map(event => Number(event.id)).sort((a, b) => a - b))
    expect(await read('hello.chatmd')).toContain(index === 0 ? 'First.' : 'Second.')
  }
})
