import type { LogLine } from '@argot/core/stream'
import { type LiveMode, stream } from '@durable-streams/client'
import { expect, onTestFinished, test } from 'vitest'
import { call, finish, text } from '../../../agent/test/scripted-model.ts'
import { readEvents, serveFolder } from '../served-folder.ts'
import { gate } from './gate.ts'
import { listenAt } from './stock-chat.ts'

const files = {
  'hello.chatmd': '<user>\nHello.\n</user>\n',
  'ask.chatmd': '<tool name="ask_user"/>\n\n<user>\nPaint.\n</user>\n',
}
const asks = [...text('Well.'), ...call('q1', 'ask_user', { question: 'Which?' }), finish('tool-calls')]

/** Reads to the end of the stream with the client of the protocol, and gives what it got, batch by batch. */
async function readAll(url: string, live: LiveMode, offset = '-1'): Promise<{ lines: LogLine[]; next: string }> {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const response = await stream<LogLine>({ url, offset, live, json: true, signal: stop.signal })
  const lines: LogLine[] = []
  const ended = new Promise<string>(resolve => {
    response.subscribeJson(batch => {
      lines.push(...batch.items)
      if (batch.streamClosed || (live === false && batch.upToDate)) resolve(batch.offset)
    })
  })
  return { next: await ended, lines }
}

test('the client of Durable Streams reads a run that is over from every offset, in every way', async () => {
  const served = await serveFolder(['One two three.'], { files })
  const { url } = await listenAt(served)
  const { id } = await served.post('/api/runs', { document: 'hello.chatmd' })
  await served.until(id, 'done')
  const { events } = await readEvents(
    await served.ask('GET', `/api/runs/${id}/stream`, undefined, { 'x-argot-chunks': '1' }),
  )
  const log = `${url}/api/runs/${id}/log`
  const whole = await readAll(log, false)
  expect(whole.lines.map(({ chunk }) => chunk)).toEqual(events.map(({ chunk }) => chunk))
  expect(whole.lines.map(({ o }) => String(o))).toEqual(events.map(event => event.id))
  for (const live of [false, 'long-poll', 'sse'] as const) {
    for (let index = 0; index < whole.lines.length; index++) {
      const offset = String(whole.lines[index]!.o).padStart(16, '0')
      const after = await readAll(log, live, offset)
      expect(after.lines).toEqual(whole.lines.slice(index))
      expect(after.next).toBe(whole.next)
    }
  }
})

test.each(['long-poll', 'sse'] as const)(
  'a run is followed by %s while it works, waits and works again',
  async live => {
    const middle = gate()
    const served = await serveFolder([asks, 'Blue it is, then.'], {
      files,
      before: {
        before: (part, step) =>
          step === 1 && part.type === 'text-delta' && part.delta.startsWith('then') ? middle.wait() : undefined,
      },
    })
    const { url } = await listenAt(served)
    const { id } = await served.post('/api/runs', { document: 'ask.chatmd' })
    const log = `${url}/api/runs/${id}/log`
    const following = readAll(log, live)
    await served.until(id, 'waiting')
    const parked = await fetch(log, { method: 'HEAD' })
    expect(parked.headers.get('stream-closed')).toBeNull()
    expect(parked.headers.get('stream-next-offset')).toMatch(/^\d{16}$/)
    await served.post(`/api/runs/${id}/outputs`, { toolCallId: 'c1', output: 'blue' })
    await middle.reached
    const late = readAll(log, live, parked.headers.get('stream-next-offset')!)
    middle.open()
    const { lines, next } = await following
    await served.until(id, 'done')
    const whole = await readAll(log, false)
    expect(lines).toEqual(whole.lines)
    expect((await late).lines).toEqual(
      whole.lines.filter(({ o }) => o >= Number(parked.headers.get('stream-next-offset'))),
    )
    const over = await fetch(log, { method: 'HEAD' })
    expect([over.headers.get('stream-closed'), over.headers.get('stream-next-offset')]).toEqual(['true', next])
  },
)

test('a reader that was cut off by a restart goes on where it was, and has every line once', async () => {
  const served = await serveFolder([asks], { files })
  const first = await listenAt(served)
  const { id } = await served.post('/api/runs', { document: 'ask.chatmd' })
  await served.until(id, 'waiting')
  const before = await readAll(`${first.url}/api/runs/${id}/log`, false)
  const again = await served.restart(['Blue.'])
  const second = await listenAt(again)
  const log = `${second.url}/api/runs/${id}/log`
  const rest = readAll(log, 'sse', before.next)
  await again.post(`/api/runs/${id}/outputs`, { toolCallId: 'c1', output: 'blue' })
  const { lines } = await rest
  const whole = await readAll(log, false)
  expect([...before.lines, ...lines]).toEqual(whole.lines)
})

test('offsets, tags and cursors are as the protocol has them', async () => {
  const served = await serveFolder(['One two three.'], { files })
  const { id } = await served.post('/api/runs', { document: 'hello.chatmd' })
  await served.until(id, 'done')
  const get = (query: string, headers = {}): Promise<Response> =>
    served.ask('GET', `/api/runs/${id}/log${query}`, undefined, headers)
  const whole = await get('')
  expect(whole.headers.get('content-type')).toBe('application/json')
  expect(whole.headers.get('stream-up-to-date')).toBe('true')
  expect(whole.headers.get('stream-closed')).toBe('true')
  const same = await get('', { 'if-none-match': whole.headers.get('etag')! })
  expect([same.status, await same.text()]).toEqual([304, ''])
  const now = await get('?offset=now')
  expect([await now.text(), now.headers.get('etag')]).toEqual(['[]', null])
  expect(now.headers.get('stream-next-offset')).toBe(whole.headers.get('stream-next-offset'))
  const end = await get(`?offset=${whole.headers.get('stream-next-offset')}&live=long-poll&cursor=99999999`)
  expect(end.status).toBe(204)
  expect(end.headers.get('stream-closed')).toBe('true')
  expect(Number(end.headers.get('stream-cursor'))).toBeGreaterThan(99999999)
  for (const query of [
    '?offset=1',
    '?offset=0000000000000001x',
    '?offset=',
    '?live=sse',
    '?offset=-1&live=other',
    '?offset=-2',
  ]) {
    expect((await get(query)).status, query).toBe(400)
  }
  const none = await served.ask('GET', '/api/runs/none/log')
  expect(none.status).toBe(404)
})

test('a head asks for no stream, and leaves none open', async () => {
  const served = await serveFolder(['Hi.'], { files, limits: { streamsPerClient: 1 } })
  for (const path of ['/api/events', '/api/events', '/api/events']) {
    const response = await served.ask('HEAD', path)
    expect([response.status, response.body]).toEqual([200, null])
  }
})
