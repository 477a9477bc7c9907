import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { Cluster } from '../../packages/postgres/test/cluster.ts'
import { table } from '../table.ts'
import { BenchNode, cpuSeconds, family } from './bench-node.ts'
import { printProfile, profileSettings } from './profile.ts'
import { hasRedis, Redis } from './redis.ts'

const help = `Runs on PostgreSQL with one, two and four workers, beside the folder store and \`resumable-stream\` on Redis. PostgreSQL
is started in a temporary folder, with fsync; Redis in another, on loopback.

  npm run bench:scale                                   100 runs of 100 chunks; then 1 000 readers of 10 runs
  RUNS=20 CHUNKS=50 READERS=100 npm run bench:scale     less
  PROFILE=1 npm run bench:scale                         also which statements take the database's time

Exit status: 0 every run ended and every reader got every chunk, 1 one did not.`

const runs = Number(process.env.RUNS ?? 100)
const chunks = Number(process.env.CHUNKS ?? 100)
const readers = Number(process.env.READERS ?? 1000)
const READ_RUNS = 10
/** What a run says while it is read: so many chunks, one each 20 ms. */
const READ_CHUNKS = 500
const PACE_MS = 20

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
  return inLanes(async index => {
    const run = await post(url, documents[index]!)
    await readRun(`${url}/api/runs/${run}/stream`, new Agent())
  })
}

/** Does it once for each run, 16 at a time. */
async function inLanes(work: (index: number) => Promise<void>): Promise<number> {
  const begun = performance.now()
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < runs) await work(next++)
  }
  await Promise.all(Array.from({ length: 16 }, lane))
  return (performance.now() - begun) / 1000
}

interface Read {
  chunks: number
  latencies: number[]
}

function readRun(url: string, agent: Agent, method = 'GET', begun = () => {}): Promise<Read> {
  return new Promise(resolve => {
    const read: Read = { chunks: 0, latencies: [] }
    let rest = ''
    const sent = request(url, { method, agent, headers: { 'x-argot-chunks': '1' } }, response => {
      const connected = Date.now()
      begun()
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
      response.on('end', () => resolve(read)).on('error', () => resolve(read))
    })
    // A reader whose server gives up has what it has.
    sent.on('error', () => resolve(read)).end()
  })
}

/** The processes of one side, whose CPU is counted apart. */
interface Roles {
  /** What runs the model. */
  worker: () => number[]
  web?: () => number[]
  database?: () => number[]
}

type Row = (string | number | undefined)[]

const headings = ['', 'runs/s', 'chunks/s', 'CPU µs/chunk', 'worker', 'web', 'database']

async function throughput(side: string, roles: Roles, sendAll: (prefix: string) => Promise<number>): Promise<Row> {
  await sendAll('warm')
  const read = (): (number | undefined)[] =>
    [roles.worker, roles.web, roles.database].map(pids => (pids === undefined ? undefined : cpuSeconds(pids())))
  const before = read()
  const seconds = await sendAll('measured')
  const perChunk = read().map((cpu, index) =>
    cpu === undefined ? undefined : ((cpu - before[index]!) / (runs * chunks)) * 1e6,
  )
  const whole = perChunk.reduce<number>((sum, part) => sum + (part ?? 0), 0)
  return [side, runs / seconds, (runs * chunks) / seconds, whole, ...perChunk]
}

/** Readers of a few paced runs. Prints how long chunks took; false if a reader did not get all of them. */
async function latency(side: string, urls: readonly string[], roles: Roles): Promise<boolean> {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
  const pids = (): number[] => [...roles.worker(), ...(roles.web?.() ?? []), ...(roles.database?.() ?? [])]
  const before = cpuSeconds(pids())
  const reads = await Promise.all(
    Array.from({ length: readers }, (_, index) => readRun(urls[index % READ_RUNS]!, agent)),
  )
  const cpu = cpuSeconds(pids()) - before
  const times = reads.flatMap(({ latencies }) => latencies).sort((a, b) => a - b)
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN
  const whole = reads.filter(read => read.chunks === READ_CHUNKS).length
  const perRead = ((cpu / (readers * READ_CHUNKS)) * 1e6).toFixed(1)
  console.log(
    `${side}: ${whole} of ${readers} readers of ${READ_RUNS} runs got everything; chunk to reader p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; ${perRead} µs of CPU per chunk and reader`,
  )
  return whole === readers
}

async function sendPaced(url: string): Promise<string[]> {
  const urls: string[] = []
  for (let index = 0; index < READ_RUNS; index++) {
    await put(url, `read-${index}.chatmd`)
    urls.push(`${url}/api/runs/${await post(url, `read-${index}.chatmd`)}/stream`)
  }
  return urls
}

async function onDatabase(folder: string): Promise<{ rows: Row[]; isWhole: boolean }> {
  const cluster = await Cluster.create(['fsync = on', ...profileSettings])
  const env = { STORE: cluster.url, FOLDER: folder, CHUNKS: String(chunks) }
  const web = new BenchNode({ ...env, ROLE: 'web' })
  let workers: BenchNode[] = []
  const roles: Roles = {
    worker: () => workers.map(({ pid }) => pid),
    web: () => [web.pid],
    database: () => family(cluster.pid!),
  }
  try {
    const url = await web.address
    const rows: Row[] = []
    for (const count of [1, 2, 4]) {
      while (workers.length < count) workers.push(new BenchNode(env))
      await Promise.all(workers.map(({ address }) => address))
      const side = `PostgreSQL, ${count} worker${count === 1 ? '' : 's'}`
      const measure = (): Promise<Row> => throughput(side, roles, prefix => sendAll(url, `${prefix}-${count}`))
      rows.push(await printProfile(cluster.url, side, measure))
    }
    await printSize(cluster.url)
    for (const worker of workers) worker.end()
    workers = [new BenchNode({ ...env, CHUNKS: String(READ_CHUNKS), PACE: String(PACE_MS) })]
    await workers[0]!.address
    return { rows, isWhole: await latency('PostgreSQL', await sendPaced(url), roles) }
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
  const url = await fast.address
  const row = await throughput('folder, one process', { worker: () => [fast.pid] }, prefix => sendAll(url, prefix))
  fast.end()
  const pace = { CHUNKS: String(READ_CHUNKS), PACE: String(PACE_MS) }
  const paced = new BenchNode({ ...env, ...pace, FOLDER: join(folder, 'paced') })
  try {
    const urls = await sendPaced(await paced.address)
    return { row, isWhole: await latency('Folder', urls, { worker: () => [paced.pid] }) }
  } finally {
    paced.end()
  }
}

/** The peer: the node that makes a stream answers with it, and readers resume it at another node. Nothing is kept on a disk. */
async function onRedis(): Promise<Row[]> {
  if (!hasRedis()) {
    console.log('Redis is missing, so the peer is left out (Debian: apt-get install redis-server).')
    return []
  }
  const redis = await Redis.create()
  const env = { REDIS: String(redis.port), CHUNKS: String(chunks) }
  const pace = { CHUNKS: String(READ_CHUNKS), PACE: String(PACE_MS) }
  const [fast, paced, other] = [env, { ...env, ...pace }, env].map(own => new BenchNode(own, 'peer-node.ts')) as [
    BenchNode,
    BenchNode,
    BenchNode,
  ]
  const database = (): number[] => [redis.child.pid!]
  try {
    const [url, pacedUrl, otherUrl] = await Promise.all([fast.address, paced.address, other.address])
    const row = await throughput('resumable-stream, Redis', { worker: () => [fast.pid], database }, prefix =>
      inLanes(async index => void (await readRun(`${url}/${prefix}-${index}`, new Agent(), 'POST'))),
    )
    const making: Promise<Read>[] = []
    for (let index = 0; index < READ_RUNS; index++) {
      await new Promise<void>(begun => making.push(readRun(`${pacedUrl}/${index}`, new Agent(), 'POST', begun)))
    }
    const urls = Array.from({ length: READ_RUNS }, (_, index) => `${otherUrl}/${index}`)
    await latency('resumable-stream', urls, { worker: () => [paced.pid], web: () => [other.pid], database })
    await Promise.all(making)
    return [row]
  } finally {
    for (const node of [fast, paced, other]) node.end()
    redis.remove()
  }
}

if (process.argv.includes('--help')) console.log(help)
else {
  const folder = mkdtempSync(join(tmpdir(), 'argot-bench-scale-'))
  mkdirSync(join(folder, 'config'), { recursive: true })
  try {
    const database = await onDatabase(folder)
    const disk = await onFolder(folder)
    const peer = await onRedis()
    console.log(table(headings, [...database.rows, disk.row, ...peer]))
    process.exitCode = database.isWhole && disk.isWhole ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
