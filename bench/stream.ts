import type { Chunk } from '@argot/core'
import { cpuTime, median, medianRatio, sampleInTurn } from './measure.ts'
import {
  afterLargeResult,
  longString,
  manyCalls,
  plainText,
  type StreamCase,
  smallCalls,
  structured,
} from './stream-cases.ts'
import { contentOf, pushOnly, type Reader, readers, readWithPeer, takeMessage, traces } from './stream-readers.ts'
import { numberText, table } from './table.ts'

/** Four times the stream may cost this much: linear, and a tenth for what measuring cannot tell. */
const growthLimit = 4.4
/** How many times less CPU than `ai` reader (b) takes. */
const ratioLimit = 500
/** From 10× to 100× the time of reader (a) grows with this power of the size at most. */
const exponentLimit = 1.3
/** CPU milliseconds after which `ai` is not run again. */
const patience = 5_000
/** A growth over the limit is measured again: on a shared machine noise goes up, but not this often. */
const attempts = 3

/** One case: two sizes, the second four times the first, and the sizes at which `ai` is measured as well. */
interface Plan {
  stream: StreamCase
  sizes: [number, number]
  /** `ai` takes minutes where its figures are missing. */
  peer: readonly number[]
  /** The size at which `ratioLimit` holds. */
  ratioAt?: number
}

const quickPlans: readonly Plan[] = [
  { stream: longString, sizes: [1_000, 4_000], peer: [1_000] },
  { stream: structured, sizes: [1_000, 4_000], peer: [1_000] },
  { stream: smallCalls, sizes: [4_800, 19_200], peer: [] },
  { stream: afterLargeResult, sizes: [1_000, 4_000], peer: [] },
  { stream: plainText, sizes: [1_000, 4_000], peer: [1_000] },
]

const fullPlans: readonly Plan[] = [
  { stream: longString, sizes: [4_000, 16_000], peer: [4_000, 16_000], ratioAt: 16_000 },
  { stream: structured, sizes: [4_000, 16_000], peer: [4_000, 16_000], ratioAt: 16_000 },
  { stream: smallCalls, sizes: [4_800, 19_200], peer: [4_800] },
  { stream: afterLargeResult, sizes: [4_000, 16_000], peer: [4_000] },
  { stream: plainText, sizes: [4_000, 16_000], peer: [4_000, 16_000] },
]

export async function run({ full }: { full: boolean }): Promise<boolean> {
  console.log(`CPU ms of the whole process. Argot: warmed up, the median of several samples. ai 6.0.326 (readUIMessageStream):
the best of up to three runs, the first of them its warm-up; a run of more than ${patience / 1000} s is the only one. It makes a
snapshot after every chunk, and its newest part is read; – where it would take many minutes. Deltas have 16 characters.\n`)
  const broken: string[] = []
  for (const plan of full ? fullPlans : quickPlans) broken.push(...(await compare(plan)))
  broken.push(...showGrowth())
  for (const sentence of broken) console.log(`✗ ${sentence}`)
  if (broken.length === 0) console.log(`✓ Every promise held. (${traces} things read)`)
  return broken.length === 0
}

/** Prints Argot beside `ai` in one case, and gives the promises that did not hold. */
async function compare({ stream, sizes, peer, ratioAt }: Plan): Promise<string[]> {
  const broken: string[] = []
  const streams = sizes.map(size => ({ size, chunks: stream.chunks(size) }))
  const ours = readers.map(reader => ({ reader, ...measureGrowth(reader, streams) }))
  const peers = new Map<number, number>()
  for (const { size, chunks } of streams) if (peer.includes(size)) peers.set(size, await measurePeer(chunks))

  const lines = ours.flatMap(({ reader, times, growth }) =>
    sizes.map((size, index) => {
      const ratio = peers.has(size) ? peers.get(size)! / times[index]! : undefined
      if (size === ratioAt && reader === takeMessage && !(ratio! >= ratioLimit)) {
        broken.push(
          `${stream.name}: ${reader.name} is only ${numberText(ratio!)} times faster than ai at ${size} deltas.`,
        )
      }
      return [reader.name, size, times[index], peers.get(size), ratio, index === 1 ? growth : undefined]
    }),
  )
  for (const { reader, growth } of ours) {
    if (reader.linear && growth > growthLimit) {
      broken.push(`${stream.name}: ${reader.name} grows ${numberText(growth)}-fold per 4×, more than ${growthLimit}.`)
    }
  }
  console.log(`## ${stream.name}\n`)
  console.log(`${table(['', stream.unit, 'ours ms', 'ai ms', 'ratio', 'growth per 4×'], lines)}\n`)
  return broken
}

interface Growth {
  /** CPU milliseconds at each size. */
  times: number[]
  /** How many times the first the second is. */
  growth: number
}

function measureGrowth(reader: Reader, streams: readonly { chunks: readonly Chunk[] }[]): Growth {
  for (const { chunks } of streams) checkContent(reader, chunks)
  const works = streams.map(
    ({ chunks }) =>
      () =>
        void reader.read(chunks),
  )
  let best: Growth | undefined
  for (let attempt = 0; attempt < (reader.linear ? attempts : 1); attempt++) {
    const samples = sampleInTurn(works, { samples: 7, warmUp: 300, atLeast: 50 })
    const growth = medianRatio(samples[1]!, samples[0]!)
    if (best === undefined || growth < best.growth) best = { times: samples.map(median), growth }
    if (growth <= growthLimit) break
  }
  return best!
}

async function measurePeer(chunks: readonly Chunk[]): Promise<number> {
  const expected = contentOf(pushOnly.read(chunks))
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round++) {
    const own = structuredClone(chunks)
    let content = ''
    const time = await cpuTime(async () => {
      const message = await readWithPeer(own)
      content = contentOf(message)
    })
    if (content !== expected) throw new Error('ai and Argot read different messages.')
    best = Math.min(best, time)
    if (time > patience) break
  }
  return best
}

/** Prints how the time of Argot grows over two powers of ten, and gives what grows too much. */
function showGrowth(): string[] {
  const streams = [longString, structured, manyCalls, afterLargeResult, plainText]
  const broken: string[] = []
  const lines = streams.flatMap(stream => {
    const base = stream.unit === 'calls' ? 160 : 1_000
    // A message after every chunk copies the list of parts, which is quadratic in the number of calls.
    return readers
      .filter(reader => reader !== takeMessage || stream !== manyCalls)
      .map(reader => {
        const works = [1, 10, 100].map(factor => {
          const chunks = stream.chunks(base * factor)
          return () => void reader.read(chunks)
        })
        const times = leastTimes(works, reader === pushOnly)
        const exponent = exponentOf(times)
        if (reader === pushOnly && exponent > exponentLimit) {
          broken.push(`${stream.name}: ${reader.name} grows with the power ${numberText(exponent)} from 10× to 100×.`)
        }
        return [stream.name, reader.name, `${numberText(base)} ${stream.unit}`, ...times, exponent.toFixed(2)]
      })
  })
  console.log('## Growth of Argot\n')
  console.log(`${table(['', '', '1× is', '1× ms', '10× ms', '100× ms', 'exponent'], lines)}\n`)
  return broken
}

/** The least of several samples, because what others do on the machine only ever adds; more of them while a bound breaks. */
function leastTimes(works: readonly (() => void)[], isBound: boolean): number[] {
  let least = works.map(() => Number.POSITIVE_INFINITY)
  for (let attempt = 0; attempt < attempts; attempt++) {
    const samples = sampleInTurn(works, { samples: 3, warmUp: 150, atLeast: 40 })
    least = least.map((time, index) => Math.min(time, ...samples[index]!))
    if (!isBound || exponentOf(least) <= exponentLimit) break
  }
  return least
}

function exponentOf(times: readonly number[]): number {
  return Math.log10(times[2]! / times[1]!)
}

/** Throws when a reader does not end with all that the stream says. */
function checkContent(reader: Reader, chunks: readonly Chunk[]): void {
  const content = contentOf(reader.read(chunks))
  const deltas = chunks.flatMap(chunk => (chunk.type === 'text-delta' ? [chunk.delta] : []))
  const inputs = chunks.flatMap(chunk => (chunk.type === 'tool-input-available' ? [chunk.input] : []))
  const complete = [...inputs, ...(deltas.length > 0 ? [deltas.join('')] : [])].every(part =>
    content.includes(JSON.stringify(part)),
  )
  if (!complete) throw new Error(`${reader.name} lost a part of the stream.`)
}
