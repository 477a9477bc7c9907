import { request } from 'node:http'
import { type Chunk, decodeSse } from '@argot/core'
import { argotServerAdapter, ChatStore } from '@argot/react'
import { listen } from '@argot/server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { gate } from '../clients/gate.ts'
import { readEvents, type ServedFolder, serveFolder, textOf } from '../served-folder.ts'
import { type IdleProxy, idleProxy } from './idle-proxy.ts'

const hello = { 'hello.chatmd': '<user>\nHello.\n</user>\n' }
const own = { 'x-argot-chunks': '1' }
const poll = { timeout: 20_000 }
const idleMs = 60_000

async function behind(served: ServedFolder): Promise<IdleProxy> {
  const { port, close } = await listen(served.server, { port: 0 })
  onTestFinished(close)
  return idleProxy(port, idleMs)
}

/** A run that is silent in the middle of its answer until the gate is opened. */
function silentRun(middle: ReturnType<typeof gate>): Promise<ServedFolder> {
  return serveFolder(['One two three four.'], {
    files: hello,
    before: {
      before: part => (part.type === 'text-delta' && part.delta.startsWith('three') ? middle.wait() : undefined),
    },
  })
}

/** Reads over the proxy until it is cut or the stream ends; tells of each piece. */
function readThrough(url: string, headers: Record<string, string>, took: (text: string) => void): Promise<void> {
  return new Promise(resolve => {
    const asking = request(url, { headers, agent: false }, response => {
      response.setEncoding('utf8')
      response.on('data', took)
      response.on('close', resolve)
      response.on('error', () => resolve())
    })
    asking.on('error', () => resolve())
    asking.end()
  })
}

test('heartbeats keep a stream open that says nothing for ten minutes, through a proxy that cuts after a minute', async () => {
  const middle = gate()
  const served = await silentRun(middle)
  const proxy = await behind(served)
  const { id } = await served.post('/api/runs', { document: 'hello.chatmd' })
  await middle.reached
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  let got = ''
  let heard = (): void => {}
  const reading = readThrough(`${proxy.url}/api/runs/${id}/stream`, own, text => {
    got += text
    heard()
  })
  const until = (condition: () => boolean): Promise<void> =>
    new Promise(resolve => {
      heard = () => condition() && resolve()
      heard()
    })
  await until(() => got.includes('two'))
  for (let beats = 1; beats <= 40; beats++) {
    const before = got.length
    // The clock of the server and the one of the proxy go on together.
    await vi.advanceTimersByTimeAsync(15_000)
    proxy.pass(15_000)
    await until(() => got.length > before)
    expect(got.slice(before)).toMatch(/^(:.*\n\n)+$/)
  }
  vi.useRealTimers()
  middle.open()
  await reading
  expect(proxy.cuts).toBe(0)
  expect(got).toContain('[DONE]')
})

test('a reader that a proxy cuts off comes back by offset and has every chunk once', async () => {
  const middle = gate()
  const served = await silentRun(middle)
  const proxy = await behind(served)
  const { id } = await served.post('/api/runs', { document: 'hello.chatmd' })
  await middle.reached
  const events: { id: string; chunk: Chunk }[] = []
  let isDone = false
  for (let turn = 0; !isDone && turn < 10; turn++) {
    const decoder = decodeSse()
    const last = events.at(-1)?.id
    const headers = { ...own, ...(last !== undefined && { 'last-event-id': last }) }
    let begun = (): void => {}
    const connected = new Promise<void>(resolve => {
      begun = resolve
    })
    const reading = readThrough(`${proxy.url}/api/runs/${id}/stream`, headers, text => {
      for (const event of decoder.push(text)) events.push({ id: event.id!, chunk: event.chunk as Chunk })
      begun()
    })
    await connected
    if (turn === 0) await expect.poll(() => events.length, poll).toBeGreaterThan(3)
    if (turn < 3) proxy.pass(idleMs)
    if (turn === 3) middle.open()
    await reading
    isDone = decoder.done
  }
  expect(proxy.cuts).toBe(3)
  const whole = await readEvents(await served.ask('GET', `/api/runs/${id}/stream`, undefined, own))
  expect(events).toEqual(whole.events)
})

test('a page behind such a proxy shows the answer once, however often it is cut off', async () => {
  const middle = gate()
  const served = await silentRun(middle)
  const proxy = await behind(served)
  await served.post('/api/runs', { document: 'hello.chatmd' })
  await middle.reached
  const adapter = argotServerAdapter({ document: 'hello.chatmd', url: `${proxy.url}/`, events: false })
  const store = new ChatStore({ adapter, conversationId: 'hello.chatmd', streamFlushInterval: 1 })
  // Whoever waits for a connection tries it at once.
  store.lost.subscribe(() => queueMicrotask(() => store.retryNow()))
  void store.join()
  const last = (): string => textOf(store.conversation.messages().at(-1))
  await expect.poll(last, poll).toBe('One two ')
  for (let cuts = 1; cuts <= 3; cuts++) {
    await expect.poll(() => proxy.open, poll).toBeGreaterThan(0)
    proxy.pass(idleMs)
    expect(proxy.cuts).toBeGreaterThanOrEqual(cuts)
  }
  middle.open()
  await expect.poll(last, poll).toBe('One two three four.')
  await expect.poll(() => store.conversation.messages().at(-1)?.status, poll).toBe('sent')
  expect(store.conversation.messages().filter(({ role }) => role === 'assistant')).toHaveLength(1)
})
