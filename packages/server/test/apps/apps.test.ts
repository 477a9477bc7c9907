import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
/** Where `npm run test:apps` has put what is too large to be installed for all: Express. */
const apps = process.env.ARGOT_APPS ?? join(tmpdir(), 'argot-test-apps')

/** The blocks of the page that have a name, as files. */
async function writeBlocks(folder: string): Promise<void> {
  const page = await readFile(join(root, 'docs/server-in-an-app.md'), 'utf8')
  for (const [, name, code] of page.matchAll(/```ts file=([\w.]+)\n([\s\S]*?)```/g)) {
    await writeFile(join(folder, name!), code!)
  }
  await writeFile(join(folder, 'next.ts'), nextHarness)
}

/** Calls the functions of a route as Next does: by method, with the request and what was in its path. */
const nextHarness = `
import { serve } from '@hono/node-server'
import * as route from './route.ts'

const handlers = route as unknown as Record<string, (request: Request, context: unknown) => Promise<Response>>
serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
  async fetch(request) {
    const { pathname } = new URL(request.url)
    if (!pathname.startsWith('/api/')) return new Response('My app')
    const context = { params: Promise.resolve({ path: pathname.slice(5).split('/') }) }
    const handler = handlers[request.method]
    return handler === undefined ? new Response(null, { status: 405 }) : handler(request, context)
  },
})
`

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

interface App {
  url: string
  child: ChildProcess
  exited: Promise<number | null>
}

const hasExpress = existsSync(join(apps, 'node_modules/express'))
const names = ['hono', 'next', ...(hasExpress ? ['express'] : [])]
let made: string

/** All apps of the page at once, in a folder below the packages that they need. */
beforeAll(async () => {
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  made = await realpath(await mkdtemp(join(cache, 'argot-app-')))
  await writeBlocks(made)
  await build({
    entryPoints: names.map(name => join(made, `${name}.ts`)),
    outdir: made,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    conditions: ['@argot/source'],
    nodePaths: [join(apps, 'node_modules')],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
    external: ['openai', 'anthropic', 'google', 'openai-compatible'].map(one => `@ai-sdk/${one}`),
  })
})

afterAll(() => rm(made, { recursive: true, force: true }))

/** Starts an app of the page in a process of its own, over a folder of its own. */
async function start(name: string): Promise<App> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-app-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'documents'))
  const port = await freePort()
  const env = { PATH: process.env.PATH ?? '', HOME: folder, PORT: String(port) }
  const program = join(made, `${name}.mjs`)
  const child = spawn(process.execPath, [program], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const exited = new Promise<number | null>(resolve => {
    child.on('exit', code => resolve(code))
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const url = `http://127.0.0.1:${port}`
  for (let turn = 0; turn < 1000 && child.exitCode === null; turn++) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.status === 200) return { url, child, exited }
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  throw new Error(`The app does not answer: ${stderr}`)
}

const json = { 'content-type': 'application/json' }

for (const [title, name, isThere] of [
  ['Hono', 'hono', true],
  ['Express', 'express', hasExpress],
  ['Next', 'next', true],
] as const) {
  test.skipIf(!isThere)(`an app of ${title} has Argot in it, as the page shows, beside its own routes`, () =>
    tryApp(name),
  )
}

async function tryApp(name: string): Promise<void> {
  const { url, child, exited } = await start(name)
  expect(await (await fetch(url)).text()).toBe('My app')
  const put = await fetch(`${url}/api/documents/a.chatmd`, {
    method: 'PUT',
    body: '<user>\nSay "Hello" to me.\n</user>\n',
  })
  expect(put.status).toBe(201)
  const body = JSON.stringify({ document: 'a.chatmd' })
  const begun = await fetch(`${url}/api/runs`, { method: 'POST', headers: json, body })
  expect(begun.status).toBe(201)
  const { id } = (await begun.json()) as { id: string }
  expect(await (await fetch(`${url}/api/runs/${id}/stream`)).text()).toContain('data: [DONE]')
  expect((await fetch(`${url}/api/runs/${id}/log`, { method: 'HEAD' })).headers.get('stream-closed')).toBe('true')
  const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'And again.' }] }
  const chat = { method: 'POST', headers: json, body: JSON.stringify({ id: 'a', messages: [message] }) }
  expect(await (await fetch(`${url}/api/chat`, chat)).text()).toContain('data: [DONE]')
  const nothing = await fetch(`${url}/api/runs/nope`)
  expect([nothing.status, await nothing.json()]).toMatchObject([404, { code: 'SERVER_NOT_FOUND' }])
  // A page of somebody else is refused inside of the app, too.
  expect((await fetch(`${url}/api/documents`, { headers: { origin: 'https://evil.example' } })).status).toBe(403)
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
}
