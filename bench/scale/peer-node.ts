import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createUIMessageStream, JsonToSseTransformStream } from 'ai'
import { createResumableStreamContext } from 'resumable-stream/generic'
import { sayTimes } from './clock.ts'
import { RedisClient } from './redis.ts'

/*
 * A web node of the AI SDK with `resumable-stream` on Redis. `POST /ID` makes a stream and answers with it, as a route of a chat
 * does; `GET /ID` resumes it, in this process or another. Prints its address.
 */
const port = Number(process.env.REDIS)
const [publisher, subscriber] = await Promise.all([RedisClient.open(port), RedisClient.open(port)])
const context = createResumableStreamContext({ waitUntil: null, publisher, subscriber })

function speak(): ReadableStream<string> {
  const stream = createUIMessageStream({
    async execute({ writer }) {
      writer.write({ type: 'text-start', id: '0' })
      for await (const delta of sayTimes()) writer.write({ type: 'text-delta', id: '0', delta })
      writer.write({ type: 'text-end', id: '0' })
    },
  })
  return stream.pipeThrough(new JsonToSseTransformStream())
}

async function answer(method: string, id: string, response: ServerResponse): Promise<void> {
  const stream =
    method === 'POST' ? await context.createNewResumableStream(id, speak) : await context.resumeExistingStream(id)
  response.writeHead(stream ? 200 : 404, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  const texts = (stream ?? []) as AsyncIterable<string> | string[]
  for await (const text of texts) {
    if (!response.write(text)) await new Promise(next => response.once('drain', next))
  }
  response.end()
}

const server = createServer((request, response) => {
  // A stream whose maker does not answer in time cannot be resumed: that reader gets nothing.
  answer(request.method!, request.url!, response).catch(() => response.destroy())
})
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
