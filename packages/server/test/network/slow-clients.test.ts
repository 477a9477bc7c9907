import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { listen } from '@argot/server'
import { expect, onTestFinished, test } from 'vitest'
import { readEvents, serveFolder } from '../served-folder.ts'

const hello = { 'hello.chatmd': '<user>\nHello.\n</user>\n' }

/** A connection that the test ends. */
async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
  })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Writes a letter now and then, until it is sent away; gives what it was told. */
async function dribble(socket: Socket, letter: string): Promise<string> {
  let told = ''
  socket.on('data', bytes => {
    told += bytes.toString('latin1')
  })
  const timer = setInterval(() => socket.write(letter), 20)
  try {
    await once(socket, 'close')
  } finally {
    clearInterval(timer)
  }
  return told
}

test.each([
  ['the head', 'GET /api/documents HTTP/1.1\r\nx-slow: ', { headersTimeoutMs: 300 }],
  [
    'the body',
    'POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n{"document":"',
    { headersTimeoutMs: 300, requestTimeoutMs: 600 },
  ],
])('whoever sends %s letter by letter is sent away, and others are served meanwhile', async (_, begin, options) => {
  const { server, get } = await serveFolder(['Hi.'], { files: hello })
  const { port, close } = await listen(server, { port: 0, ...options })
  onTestFinished(close)
  const slow = await Promise.all(Array.from({ length: 50 }, () => dial(port)))
  for (const socket of slow) socket.write(begin)
  const over = Promise.all(slow.map(socket => dribble(socket, 'a')))
  expect((await fetch(`http://127.0.0.1:${port}/api/documents`)).status).toBe(200)
  for (const told of await over) expect(told === '' || told.startsWith('HTTP/1.1 4')).toBe(true)
  expect((await get<{ runs: unknown[] }>('/api/runs')).runs).toEqual([])
})

test('readers that never read cost no memory, however much a run says', async () => {
  const megabyte = 1024 * 1024
  const readers = 60
  const total = 20
  const word = 'x'.repeat(64 * 1024)
  const parts = [
    { type: 'text-start', id: '0' },
    ...Array.from({ length: total * 16 }, () => ({ type: 'text-delta', id: '0', delta: `${word}\n` })),
    { type: 'text-end', id: '0' },
    {
      type: 'finish',
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: 1, text: 1, reasoning: undefined },
      },
    },
  ]
  let go = (): void => {}
  const open = new Promise<void>(resolve => {
    go = resolve
  })
  const { server, post, until, ask } = await serveFolder([parts as never], {
    files: hello,
    before: { before: part => (part.type === 'text-start' ? open : undefined) },
  })
  const { port, close } = await listen(server, { port: 0 })
  onTestFinished(close)
  const { id } = await post('/api/runs', { document: 'hello.chatmd' })
  for (const path of [`/api/runs/${id}/stream`, `/api/events?runs=${id}@0`, `/api/runs/${id}/log?offset=-1&live=sse`]) {
    for (let index = 0; index < readers / 3; index++) {
      const socket = await dial(port)
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nx-argot-chunks: 1\r\n\r\n`)
      // The head has come; from here on nothing is read.
      await once(socket, 'readable')
    }
  }
  const before = memoryInUse()
  go()
  await until(id, 'done', 'failed')
  const { events } = await readEvents(await ask('GET', `/api/runs/${id}/stream`, undefined, { 'x-argot-chunks': '1' }))
  expect(events.filter(({ chunk }) => chunk.type === 'text-delta').length).toBeGreaterThan(100)
  const grown = (memoryInUse() - before) / megabyte
  // What the run itself keeps of its message is in here; kept for every reader it would be more than a gigabyte.
  expect(grown).toBeLessThan((readers * total) / 3)
})

/** What is reachable, and nothing that only waits to be collected: other tests share this process. */
function memoryInUse(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
