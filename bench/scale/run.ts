import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { Cluster } from '../../packages/postgres/test/cluster.ts'
import { table } from '../table.ts'

const help = `Runs on PostgreSQL with one, two and four workers, beside the folder store. PostgreSQL is started in a temporary folder, with fsync.

  npm run bench:scale                                   100 runs of 100 chunks; then 1 000 readers of 10 runs
  RUNS=20 CHUNKS=50 READERS=100 npm run bench:scale     less

Exit status: 0 every run ended and every reader got every chunk, 1 one did not.`

const runs = Number(process.env.RUNS ?? 100)
const chunks = Number(process.env.CHUNKS ?? 100)
const readers = Number(process.env.READERS ?? 1000)
const READ_RUNS = 10
/** What a run says while it is read: so many chunks, one each 20 ms. */
const READ_CHUNKS = 500
const PACE_MS = 20

/** A node in a process of its own. */
class BenchNode {
  readonly child: ChildProcess
  readonly address: Promise<string>

  constructor(env: Readonly<Record<string, string>>) {
    const args = ['--import', 'tsx', '--conditions=@argot/source', join(import.meta.dirname, 'node.ts')]
    this.child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.address = new Promise((resolve, reject) => {
      this.child.stdout!.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()))
      this.child.once('exit', code => reject(new Error(`A node ended: ${code}`)))
    })
    this.address.catch(() => {})
  }

  end(): void {
    this.child.kill('SIGKILL')
  }
}

/** Seconds of CPU that processes have used; Linux counts in hundredths. */
function cpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /, '')
      .split(' ')
    return sum + (Number(fields[11]) + Number(fields[12])) / 100
  }, 0)
}

async function post(url: string, document: string): Promise<string> {
  const body = JSON.stringify({ document })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/api/runs`, { method: 'POST', headers, body })
  return ((await response.json()) as { id: string }).id
}

async function put(url: string, document: string): Promise<void> {
  const headers = { 'content-type': 'text/plain' }
  await fetch(`${url}/api/documents/${document}`, { method: 'PUT', headers, body: '<user>\nSpeak.\n</user>\n' })
}

/** Sends runs to a node, and waits until all of them are over. Gives the seconds. */
async function sendAll(url: string, prefix: string): Promise<number> {
  const documents = Array.from({ length: runs }, (_, index) => `${prefix}-${index}.chatmd`)
  for (const document of documents) await put(url, document)
  const begun = performance.now()
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < documents.length) {
      const run = await post(url, documents[next++]!)
      await readRun(`${url}/api/runs/${run}/stream`, new Agent())
    }
  }
  await Promise.all(Array.from({ length: 16 }, lane))
  return (performance.now() - begun) / 1000
}

interface Read {
  chunks: number
  latencies: number[]
}

function readRun(url: string, agent: Agent): Promise<Read> {
  return new Promise((resolve, reject) => {
    const read: Read = { chunks: 0, latencies: [] }
    let rest = ''
    get(url, { agent, headers: { 'x-argot-chunks': '1' } }, response => {
      const connected = Date.now()
      response.setEncoding('utf8').on('data', (text: string) => {
        const now = Date.now()
        const events = (rest + text).split('\n\n')
        rest = events.pop()!
        for (const event of events) {
          const stamp = /"delta":"(\d+) "/.exec(event)
          if (stamp === null) continue
          read.chunks++
          // What was said before a reader came is no latency.
          if (Number(stamp[1]) > connected) read.latencies.push(now - Number(stamp[1]))
        }
      })
      response.on('end', () => resolve(read)).on('error', reject)
    }).on('error', reject)
  })
}

interface Row {
  side: string
  runsPerSecond: string
  chunksPerSecond: string
  cpuPerChunk: string
}

async function throughput(side: string, url: string, pids: readonly number[]): Promise<Row> {
  await sendAll(url, 'warm')
  const before = cpuSeconds(pids)
  const seconds = await sendAll(url, 'measured')
  const cpu = cpuSeconds(pids) - before
  return {
    side,
    runsPerSecond: (runs / seconds).toFixed(1),
    chunksPerSecond: ((runs * chunks) / seconds).toFixed(0),
    cpuPerChunk: `${((cpu / (runs * chunks)) * 1e6).toFixed(0)} µs`,
  }
}

/** Readers of a few paced runs. Gives how long chunks took, and whether every reader got all of them. */
async function latency(url: string): Promise<{ p50: number; p99: number; isWhole: boolean }> {
  const ids: string[] = []
  for (let index = 0; index < READ_RUNS; index++) {
    await put(url, `read-${index}.chatmd`)
    ids.push(await post(url, `read-${index}.chatmd`))
  }
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
  const reads = await Promise.all(
    Array.from({ length: readers }, (_, index) => readRun(`${url}/api/runs/${ids[index % READ_RUNS]}/stream`, agent)),
  )
  const times = reads.flatMap(({ latencies }) => latencies).sort((a, b) => a - b)
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), isWhole: reads.every(read => read.chunks === READ_CHUNKS) }
}

async function onDatabase(folder: string): Promise<{ rows: Row[]; isWhole: boolean }> {
  const cluster = await Cluster.create(['fsync = on'])
  const env = { STORE: cluster.url, FOLDER: folder, CHUNKS: String(chunks) }
  const web = new BenchNode({ ...env, ROLE: 'web' })
  let workers: BenchNode[] = []
  try {
    const url = await web.address
    const rows: Row[] = []
    for (const count of [1, 2, 4]) {
      while (workers.length < count) workers.push(new BenchNode(env))
      await Promise.all(workers.map(({ address }) => address))
      const pids = workers.map(({ child }) => child.pid!)
      rows.push(await throughput(`PostgreSQL, ${count} worker${count === 1 ? '' : 's'}`, url, pids))
    }
    await printSize(cluster.url)
    for (const worker of workers) worker.end()
    workers = [new BenchNode({ ...env, CHUNKS: String(READ_CHUNKS), PACE: String(PACE_MS) })]
    await workers[0]!.address
    const { p50, p99, isWhole } = await latency(url)
    console.log(`PostgreSQL: ${readers} readers of ${READ_RUNS} runs, chunk to reader p50 ${p50} ms, p99 ${p99} ms`)
    return { rows, isWhole }
  } finally {
    for (const node of [web, ...workers]) node.end()
    await cluster.remove()
  }
}

async function printSize(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } =
    await client.query(`select (select count(*) from argot.log)::float / (select count(*) from argot.run) as lines,
    (select count(*) from argot.piece)::float / (select count(*) from argot.run) as pieces,
    (select sum(pg_total_relation_size(oid)) from pg_class where relnamespace = 'argot'::regnamespace and relkind = 'r')::float / (select count(*) from argot.run) as bytes`)
  await client.end()
  const { lines, pieces, bytes } = rows[0]
  console.log(
    `A run of ${chunks} chunks: ${Math.round(lines)} log rows, ${Math.round(pieces)} pieces of text, ${Math.round(bytes / 1024)} kB with indexes`,
  )
}

async function onFolder(folder: string): Promise<{ row: Row; isWhole: boolean }> {
  const env = { ROLE: 'folder', CHUNKS: String(chunks) }
  const fast = new BenchNode({ ...env, FOLDER: join(folder, 'fast') })
  const row = await throughput('folder, one process', await fast.address, [fast.child.pid!])
  fast.end()
  const paced = new BenchNode({
    ...env,
    CHUNKS: String(READ_CHUNKS),
    FOLDER: join(folder, 'paced'),
    PACE: String(PACE_MS),
  })
  try {
    const { p50, p99, isWhole } = await latency(await paced.address)
    console.log(`Folder: ${readers} readers of ${READ_RUNS} runs, chunk to reader p50 ${p50} ms, p99 ${p99} ms`)
    return { row, isWhole }
  } finally {
    paced.end()
  }
}

if (process.argv.includes('--help')) console.log(help)
else {
  const folder = mkdtempSync(join(tmpdir(), 'argot-bench-scale-'))
  mkdirSync(join(folder, 'config'), { recursive: true })
  try {
    const database = await onDatabase(folder)
    await pause(100)
    const disk = await onFolder(folder)
    const cells = [...database.rows, disk.row].map(row => [
      row.side,
      row.runsPerSecond,
      row.chunksPerSecond,
      row.cpuPerChunk,
    ])
    console.log(table(['', 'runs/s', 'chunks/s', 'CPU per chunk'], cells))
    process.exitCode = database.isWhole && disk.isWhole ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
