import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the fake model server says: this many deltas, one every so many milliseconds, or all in one go. */
export interface Pace {
  deltas: number
  everyMs: number
}

const words = 'The quick brown fox jumps over the lazy dog and then it rests a while.'.split(' ')

function toEvent(index: number): string {
  const content = ` ${words[index % words.length]}`
  const delta = index === 0 ? { role: 'assistant', content } : { content }
  const choices = [{ index: 0, delta, finish_reason: null }]
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'bench', choices })}\n\n`
}

const end = `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'bench', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`

/** A model server that streams prose at this pace. */
export async function startModel(paceOf: () => Pace): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => void stream(response, paceOf()))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close }
}

async function stream(response: ServerResponse, { deltas, everyMs }: Pace): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const begun = performance.now()
  for (let index = 0; index < deltas; index++) {
    const wait = begun + index * everyMs - performance.now()
    if (everyMs > 0 && wait > 0) await new Promise(resolve => setTimeout(resolve, wait))
    if (!response.write(toEvent(index))) await new Promise(resolve => response.once('drain', resolve))
  }
  response.end(end)
}
