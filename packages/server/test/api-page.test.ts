import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer as createNode } from 'node:http'
import type { AddressInfo } from 'node:net'
import { defineTool } from '@argot/agent'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { call, finish, text } from '../../agent/test/scripted-model.ts'
import { listenAt } from './clients/stock-chat.ts'
import { type ServedFolder, serveFolder } from './served-folder.ts'

const page = await readFile(new URL('../../../docs/server-api.md', import.meta.url), 'utf8')
const blocks = Array.from(page.matchAll(/^```sh\n(.*?)^```$/gms), match => match[1]!)

const save = defineTool({
  name: 'save',
  description: 'Saves.',
  inputSchema: { type: 'object' },
  execute: () => 'It was saved.',
})
const steps = [
  [...text('I save it.'), ...call('c1', 'save', { text: 'x' }), finish('tool-calls')],
  [...call('q1', 'ask_user', { question: 'Which?' }), finish('tool-calls')],
  'Blue it is.',
  'You are welcome.',
]

/** Runs a script of the page, and gives what each of its blocks says. */
function run(script: string, url: string): Promise<{ code: number | null; out: string }> {
  return new Promise(resolve => {
    const child = spawn('bash', ['-eu', '-c', script], { env: { PATH: process.env.PATH, URL: url }, timeout: 60_000 })
    let out = ''
    child.stdout.on('data', piece => {
      out += piece
    })
    child.stderr.on('data', piece => {
      out += piece
    })
    child.on('close', code => resolve({ code, out }))
  })
}

test('every block of the page about the API does what the page says', async () => {
  const served = await serveFolder(steps, { tools: [save] })
  const { url } = await listenAt(served)
  const { code, out } = await run(blocks.map(block => `echo '# block'\n${block}`).join('\n'), url)
  expect(code, out).toBe(0)
  const said = out.split('# block\n').slice(1)
  const wanted = [
    /"ok".*"ready".*Argot/s,
    /"notes.chatmd","idle".*Be brief.*"diagnostics":/s,
    /true\n\["[\w-]+","waiting","save"\]/,
    /^200$/m,
    /"c2".*"(running|waiting|done)".*true.*"path":"[^"]+\.chatmd".*save.*"done"/s,
    /^\[\["notes\.chatmd","notes\.1\.chatmd"\],0\]\n.*\{"value":"good"\}$/m,
    /^\[true,\[\],"Wrote x"\]\n\[\[\],"save"\]$/m,
    /^(SERVER_RUN_OVER|running|queued|done)\ntrue$/m,
    /\[DONE\].*data: .*It was saved\..*It wa/s,
    /event: ready/,
    /stream-closed: true.*\d+.*"streamClosed":true/is,
    /\[DONE\].*204\n\["user","Thanks."\]\n\["assistant","You are welcome."\]/s,
    /^401$/m,
  ]
  for (const [index, pattern] of wanted.entries()) expect(said[index], blocks[index]).toMatch(pattern)
  expect(said).toHaveLength(wanted.length)
})

test('every route of the server is on the page', async () => {
  const { server } = await serveFolder(['Hi.'])
  const { paths } = server.openapi as { paths: Record<string, Record<string, unknown>> }
  const plain = page.replaceAll(/\$URL|\$run/g, one => (one === '$run' ? 'ID' : ''))
  for (const path of Object.keys(paths)) {
    const pattern = path
      .replaceAll('.', '\\.')
      .replaceAll('{path}', '(PATH|notes\\.chatmd)')
      .replaceAll('{chat}', '(ID|notes)')
      .replaceAll('{toolCallId}', '(CALL|c1)')
      .replaceAll('{approvalId}', 'APPROVAL')
      .replaceAll('{provider}', 'PROVIDER')
      .replaceAll('{turn}', 'TURN')
      .replaceAll('{id}', 'ID')
    expect(plain, path).toMatch(new RegExp(`${pattern}(?![\\w/])`))
  }
})

/** Whether a server that is part of another one runs documents, and leaves the rest to it. */
async function tryApp(url: string, { until }: ServedFolder): Promise<void> {
  expect(await (await fetch(`${url}/`)).text()).toBe('My app')
  const response = await fetch(`${url}/api/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ document: 'hello.chatmd' }),
  })
  const { id } = (await response.json()) as { id: string }
  await until(id, 'done')
  expect(await (await fetch(`${url}/api/runs/${id}/stream`)).text()).toContain('[DONE]')
}

async function listenNode(node: ReturnType<typeof createNode>): Promise<string> {
  await new Promise<void>(resolve => {
    node.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    node.close()
    node.closeAllConnections()
  })
  return `http://127.0.0.1:${(node.address() as AddressInfo).port}`
}

const files = { 'hello.chatmd': '<user>\nHello.\n</user>\n' }

test('it is part of an app of Hono, as the page shows', async () => {
  const served = await serveFolder(['Hi.'], { files })
  const argot = served.server
  const app = new Hono()
  app.get('/', c => c.text('My app'))
  app.all('/api/*', c => argot.fetch(c.req.raw, c.env))
  const handle = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  const url = await listenNode(createNode((request, response) => void handle(request, response)))
  await tryApp(url, served)
})

test('it is a handler of Node, which Express takes as it is', async () => {
  const served = await serveFolder(['Hi.'], { files })
  const argot = served.server
  const handle = getRequestListener((request, env) => argot.fetch(request, env), { overrideGlobalObjects: false })
  const url = await listenNode(
    createNode((request, response) => {
      if (/^\/api\//.test(request.url ?? '')) void handle(request, response)
      else response.end('My app')
    }),
  )
  await tryApp(url, served)
})
