import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chooseModel } from '@argot/agent'
import { describeModelError } from '@argot/agent/workshop'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../../src/tool/output/redact.ts'
import { collect, during, findError } from '../collect.ts'
import { startCompatible } from '../servers/compatible.ts'
import type { ScriptedReply } from '../servers/model-server.ts'
import { keyOf, open, type Wire, wires } from './wire.ts'

async function fail(wire: Wire, reply: ScriptedReply) {
  const { model, server } = await open(wire, [reply])
  const collected = await collect(model)
  const failure = describeModelError(findError(collected), model, createRedactor(server.env))
  expect(failure.message).not.toContain(keyOf(server))
  expect(failure.message).toMatch(/^[A-Z]|^http|^[a-z-]+:/)
  return { failure, server, collected }
}

describe.each(Object.entries(wires))('%s', (name, wire) => {
  test.each<[kind: 'badKey' | 'tooMany' | 'broken' | 'noModel' | 'tooLong' | 'badRequest', string, boolean]>([
    ['badKey', 'MODEL_KEY_REFUSED', false],
    ['tooMany', 'MODEL_RATE_LIMITED', true],
    ['broken', 'MODEL_SERVER_ERROR', true],
    ['noModel', 'MODEL_NOT_FOUND', false],
    ['tooLong', 'MODEL_CONTEXT_EXCEEDED', false],
    ['badRequest', 'MODEL_BAD_REQUEST', false],
  ])('%s is %s, after one request', async (kind, code, retryable) => {
    const { failure, server, collected } = await fail(wire, wire[kind])
    expect(failure).toMatchObject({ code, retryable })
    expect(collected.parts).toEqual([])
    expect(server.requests).toHaveLength(1)
  })

  test.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '7', 'retry-after-ms': '250' }, 250],
    [{ 'retry-after': 'soon' }, undefined],
  ])('a rate limit with %o asks to wait %s ms', async (headers, expected) => {
    const { failure } = await fail(wire, { ...wire.tooMany, headers })
    expect(failure.retryAfterMs).toBe(expected)
  })

  test('an address where nothing listens is named, without the path to a key', async () => {
    const url = await freeAddress()
    const { server } = await open(wire, [])
    const env = Object.fromEntries(
      Object.entries(server.env).map(([key, value]) => [key, value.replace(server.url, url)]),
    )
    const model = await chooseModel(wire.model, { env })
    const failure = describeModelError(findError(await collect(model)), model, createRedactor(env))
    expect(failure).toMatchObject({ code: 'MODEL_UNREACHABLE', retryable: false })
    expect(failure.message).toContain(`${url}/v1`)
    expect(failure.message).toContain('nothing is listening there')
  })

  test('a page in place of the API is a bad reply, and with 404 a wrong address', async () => {
    const page = '<html><body>Please log in</body></html>'
    expect((await fail(wire, { body: page })).failure).toMatchObject({ code: 'MODEL_BAD_REPLY', retryable: false })
    const { failure } = await fail(wire, { status: 404, body: page })
    expect(failure).toMatchObject({ code: 'MODEL_NOT_FOUND' })
    expect(failure.message).toContain('There is no API at http://127.0.0.1')
    expect(failure.message).not.toContain('log in')
  })

  test('an event that is not JSON is a bad reply', async () => {
    const reply = { body: 'data: {"half\n\n', headers: { 'content-type': 'text/event-stream' } }
    expect((await fail(wire, reply)).failure).toMatchObject({ code: 'MODEL_BAD_REPLY' })
  })

  test('an abort rejects, and the signal tells that it was one', async () => {
    const { model } = await open(wire, [{ text: 'Hi.' }])
    const abort = new AbortController()
    abort.abort()
    const { thrown, parts } = await collect(model, { abortSignal: abort.signal })
    expect(thrown).toMatchObject({ name: 'AbortError' })
    expect(parts).toEqual([])
  })

  test('an abort in the middle of a reply rejects as well', async () => {
    const { model } = await open(wire, [{ text: 'A long answer, it seems.', cutAfter: 3, cutBy: 'silence' }])
    const abort = new AbortController()
    const { stream } = await model.language.doStream({ prompt: [], ...model.settings({}), abortSignal: abort.signal })
    const read = async () => {
      for await (const part of stream) if (part.type === 'text-delta' || part.type === 'text-start') abort.abort()
    }
    await expect(read()).rejects.toMatchObject({ name: 'AbortError' })
  })

  test(`the words of ${name} are cut and have no key in them`, async () => {
    const { server } = await open(wire, [])
    const words = `bad ${keyOf(server)} and sk-proj-abcdefghijklmnopqrst, ${'long '.repeat(1000)}`
    const { failure } = await fail(wire, { status: 400, body: { error: { message: words, code: 400, status: 'X' } } })
    expect(failure).toMatchObject({ code: 'MODEL_BAD_REQUEST' })
    expect(failure.message).toMatch(/bad \[redacted: \w+\] and \[redacted: key\], long/)
    expect(failure.message.length).toBeLessThan(700)
  })
})

/** An address on which nothing listens any more. */
async function freeAddress(): Promise<string> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

test('a server that only resembles OpenAI is told how it is used', async () => {
  const server = await during(startCompatible([{ text: 'Hi.' }]))
  const env = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: 'x' }
  const model = await chooseModel('gpt-4o', { env })
  const failure = describeModelError(findError(await collect(model)), model, createRedactor(env))
  expect(failure).toMatchObject({ code: 'MODEL_BAD_REPLY', retryable: false })
  expect(failure.message).toContain('ARGOT_BASE_URL and openai-compatible:gpt-4o')
})
