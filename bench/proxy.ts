import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { extname, join } from 'node:path'
import { type Pace, startModel } from './proxy-upstream.ts'
import type { BenchOptions } from './run.ts'

interface Spent {
  cpuMs: number
  rss: number
  heap: number
}

const tools = Array.from({ length: 10 }, (_, index) => ({
  type: 'function',
  function: {
    name: `tool_${index}`,
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
}))
const messages = [{ role: 'user', content: 'Tell me a story.' }]

/** Without tools the proxy passes the bytes on; with tools it reads every delta. */
const bodies = {
  pass: JSON.stringify({ model: 'bench', messages, stream: true }),
  read: JSON.stringify({ model: 'bench', messages, stream: true, tools }),
}

type Mode = keyof typeof bodies

/** Reads a stream to its end. Gives the milliseconds to its first byte. */
function readStream(port: number, mode: Mode): Promise<number> {
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path: '/v1/chat/completions', method: 'POST', agent: false as const }
    const client = request({ ...options, headers: { 'content-type': 'application/json' } }, response => {
      let first: number | undefined
      response.on('data', () => {
        first ??= performance.now() - begun
      })
      response.on('end', () => resolve(first ?? 0))
      response.on('error', reject)
    })
    client.on('error', reject)
    client.end(bodies[mode])
  })
}

function readStreams(port: number, mode: Mode, count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => readStream(port, mode)))
}

/** What a proxy has spent so far. `memory` collects its garbage first. */
async function spent(child: ChildProcess, what: 'cpu' | 'memory'): Promise<Spent> {
  child.send(what)
  const [message] = (await once(child, 'message')) as [Spent]
  return message
}

interface Proxy {
  child: ChildProcess
  port: number
}

async function startProxy(upstream: string): Promise<Proxy> {
  const child = fork(join(import.meta.dirname, `proxy-server${extname(import.meta.filename)}`), [upstream], {
    execArgv: [...process.execArgv, '--expose-gc'],
  })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { child, port }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/**
 * What reading calls costs beside passing the same bytes through. Two proxies run at the same time, one for each, so that a
 * busy machine is busy for both. Every figure is of a proxy's process alone.
 */
export async function run({ full }: BenchOptions): Promise<boolean> {
  const pace: Pace = { deltas: 0, everyMs: 0 }
  const model = await startModel(() => pace)
  const proxies: Record<Mode, Proxy> = { pass: await startProxy(model.url), read: await startProxy(model.url) }
  try {
    Object.assign(pace, { deltas: 200, everyMs: 10 })
    const ratio = await measureCpu(proxies, full ? 21 : 9, pace)
    Object.assign(pace, { deltas: 1, everyMs: 0 })
    await measureFirstByte(proxies, full ? 300 : 100)
    Object.assign(pace, { deltas: 100, everyMs: 50 })
    await measureMemory(proxies, 1000)
    const isLinear = await measureGrowth(proxies.read, full, pace)
    console.log(
      `promise: reading costs at most 1.3 times the CPU of the pass-through: ${ratio <= 1.3 ? 'held' : 'NOT held'} (${ratio.toFixed(2)})`,
    )
    console.log(
      `promise: a delta of a long reply costs what one of a short reply does: ${isLinear ? 'held' : 'NOT held'}`,
    )
    return ratio <= 1.3 && isLinear
  } finally {
    for (const { child } of Object.values(proxies)) child.send('stop')
    model.close()
  }
}

/** 50 streams of 200 deltas to each proxy, each delta in a packet of its own. The first rounds are for the compiler of V8. */
async function measureCpu(proxies: Record<Mode, Proxy>, rounds: number, pace: Pace): Promise<number> {
  const streams = 50
  const per: Record<Mode, number[]> = { pass: [], read: [] }
  const sample = async (mode: Mode): Promise<number> => {
    const { child, port } = proxies[mode]
    const before = await spent(child, 'cpu')
    await readStreams(port, mode, streams)
    const after = await spent(child, 'cpu')
    return ((after.cpuMs - before.cpuMs) * 1000) / (streams * pace.deltas)
  }
  for (let round = -3; round < rounds; round++) {
    const [pass, read] = await Promise.all([sample('pass'), sample('read')])
    if (round < 0) continue
    per.pass.push(pass)
    per.read.push(read)
  }
  const ratio = median(per.read.map((value, index) => value / per.pass[index]!))
  console.log(
    `CPU for a delta, median: pass-through ${median(per.pass).toFixed(1)} µs, reading ${median(per.read).toFixed(1)} µs, ratio ${ratio.toFixed(2)}`,
  )
  return ratio
}

async function measureFirstByte(proxies: Record<Mode, Proxy>, rounds: number): Promise<void> {
  const first: Record<Mode, number[]> = { pass: [], read: [] }
  for (let round = 0; round < rounds; round++) {
    for (const mode of ['pass', 'read'] as const) first[mode].push(await readStream(proxies[mode].port, mode))
  }
  console.log(
    `time to the first byte, median: pass-through ${median(first.pass).toFixed(2)} ms, reading ${median(first.read).toFixed(2)} ms`,
  )
}

async function measureMemory(proxies: Record<Mode, Proxy>, streams: number): Promise<void> {
  for (const mode of ['pass', 'read'] as const) {
    const { child, port } = proxies[mode]
    const before = await spent(child, 'memory')
    const reading = readStreams(port, mode, streams)
    await new Promise(resolve => setTimeout(resolve, 3000))
    const during = await spent(child, 'memory')
    await reading
    const after = await spent(child, 'memory')
    const kib = (bytes: number): string => `${(bytes / streams / 1024).toFixed(1)} KiB`
    console.log(
      `memory for one of ${streams} streams with 20 deltas a second, ${mode}: ${kib(during.heap - before.heap)} of heap, ${kib(during.rss - before.rss)} of the process; afterwards ${kib(after.heap - before.heap)} of heap`,
    )
  }
}

async function measureGrowth({ child, port }: Proxy, full: boolean, pace: Pace): Promise<boolean> {
  const costs: number[] = []
  for (const deltas of full ? [2000, 20_000, 200_000] : [2000, 20_000]) {
    Object.assign(pace, { deltas, everyMs: 0 })
    await readStream(port, 'read')
    const before = await spent(child, 'cpu')
    const times = Math.max(1, Math.floor(40_000 / deltas))
    for (let time = 0; time < times; time++) await readStream(port, 'read')
    const cost = (((await spent(child, 'cpu')).cpuMs - before.cpuMs) * 1000) / (deltas * times)
    costs.push(cost)
    console.log(`a reply of ${deltas} deltas in large packets: ${cost.toFixed(2)} µs for each`)
  }
  return costs.at(-1)! <= costs[0]! * 2
}
