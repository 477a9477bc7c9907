import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listen } from '@argot/server'
import { expect, onTestFinished, test } from 'vitest'
import { gate } from '../clients/gate.ts'
import { serveFolder } from '../served-folder.ts'

const hasNginx = spawnSync('nginx', ['-v']).status === 0
const token = 'a-long-token'

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

/** The configuration of the page, with our addresses and without the keys of TLS. */
async function configOf(server: number, listens: number, folder: string): Promise<string> {
  const page = await readFile(new URL('../../../../docs/server-behind-a-proxy.md', import.meta.url), 'utf8')
  const [, block] = /```nginx\n([\s\S]*?)```/.exec(page)!
  const own = block!
    .replace('127.0.0.1:4176', `127.0.0.1:${server}`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${listens};`)
    .replaceAll(/^ *ssl_.*\n/gm, '')
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${folder}/${name};`)
  return `daemon off;\nworker_processes 1;\npid ${folder}/pid;\nerror_log ${folder}/error.log;\nevents {}\nhttp {\n${paths.join('\n')}\naccess_log ${folder}/access.log;\n${own}\n}\n`
}

interface Asked {
  status: number
  headers: Record<string, unknown>
  text: string
}

/** Asks by the name of the page; tells of each piece. */
function ask(
  port: number,
  path: string,
  {
    took = () => {},
    ...options
  }: { method?: string; body?: string; headers?: object; took?: (text: string) => void } = {},
): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const headers = { host: 'argot.example', authorization: `Bearer ${token}`, ...options.headers }
    const asking = request({ port, path, method: options.method ?? 'GET', headers, agent: false }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
        took(text)
      })
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }))
      response.on('error', reject)
    })
    asking.on('error', reject)
    asking.end(options.body)
  })
}

test.skipIf(!hasNginx)('nginx with the configuration of the page passes everything on, streams at once', async () => {
  const middle = gate()
  const served = await serveFolder(['One two three four.'], {
    files: { 'hello.chatmd': '<user>\nHello.\n</user>\n' },
    hosts: ['argot.example'],
    token,
    trustsProxy: true,
    before: {
      before: part => (part.type === 'text-delta' && part.delta.startsWith('three') ? middle.wait() : undefined),
    },
  })
  const { port: own, close } = await listen(served.server, { port: 0 })
  onTestFinished(close)
  const folder = await mkdtemp(join(tmpdir(), 'argot-nginx-'))
  const port = await freePort()
  await writeFile(join(folder, 'nginx.conf'), await configOf(own, port, folder))
  const nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder], { stdio: 'ignore' })
  const exited = new Promise(resolve => {
    nginx.on('exit', resolve)
  })
  onTestFinished(async () => {
    nginx.kill('SIGQUIT')
    const timer = setTimeout(() => nginx.kill('SIGKILL'), 5000)
    await exited
    clearTimeout(timer)
    await rm(folder, { recursive: true, force: true })
  })
  for (let turn = 0; ; turn++) {
    if (nginx.exitCode !== null || turn > 600) throw new Error(await readFile(join(folder, 'error.log'), 'utf8'))
    const up = await ask(port, '/healthz').catch(() => undefined)
    if (up?.status === 200) break
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  const json = { 'content-type': 'application/json', origin: 'https://argot.example', 'sec-fetch-site': 'same-origin' }
  const body = JSON.stringify({ document: 'hello.chatmd' })
  const begun = await ask(port, '/api/runs', { method: 'POST', headers: json, body })
  expect(begun.status).toBe(201)
  const { id } = JSON.parse(begun.text) as { id: string }
  // The run is silent and goes on only after what it has said so far has come through.
  const stream = await ask(port, `/api/runs/${id}/stream`, {
    headers: { 'accept-encoding': 'gzip' },
    took: text => {
      if (text.includes('two')) middle.open()
    },
  })
  expect(stream.text).toContain('[DONE]')
  expect(stream.headers['content-encoding']).toBeUndefined()
  expect((await ask(port, '/api/documents', { headers: { host: 'evil.example' } })).status).toBe(421)
  expect((await ask(port, '/api/documents', { headers: { origin: 'https://evil.example' } })).status).toBe(403)
  expect((await ask(port, '/api/documents', { headers: { authorization: 'x' } })).status).toBe(401)
  expect(await readFile(join(folder, 'access.log'), 'utf8')).not.toContain(token)
})
