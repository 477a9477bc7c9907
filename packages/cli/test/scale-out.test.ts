import { type ChildProcess, spawn } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { beginRun, pushAll, recordRun } from '../../agent/src/testing/record-run.ts'
import { parkedRun, start, startStep, wholeRun } from '../../agent/src/testing/scripted-chunks.ts'
import { sharedCluster } from '../../postgres/test/cluster.ts'
import { argot, commandLine, type Result } from './argot.ts'

const PASSWORD = 'hunter22-of-the-database'
const key = Buffer.alloc(32, 5)
let databases = 0

interface Place {
  folder: string
  env: Record<string, string>
  query: (text: string) => Promise<pg.QueryResult>
  call(args: readonly string[], env?: Record<string, string>): Promise<Result>
  /** Starts a process that stays, and gives its first line. */
  launch(args: readonly string[], env?: Record<string, string>): Promise<{ line: string; child: ChildProcess }>
}

/** An empty database whose address has a password, and a folder. */
async function openPlace(): Promise<Place> {
  const url = new URL(await sharedCluster())
  const admin = new pg.Client(url.href)
  await admin.connect()
  const name = `cli_${process.pid}_${++databases}`
  await admin.query(`create database ${name}`)
  await admin.end()
  url.pathname = `/${name}`
  url.password = PASSWORD
  const client = new pg.Client(url.href)
  await client.connect()
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'argot-scale-')))
  onTestFinished(async () => {
    await client.end()
    rmSync(folder, { recursive: true, force: true })
  })
  const env = {
    ARGOT_STORE: url.href,
    ARGOT_STATE_KEY: key.toString('base64'),
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
  }
  return {
    folder,
    env,
    query: text => client.query(text),
    call: (args, more = {}) => argot(args, { cwd: folder, env: { ...env, ...more } }),
    launch: (args, more = {}) => launch(args, folder, { ...env, ...more }),
  }
}

function launch(
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<{ line: string; child: ChildProcess }> {
  const [node, ...rest] = commandLine(args)
  const child = spawn(node, rest, { cwd, env: { PATH: process.env.PATH ?? '', ...env } })
  const exited = new Promise(resolve => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (line: string) => resolve({ line, child }))
    child.once('exit', code => reject(new Error(`It ended (${code}): ${stderr}`)))
  })
}

test('`serve` and `worker` share a database: other keys and newer tables are refused, and tools never see the address', async () => {
  const { call, launch: start, query, env, folder } = await openPlace()
  const { line } = await start(['serve', '--port', '0', '--json'])
  const { url } = JSON.parse(line) as { url: string }
  const put = async (name: string, body: string) => fetch(`${url}api/documents/${name}`, { method: 'PUT', body })

  await put('files.chatmd', '<tool name="read_file"/>\n\n<user>\nHello\n</user>\n')
  const check = await (await fetch(`${url}api/documents/files.chatmd/check`)).json()
  expect(JSON.stringify(check)).toContain('TOOL_NO_FOLDER')

  const other = await call(['worker'], { ARGOT_STATE_KEY: Buffer.alloc(32, 6).toString('base64') })
  expect(other.status).not.toBe(0)
  expect(other.stderr).toMatch(/sign with another key\. Give all of them the same `?ARGOT_STATE_KEY/)

  mkdirSync(join(folder, 'root'))
  await start(['worker', '--root', join(folder, 'root'), '--allow-exec', '--approve', 'all', '--model', 'demo'])
  await put('env.chatmd', '<tool name="show" command="sh -c \\"env; cat /proc/self/environ; echo is $HOME\\""/>\n')
  const body = JSON.stringify({ document: 'env.chatmd', input: 'Please show.' })
  const headers = { 'content-type': 'application/json' }
  const run = (await (await fetch(`${url}api/runs`, { method: 'POST', headers, body })).json()) as { id: string }
  const stream = await (await fetch(`${url}api/runs/${run.id}/stream`)).text()
  expect(stream).toContain('PATH=')
  for (const secret of [PASSWORD, env.ARGOT_STORE!, env.ARGOT_STATE_KEY!]) expect(stream).not.toContain(secret)

  await query('update argot.meta set version = 99')
  const older = await call(['worker'])
  expect(older.status).not.toBe(0)
  expect(older.stderr).toMatch(
    /version 99 of Argot's tables, but this Argot only supports version \d+\. Update Argot\./,
  )
  for (const { stdout, stderr } of [other, older]) expect(stdout + stderr).not.toContain(PASSWORD)
})

/** A folder of documents: with runs that have ended, one that is parked, an attachment, and plain ones. */
async function furnish(root: string, count: number): Promise<void> {
  mkdirSync(join(root, 'below'), { recursive: true })
  const names = Array.from({ length: count }, (_, index) => `${index % 3 === 0 ? 'below/' : ''}d${index}.chatmd`)
  for (const name of names) writeFileSync(join(root, name), `<user>\r\nTu es ${name} 🙂.\r\n</user>`)
  const folder = folderStore(root, { key, configFolder: join(root, '../none') })
  for (const [index, path] of names.entries()) {
    if (index % 2 === 0) await recordRun(folder, wholeRun, { path, run: `run-${index}`, payloads: 'external' })
  }
  await recordRun(folder, parkedRun, { path: names[1]!, run: 'parked' })
  await folder.files(names[1]!).write('attachments', 'a b.bin', Buffer.from([0, 255, 10, 13]))
}

/** Every file by its path, apart from locks and the hidden draft of a file that a killed process was writing. */
function readAll(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true }) as string[]
  const isTransient = (name: string): boolean => name.includes('/locks') || /\/\.[0-9a-f-]{36}\.tmp$/.test(name)
  const files = names.filter(name => !isTransient(name) && statSync(join(root, name)).isFile())
  return Object.fromEntries(files.sort().map(name => [name, readFileSync(join(root, name)).toString('latin1')]))
}

test('`copy` is continued after `kill -9`, comes back byte by byte, and leaves out what runs', async () => {
  const { folder, env, call } = await openPlace()
  const [root, back] = [join(folder, 'docs'), join(folder, 'back')]
  mkdirSync(root)
  const count = 12
  await furnish(root, count)
  const before = readAll(root)
  /** Kills the copy as soon as it says that so many documents are done. */
  const killAt = (args: readonly string[], done: number) =>
    argot(args, {
      cwd: folder,
      env,
      onOutput: (child, output) => void (output.includes(`${done} of ${count}`) ? child.kill('SIGKILL') : undefined),
    })
  const [into, out] = [
    ['copy', root, 'env:ARGOT_STORE'],
    ['copy', 'env:ARGOT_STORE', back],
  ] as const
  for (const done of [1, 5]) expect((await killAt(into, done)).status).not.toBe(0)
  const whole = await call(into)
  expect({ status: whole.status, last: whole.stderr.split('\n').at(-2) }).toMatchObject({ status: 0 })
  for (const done of [1, 6]) expect((await killAt(out, done)).status).not.toBe(0)
  expect((await call(out)).status).toBe(0)
  expect(readAll(back)).toEqual(before)

  const other = await call(['copy', 'env:ARGOT_STORE', join(folder, 'other')], {
    ARGOT_STATE_KEY: Buffer.alloc(32, 6).toString('base64'),
  })
  expect(other.stderr).toContain(
    'd1.chatmd: its questions will be asked again, because the target has a different key.',
  )

  const source = folderStore(root, { key, configFolder: join(folder, 'none') })
  writeFileSync(join(root, 'busy.chatmd'), '<user>\nHello\n</user>\n')
  const running = await beginRun(source, { path: 'busy.chatmd', run: 'busy' })
  await pushAll(running, [start, startStep])
  const busy = await call(into)
  await running.close()
  expect(busy.status).toBe(1)
  expect(busy.stderr).toContain('busy.chatmd  skipped: a run is using it; stop the run and copy again')
})
