import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { sharedCluster } from './cluster.ts'

const root = new URL('../../..', import.meta.url).pathname

/** The program of a page that says that this test runs it, letter by letter. */
function readProgram(page: string): string {
  const text = readFileSync(join(root, page), 'utf8')
  const [, program] = /<!-- run by: packages\/postgres\/test\/page-programs\.test\.ts -->\n```js\n([\s\S]*?)```/.exec(
    text,
  )!
  return program!
}

/** A database of its own: the programs use the usual schema. */
async function createDatabase(): Promise<string> {
  const url = new URL(await sharedCluster())
  const name = `pages_${process.pid}`
  const admin = new pg.Client({ connectionString: url.href })
  await admin.connect()
  await admin.query(`create database ${name}`)
  onTestFinished(async () => {
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  })
  url.pathname = `/${name}`
  return url.href
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function start(folder: string, page: string, env: Record<string, string>): ChildProcess {
  const file = join(folder, `${page.replaceAll('/', '-')}.mjs`)
  writeFileSync(file, readProgram(page))
  const tsx = pathToFileURL(join(root, 'node_modules/tsx/dist/loader.mjs')).href
  const child = spawn(process.execPath, ['--conditions=@argot/source', `--import=${tsx}`, file], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: process.env.TMPDIR, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  return child
}

test('the programs of docs/scale-out.md and of the README.md of this package are nodes of one installation', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'argot-pg-pages-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const store = await createDatabase()
  const port = await findPort()
  start(folder, 'docs/scale-out.md', { ARGOT_STORE: store, PORT: String(port) })
  const second = start(folder, 'packages/postgres/README.md', { ARGOT_STORE: store })
  const [printed] = (await once(second.stdout!, 'data')) as [Buffer]
  const address = String(printed).trim()
  const first = `http://127.0.0.1:${port}/`
  await expect
    .poll(() =>
      fetch(`${first}api/documents`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200)
  const text = '<user>\nHello\n</user>\n'
  const written = await fetch(`${first}api/documents/chat.chatmd`, { method: 'PUT', body: text })
  expect(written.status).toBe(201)
  expect(await (await fetch(`${address}api/documents/chat.chatmd`)).text()).toBe(text)
})
