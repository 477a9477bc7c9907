import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { runDocument } from '@argot/agent'
import { expect, onTestFinished, test } from 'vitest'
import { documentFolder, follow } from '../../run/document-folder.ts'
import { startCompatible } from '../servers/compatible.ts'

/** A server of its own that says which models it has, and whose models answer. */
async function startServer(models: unknown, status = 200) {
  const model = await startCompatible([{ text: 'Hello.' }])
  const keys: (string | undefined)[] = []
  const asked: string[] = []
  const server = createServer((request, response) => void answer(request, response))
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET' && request.url === '/v1/models') {
      keys.push(request.headers.authorization)
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(models))
      return
    }
    const body = await new Response(request as never).text()
    asked.push(JSON.parse(body).model)
    const reply = await fetch(`${model.env.ARGOT_BASE_URL}${request.url!.slice(3)}`, { method: 'POST', body })
    response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type')! }).end(await reply.text())
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await model.close()
  })
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys, asked }
}

async function run(env: Record<string, string>, config = '') {
  const folder = await documentFolder({ 'chat.chatmd': `${config}<user>\nHi.\n</user>\n` })
  const notices: string[] = []
  const options = {
    env,
    cwd: folder,
    configFolder: join(folder, 'config'),
    notice: (text: string) => notices.push(text),
  }
  const { result } = await follow(runDocument(join(folder, 'chat.chatmd'), options))
  return { result, notices }
}

const list = (...ids: unknown[]) => ({ object: 'list', data: ids.map(id => ({ id, object: 'model' })) })

test('a document that names no model gets the only one that the server at ARGOT_BASE_URL has', async () => {
  const { address, asked, keys } = await startServer(list('qwen3:8b', 7, 'qwen3:8b'))
  const { result, notices } = await run({ ARGOT_BASE_URL: `${address}/v1`, ARGOT_API_KEY: 'word' })
  expect(result).toMatchObject({ status: 'done', text: 'Hello.' })
  expect([asked, keys]).toEqual([['qwen3:8b'], ['Bearer word']])
  expect(notices).toContainEqual(
    expect.stringContaining('Using openai-compatible:qwen3:8b, because ARGOT_BASE_URL is set'),
  )
})

test('so does one that names Ollama as its provider', async () => {
  const { address, asked } = await startServer(list('llama3.2:3b'))
  const { result } = await run({ OLLAMA_HOST: address.slice(7) }, '<config api="ollama"/>\n')
  expect([result.status, asked]).toEqual(['done', ['llama3.2:3b']])
})

test.each<[string, unknown, number, RegExp]>([
  ['several models', list('a', 'b:1'), 200, /: a, b:1\. Set it with --model openai-compatible:a, or <config model=/],
  ['more than can be shown', list(...Array.from({ length: 30 }, (_, at) => `m${at}`)), 200, /m19, and 10 more\./],
  ['names that drive a terminal', list('a\u001b[2J', 'b'), 200, /: a\\u001b\[2J, b\./],
  ['no model', list(), 200, /: there are none\. Set it/],
  ['no list', { models: [] }, 200, /: there are none\. Set it/],
  ['an error', list('a'), 401, /: it responded with status 401\. Start it, or correct/],
])('where the server has %s the error says so', async (_, models, status, words) => {
  const { address, asked } = await startServer(models, status)
  const { result } = await run({ ARGOT_BASE_URL: `${address}/v1` })
  expect(result).toMatchObject({ status: 'failed', code: 'MODEL_MISSING_NAME', error: expect.stringMatching(words) })
  expect(asked).toEqual([])
})

test('where nothing listens the error says so', async () => {
  const { result } = await run({ ARGOT_BASE_URL: 'http://127.0.0.1:9/v1' })
  expect(result).toMatchObject({
    code: 'MODEL_MISSING_NAME',
    error: expect.stringMatching(/asked its server for its models: .*Start it, or correct the address/),
  })
})

test('a document that names its model asks nobody for the list', async () => {
  const { address, asked, keys } = await startServer(list('a', 'b'))
  const { result } = await run({ ARGOT_BASE_URL: `${address}/v1` }, '<config model="openai-compatible:b"/>\n')
  expect([result.status, asked, keys]).toEqual(['done', ['b'], []])
})
