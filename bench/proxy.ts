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

async function spent(child: ChildProcess): Promise<Spent> {
  child.send('spent')
  const [message] = (await once(child, 'message')) as [Spent]
  return message
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** What reading calls costs beside passing the same bytes through the same server. Every figure is of the proxy's process alone. */
export async function run({ full }: BenchOptions): Promise<boolean> {
  let pace: Pace = { deltas: 200, everyMs: 20 }
  const model = await startModel(() => pace)
  const child = fork(join(import.meta.dirname, `proxy-server${extname(import.meta.filename)}`), [model.url], {
    execArgv: [...process.execArgv, '--expose-gc'],
  })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  try {
    const cpu = await measureCpu(child, port, full ? 9 : 5, () => pace)
    pace = { deltas: 1, everyMs: 0 }
    const first: Record<Mode, number[]> = { pass: [], read: [] }
    for (let round = 0; round < (full ? 300 : 100); round++) {
      for (const mode of ['pass', 'read'] as const) first[mode].push(await readStream(port, mode))
    }
    console.log(
      `time to the first byte, median: pass-through ${median(first.pass).toFixed(2)} ms, reading ${median(first.read).toFixed(2)} ms`,
    )
    pace = { deltas: 100, everyMs: 50 }
    await measureMemory(child, port, full ? 1000 : 200)
    const isLinear = await measureGrowth(child, port, full, value => {
      pace = value
    })
    console.log(
      `promise: reading costs at most 1.3 times the CPU of the pass-through: ${cpu <= 1.3 ? 'held' : 'NOT held'} (${cpu.toFixed(2)})`,
    )
    console.log(
      `promise: a delta of a long reply costs what one of a short reply does: ${isLinear ? 'held' : 'NOT held'}`,
    )
    return cpu <= 1.3 && isLinear
  } finally {
    child.send('stop')
    model.close()
  }
}

/** 50 streams of 200 deltas, each in a packet of its own. Both modes in turn, so that a busy machine is so for both. */
async function measureCpu(child: ChildProcess, port: number, rounds: number, pace: () => Pace): Promise<number> {
  const streams = 50
  const per: Record<Mode, number[]> = { pass: [], read: [] }
  for (const mode of ['pass', 'read'] as const) await readStreams(port, mode, streams)
  for (let round = 0; round < rounds; round++) {
    for (const mode of ['pass', 'read'] as const) {
      const before = await spent(child)
      await readStreams(port, mode, streams)
      const after = await spent(child)
      per[mode].push(((after.cpuMs - before.cpuMs) * 1000) / (streams * pace().deltas))
    }
  }
  const ratio = median(per.read.map((value, index) => value / per.pass[index]!))
  console.log(
    `CPU for a delta, median: pass-through ${median(per.pass).toFixed(1)} µs, reading ${median(per.read).toFixed(1)} µs, ratio ${ratio.toFixed(2)}`,
  )
  return ratio
}

async function measureMemory(child: ChildProcess, port: number, streams: number): Promise<void> {
  for (const mode of ['pass', 'read'] as const) {
    const before = await spent(child)
    const reading = readStreams(port, mode, streams)
    await new Promise(resolve => setTimeout(resolve, 3000))
    const during = await spent(child)
    await reading
    const kib = (during.heap - before.heap) / streams / 1024
    console.log(`memory for one of ${streams} streams with 20 deltas a second, ${mode}: ${kib.toFixed(1)} KiB of heap`)
  }
}

async function measureGrowth(
  child: ChildProcess,
  port: number,
  full: boolean,
  setPace: (pace: Pace) => void,
): Promise<boolean> {
  const costs: number[] = []
  for (const deltas of full ? [2000, 20_000, 200_000] : [2000, 20_000]) {
    setPace({ deltas, everyMs: 0 })
    await readStream(port, 'read')
    const before = await spent(child)
    const times = Math.max(1, Math.floor(40_000 / deltas))
    for (let time = 0; time < times; time++) await readStream(port, 'read')
    const cost = (((await spent(child)).cpuMs - before.cpuMs) * 1000) / (deltas * times)
    costs.push(cost)
    console.log(`a reply of ${deltas} deltas in large packets: ${cost.toFixed(2)} µs for each`)
  }
  return costs.at(-1)! <= costs[0]! * 2
}
