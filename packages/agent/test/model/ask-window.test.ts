import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chooseModel } from '@argot/agent'
import { expect, onTestFinished, test } from 'vitest'

/** A server that answers by path. */
async function serve(replies: Readonly<Record<string, unknown>>) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const reply = replies[request.url ?? '']
    response.writeHead(reply === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(typeof reply === 'string' ? reply : JSON.stringify(reply ?? {}))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

test.each([
  ['vLLM', { id: 'm', max_model_len: 32_768 }, 32_768],
  ['a gateway', { id: 'm', context_length: 131_072 }, 131_072],
  ['llama.cpp', { id: 'm', meta: { n_ctx: 8192 } }, 8192],
  ['another model', { id: 'n', max_model_len: 32_768 }, undefined],
  ['nonsense', { id: 'm', max_model_len: '9e99', context_length: -1 }, undefined],
])('the model list of %s says how large the window is', async (_, model, expected) => {
  const { url } = await serve({ '/v1/models': { data: [null, model] } })
  const chosen = await chooseModel('openai-compatible:m', { env: { ARGOT_BASE_URL: `${url}/v1` } })
  expect(await chosen.askWindow?.()).toBe(expected)
})

test.each([
  ['runs it', { '/api/ps': { models: [{ name: 'm:latest', context_length: 4096 }] } }, 4096],
  ['would run it', { '/api/ps': { models: [] }, '/api/show': { parameters: 'stop  "x"\nnum_ctx    16384' } }, 16_384],
  ['says nothing', { '/api/show': { parameters: 'stop "x"' } }, undefined],
  ['says what is not JSON', { '/api/ps': '<html>' }, undefined],
])('Ollama that %s is asked', async (_, replies, expected) => {
  const { url } = await serve(replies)
  const chosen = await chooseModel('ollama:m', { env: { OLLAMA_HOST: url } })
  expect(await chosen.askWindow?.()).toBe(expected)
})

test('a server that is not there says nothing', async () => {
  const chosen = await chooseModel('ollama:m', { env: { OLLAMA_HOST: 'http://127.0.0.1:9' } })
  expect(await chosen.askWindow?.()).toBeUndefined()
})
