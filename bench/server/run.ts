import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { table } from '../table.ts'
import { type Load, readLoad } from './load.ts'

const help = `Many readers of many running runs, beside the AI SDK with resumable-stream in memory.

  npm run bench:server                                1 000 readers of 100 runs at 50 chunks a second each, for 5 seconds
  READERS=100 RUNS=10 SECONDS=2 npm run bench:server  less
  npm run bench:server -- argot                       one side only

Exit status: 0 every reader ended with the message of its run, 1 one did not.`

interface Figures {
  side: string
  /** Readers that got the whole message. */
  whole: number
  p50: number
  p99: number
  most: number
  kilobytes: number
  cpuSeconds: number
  seconds: number
}

interface Read {
  digest: string
  chunks: number
  latencies: number[]
}

/** Reads a stream to its end. What is compared is what was said, not how it was packed. */
function read(url: string, agent: Agent, connected: () => void): Promise<Read> {
  return new Promise((resolve, reject) => {
    const hash = createHash('sha256')
    const latencies: number[] = []
    let chunks = 0
    let rest = ''
    get(url, { agent, headers: { 'x-argot-chunks': '1' } }, response => {
      connected()
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        const now = Date.now()
        const events = (rest + text).split('\n\n')
        rest = events.pop()!
        for (const event of events) {
          const said = /"delta":"((\d+) )"/.exec(event)
          if (said === null) continue
          chunks++
          hash.update(said[1]!)
          latencies.push(now - Number(said[2]))
        }
      })
      response.on('end', () => resolve({ digest: hash.digest('hex'), chunks, latencies }))
      response.on('error', reject)
    }).on('error', reject)
  })
}

async function measure(side: string, load: Load): Promise<Figures> {
  const child = fork(join(import.meta.dirname, `${side}-server.ts`), {
    execArgv: ['--import', 'tsx', '--conditions=@argot/source'],
  })
  child.setMaxListeners(0)
  const { url, paths } = await next<{ url: string; paths: string[] }>(child)
  const before = await ask(child)
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
  let open = 0
  let all = (): void => {}
  const connected = new Promise<void>(resolve => {
    all = resolve
  })
  const reading = Array.from({ length: load.readers }, (_, index) =>
    read(`${url}${paths[index % paths.length]}`, agent, () => {
      if (++open === load.readers) all()
    }),
  )
  await connected
  const begun = performance.now()
  child.send('go')
  let most = before.rss
  const look = async (): Promise<void> => {
    most = Math.max(most, (await ask(child)).rss)
  }
  const timer = setInterval(() => void look(), 500)
  const reads = await Promise.all(reading)
  clearInterval(timer)
  const seconds = (performance.now() - begun) / 1000
  const after = await ask(child)
  child.send('end')
  const first = new Map<number, string>()
  let whole = 0
  for (const [index, { digest, chunks }] of reads.entries()) {
    const run = index % paths.length
    if (!first.has(run)) first.set(run, digest)
    if (first.get(run) === digest && chunks === load.chunks) whole++
  }
  const latencies = Float64Array.from(reads.flatMap(one => one.latencies)).sort()
  const at = (part: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))] ?? 0
  return {
    side,
    whole,
    p50: at(0.5),
    p99: at(0.99),
    most: at(1),
    kilobytes: (Math.max(most, after.rss) - before.rss) / 1024 / load.readers,
    cpuSeconds: (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / 1e6,
    seconds,
  }
}

interface Memory {
  rss: number
  cpu: NodeJS.CpuUsage
}

function next<Value>(child: ChildProcess): Promise<Value> {
  return new Promise((resolve, reject) => {
    child.once('message', message => resolve(message as Value))
    child.once('exit', code => reject(new Error(`The server ended (${code}).`)))
  })
}

function ask(child: ChildProcess): Promise<Memory> {
  const answer = next<Memory>(child)
  child.send('memory')
  return answer
}

if (process.argv.includes('--help')) {
  console.log(help)
  process.exit(0)
}
const load = readLoad()
const sides = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ['argot', 'peer']
console.log(
  `${load.readers} readers of ${load.runs} runs, ${load.chunks} chunks each, one every ${load.everyMs} ms; node ${process.version}\n`,
)
const rows: Figures[] = []
for (const side of sides) rows.push(await measure(side, load))
const names: Readonly<Record<string, string>> = {
  argot: 'Argot, every chunk on the disk first',
  peer: 'createUIMessageStream + resumable-stream, in memory',
}
console.log(
  table(
    ['server', 'whole messages', 'p50 ms', 'p99 ms', 'most ms', 'kB per reader', 'CPU s', 'seconds'],
    rows.map(one => [
      names[one.side] ?? one.side,
      `${one.whole} of ${load.readers}`,
      one.p50,
      one.p99,
      one.most,
      one.kilobytes,
      one.cpuSeconds,
      one.seconds,
    ]),
  ),
)
const own = rows.find(({ side }) => side === 'argot')
if (own !== undefined && own.whole !== load.readers) {
  console.log('\nNot every reader ended with the message of its run.')
  process.exitCode = 1
}
