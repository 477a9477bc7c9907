import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

/** Where `npm run test:apps` has put Next and the packed packages. */
const app = join(process.env.ARGOT_APPS ?? join(tmpdir(), 'argot-test-apps'), 'next')
const page = fileURLToPath(new URL('../../../../docs/server-in-an-app.md', import.meta.url))
const minutes = (count: number): number => count * 60_000

/** The app of the page, with nothing left of an earlier one. */
async function writeApp(): Promise<void> {
  for (const name of ['app', '.next', 'state', 'documents']) await rm(join(app, name), { recursive: true, force: true })
  const route = join(app, 'app/api/[...path]')
  await mkdir(route, { recursive: true })
  await mkdir(join(app, 'documents'))
  const blocks = [...(await readFile(page, 'utf8')).matchAll(/```ts file=([\w.]+)\n([\s\S]*?)```/g)]
  for (const [, name = '', code = ''] of blocks) {
    if (name === 'argot.ts' || name === 'route.ts') await writeFile(join(route, name), code)
    if (name === 'next.config.ts') await writeFile(join(app, name), code)
  }
  const body = '{ children }: { children: React.ReactNode }'
  const html = '<html lang="en"><body>{children}</body></html>'
  await writeFile(join(app, 'app/layout.tsx'), `export default function Layout(${body}) { return ${html} }\n`)
  await writeFile(join(app, 'app/page.tsx'), 'export default function Page() { return <p>My app</p> }\n')
}

interface Started {
  child: ChildProcess
  exited: Promise<number | null>
  output: () => string
}

function next(...args: string[]): Started {
  const env = { PATH: process.env.PATH ?? '', HOME: app, NEXT_TELEMETRY_DISABLED: '1' }
  const program = join(app, 'node_modules/next/dist/bin/next')
  const child = spawn(process.execPath, [program, ...args], { cwd: app, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const exited = new Promise<number | null>(resolve => {
    child.on('exit', code => resolve(code))
  })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await exited
  })
  return { child, exited, output: () => output }
}

async function serve(command: 'start' | 'dev'): Promise<{ url: string } & Started> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  const started = next(command, '-H', '127.0.0.1', '-p', String(port))
  const url = `http://127.0.0.1:${port}`
  await expect
    .poll(() => fetch(url).then(({ status }) => status, started.output), { timeout: minutes(3), interval: 500 })
    .toBe(200)
  return { url, ...started }
}

async function runDocument(url: string, name: string): Promise<void> {
  const put = await fetch(`${url}/api/documents/${name}.chatmd`, {
    method: 'PUT',
    body: '<user>\nSay "Hello".\n</user>\n',
  })
  expect([put.status, await put.text()]).toMatchObject([201, expect.anything()])
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ document: `${name}.chatmd` })
  const begun = await fetch(`${url}/api/runs`, { method: 'POST', headers, body })
  expect(begun.status).toBe(201)
  const { id } = (await begun.json()) as { id: string }
  expect(await (await fetch(`${url}/api/runs/${id}/stream`)).text()).toContain('data: [DONE]')
}

test.skipIf(!existsSync(join(app, 'node_modules/next')))(
  'a real app of Next is built, started and developed with Argot in it, as the page shows',
  async () => {
    await writeApp()
    const built = next('build')
    expect([await built.exited, built.output()]).toMatchObject([0, expect.not.stringContaining('TS5097')])
    // Modules are evaluated during the build, and no server is created there.
    expect(existsSync(join(app, 'state'))).toBe(false)
    const started = await serve('start')
    await runDocument(started.url, 'a')
    started.child.kill('SIGTERM')
    await started.exited

    const { url } = await serve('dev')
    await runDocument(url, 'b')
    const module = join(app, 'app/api/[...path]/argot.ts')
    // The module is evaluated again, in the same process.
    await writeFile(module, `${await readFile(module, 'utf8')}\nexport const edited = true\n`)
    const route = join(app, 'app/api/[...path]/route.ts')
    await writeFile(route, `${await readFile(route, 'utf8')}\nexport const PATCH = GET\n`)
    await expect
      .poll(async () => (await fetch(`${url}/api/documents`, { method: 'PATCH' })).headers.get('allow'), {
        timeout: minutes(1),
      })
      .toContain('GET')
    await runDocument(url, 'c')
  },
  minutes(10),
)
