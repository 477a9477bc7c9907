import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createUIMessageStream, JsonToSseTransformStream } from 'ai'
import { createResumableStreamContext, type Publisher, type Subscriber } from 'resumable-stream/generic'
import { paced, readLoad } from './load.ts'

/* The same load on the AI SDK: `createUIMessageStream`, which `resumable-stream` lets many read, in memory. */
const load = readLoad()
const values = new Map<string, string>()
const channels = new Map<string, Set<(message: string) => void>>()
const publisher: Publisher = {
  connect: async () => {},
  publish: async (channel, message) => {
    for (const listener of channels.get(channel) ?? []) listener(message)
  },
  set: async (key, value) => {
    values.set(key, value)
    return 'OK'
  },
  get: async key => values.get(key) ?? null,
  incr: async key => {
    const next = Number(values.get(key) ?? 0) + 1
    values.set(key, String(next))
    return next
  },
}
const subscriber: Subscriber = {
  connect: async () => {},
  subscribe: async (channel, listener) => {
    channels.set(channel, (channels.get(channel) ?? new Set()).add(listener))
  },
  unsubscribe: async channel => channels.delete(channel),
}
const context = createResumableStreamContext({ waitUntil: null, publisher, subscriber })

let go = (): void => {}
const begun = new Promise<void>(resolve => {
  go = resolve
})

function speak(): ReadableStream<string> {
  const stream = createUIMessageStream({
    async execute({ writer }) {
      await begun
      writer.write({ type: 'text-start', id: '0' })
      for await (const delta of paced(load)) writer.write({ type: 'text-delta', id: '0', delta })
      writer.write({ type: 'text-end', id: '0' })
    },
  })
  return stream.pipeThrough(new JsonToSseTransformStream())
}

async function answer(path: string, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  const stream = await context.resumableStream(path, speak)
  const texts = (stream ?? new ReadableStream<string>()) as unknown as AsyncIterable<string>
  for await (const text of texts) {
    if (!response.write(text)) await new Promise(next => response.once('drain', next))
  }
  response.end()
}

const server = createServer((request, response) => void answer(request.url!, response))
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
process.on('message', message => {
  if (message === 'go') go()
  if (message === 'memory') process.send!({ rss: process.memoryUsage().rss, cpu: process.cpuUsage() })
  if (message === 'end') process.exit(0)
})
process.send!({
  url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  paths: Array.from({ length: load.runs }, (_, run) => `/${run}`),
})
