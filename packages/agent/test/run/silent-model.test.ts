import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAgent, type RunResult } from '@argot/agent'
import { expect, onTestFinished, test } from 'vitest'
import { IdleLimit } from '../../src/loop/idle-limit.ts'
import { watchBytes } from '../../src/model/watch-bytes.ts'

type Answer = (response: ServerResponse) => void

/** A server that answers its requests one after the other like this, and the last answer again and again. */
async function serve(...answers: Answer[]): Promise<{ url: string; requests: () => number }> {
  let requests = 0
  const server = createServer((request, response) => {
    request.resume()
    response.on('error', () => {})
    answers[Math.min(requests++, answers.length - 1)]!(response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests: () => requests }
}

const never: Answer = () => {}
const headersOnly: Answer = response =>
  void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
const begin: Answer = response => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Half a' } }] })}\n\n`)
}
const whole: Answer = response => {
  begin(response)
  const done = { choices: [{ index: 0, delta: { content: ' word.' }, finish_reason: 'stop' }] }
  response.end(`data: ${JSON.stringify(done)}\n\ndata: [DONE]\n\n`)
}

async function ask(url: string, idleMs: number): Promise<{ result: RunResult; notices: string[] }> {
  const notices: string[] = []
  const env = { ARGOT_BASE_URL: url }
  const agent = createAgent({
    ...{ model: 'openai-compatible:small', env, idleMs, notice: text => notices.push(text) },
  })
  return { result: await agent.run('Hello').result, notices }
}

test.each([
  ['does not answer at all', never],
  ['sends its headers and nothing more', headersOnly],
])('a server that %s is given up after the idle limit, and tried again', async (_, answer) => {
  const { url, requests } = await serve(answer, whole)
  const { result, notices } = await ask(url, 1500)
  expect(result).toMatchObject({ status: 'done', text: 'Half a word.' })
  expect(requests()).toBeGreaterThan(1)
  expect(notices[0]).toMatch(/sent nothing for 1\.5 s.*Trying again/)
})

test('a server that never answers fails the run in words that name the limit', async () => {
  const { url, requests } = await serve(never)
  const { result } = await ask(url, 50)
  expect(result).toMatchObject({
    status: 'failed',
    code: 'MODEL_SILENT',
    error: expect.stringMatching(/openai-compatible:small sent nothing for 0\.1 s.*--idle-timeout/),
  })
  expect(requests()).toBeLessThanOrEqual(3)
})

test('a server that falls silent in the middle of a reply fails the run, and what it said is kept', async () => {
  const { url, requests } = await serve(begin)
  const { result } = await ask(url, 1500)
  expect(result).toMatchObject({ status: 'failed', code: 'MODEL_SILENT', text: 'Half a' })
  expect(requests()).toBeGreaterThan(0)
})

test('the time of the limit begins with the first sign, and again with each', async () => {
  const never = new AbortController()
  const limit = new IdleLimit({ idleMs: 1, replyMs: Number.POSITIVE_INFINITY }, never.signal)
  await new Promise(resolve => setTimeout(resolve, 20))
  expect(limit.signal.aborted).toBe(false)
  limit.restart()
  await new Promise(resolve => limit.signal.addEventListener('abort', resolve))
  const endless = new IdleLimit({ idleMs: Number.POSITIVE_INFINITY, replyMs: Number.POSITIVE_INFINITY }, never.signal)
  endless.restart()
  expect(endless.signal.aborted).toBe(false)
  const ended = new IdleLimit({ idleMs: 1, replyMs: Number.POSITIVE_INFINITY }, never.signal)
  ended.restart()
  ended.end()
  await new Promise(resolve => setTimeout(resolve, 20))
  expect(ended.signal.aborted).toBe(false)
})

test('bytes that are not words of the model count as a sign of life', async () => {
  const sent = [': ping\n\n', ': ping\n\n', 'data: 1\n\n']
  const encoder = new TextEncoder()
  const inner: typeof fetch = () =>
    Promise.resolve(
      new Response(
        new ReadableStream({
          pull(controller) {
            const next = sent.shift()
            if (next === undefined) controller.close()
            else controller.enqueue(encoder.encode(next))
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
    )
  const { fetch, onBytes } = watchBytes(inner)
  let heard = 0
  const leave = onBytes(() => void heard++)
  const response = await fetch('http://localhost/')
  expect(heard).toBe(1)
  expect(await response.text()).toBe(': ping\n\n: ping\n\ndata: 1\n\n')
  expect(heard).toBe(4)
  leave()
  await fetch('http://localhost/')
  expect(heard).toBe(4)
})
