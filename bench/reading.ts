import { writeFileSync } from 'node:fs'
import { accumulate } from '@argot/core'
import { type ChartPanel, growthChart } from './growth-chart.ts'
import { read } from './read-newest.ts'
import { captured, liveValue, river } from './reading-json.ts'
import { absent } from './reading-peers.ts'
import { tables } from './reading-rows.ts'
import type { ReadingTable, Row } from './reading-table.ts'
import type { BenchOptions } from './run.ts'
import { structured } from './stream-cases.ts'
import { numberText, table } from './table.ts'

/** From 10× to 100× the time grows with this power of the size at most, where it is promised to be linear. */
const exponentLimit = 1.3
/** The live value takes at most so much of the time of `jsonriver`, a snapshot at every delta at most so much. */
const liveLimit = 1
const snapshotLimit = 2
/** Bytes that an argument of objects may take for each character while it streams. */
const memoryLimit = 6
/** Rounds of each table; a bound that is broken gets more, because what others do on the machine only ever adds. */
const rounds = 4
const attempts = 3
/** CPU milliseconds that a sample takes at least. */
const shortest = 40

const factors = [1, 10, 100] as const

/** One row at one size, with the least CPU time of a run so far. */
interface Sample {
  row: Row
  factor: number
  work: () => unknown
  least: number
}

export async function run({ chart }: BenchOptions): Promise<boolean> {
  console.log(`CPU ms of the whole process for a stream whose newest part is read after every chunk. Each row is the least of
several rounds, rows and sizes in turn, all warm; peers as well. – where it would take minutes. The exponent says how the time
grows from 10× to 100×, or from 1× to 10× in brackets: 1 is linear, 2 quadratic. Deltas have 16 characters.\n`)
  if (absent !== '') console.log(absent)
  const broken: string[] = []
  const panels: ChartPanel[] = []
  for (const one of tables) {
    const { samples, broken: sentences } = await measureTable(one)
    broken.push(...sentences)
    panels.push(panelOf(one, samples))
  }
  broken.push(...measureMemory())
  if (chart !== undefined) writeFileSync(chart, growthChart(panels.slice(0, 4)))
  for (const sentence of broken) console.log(`✗ ${sentence}`)
  if (broken.length === 0) console.log(`✓ Every promise held. (${read} things read)`)
  return broken.length === 0
}

async function measureTable(one: ReadingTable): Promise<{ samples: readonly Sample[]; broken: string[] }> {
  const samples = one.rows.flatMap(row =>
    factors
      .filter(factor => factor <= row.upTo)
      .map(
        (factor): Sample => ({ row, factor, work: row.prepare(one.base * factor), least: Number.POSITIVE_INFINITY }),
      ),
  )
  let broken: string[] = []
  for (let attempt = 0; attempt < attempts; attempt++) {
    for (let round = 0; round < rounds; round++) for (const sample of samples) await take(sample)
    broken = brokenPromises(one, samples)
    if (broken.length === 0) break
  }
  const lines = one.rows.map(row => [
    row.name,
    ...factors.map(factor => leastOf(samples, row, factor)),
    exponentText(samples, row),
  ])
  const headings = sizesOf(one)
  console.log(`## ${one.name}\n`)
  console.log(`${table(['', ...headings, 'exponent'], lines)}\n`)
  return { samples, broken }
}

function sizesOf(one: ReadingTable): string[] {
  return factors.map(factor => `${numberText(one.base * factor)} ${one.unit}`)
}

function panelOf(one: ReadingTable, samples: readonly Sample[]): ChartPanel {
  const lines = one.rows.map(row => ({
    name: row.name,
    own: !/\d\.\d/.test(row.name),
    times: factors.map(factor => leastOf(samples, row, factor)),
  }))
  return { name: one.name, sizes: sizesOf(one), lines }
}

/** Runs a sample until it has taken long enough to be measured. A run of seconds is taken once in all. */
async function take(sample: Sample): Promise<void> {
  if (Number.isFinite(sample.least) && sample.least > 1000) return
  const before = process.cpuUsage()
  let runs = 0
  let spent = 0
  do {
    await sample.work()
    runs++
    const { user, system } = process.cpuUsage(before)
    spent = (user + system) / 1000
  } while (spent < shortest)
  sample.least = Math.min(sample.least, spent / runs)
}

function brokenPromises(one: ReadingTable, samples: readonly Sample[]): string[] {
  const broken: string[] = []
  for (const row of one.rows) {
    const exponent = exponentOf(samples, row, 10)
    if (row.linear === true && !(exponent! <= exponentLimit)) {
      broken.push(
        `${one.name}, ${row.name}: grows with the power ${numberText(exponent!)}, more than ${exponentLimit}.`,
      )
    }
  }
  for (const [row, limit] of [[liveValue, liveLimit] as const, [captured, snapshotLimit] as const]) {
    const ours = leastOf(samples, row, 100)
    const theirs = leastOf(samples, river, 100)
    if (ours !== undefined && theirs !== undefined && ours > limit * theirs) {
      broken.push(`${row.name}: ${numberText(ours / theirs)} times the time of jsonriver, more than ${limit}.`)
    }
  }
  return broken
}

function leastOf(samples: readonly Sample[], row: Row, factor: number): number | undefined {
  return samples.find(sample => sample.row === row && sample.factor === factor)?.least
}

/** How the time grows from `factor` to ten times that. */
function exponentOf(samples: readonly Sample[], row: Row, factor: number): number | undefined {
  const small = leastOf(samples, row, factor)
  const large = leastOf(samples, row, factor * 10)
  return small === undefined || large === undefined ? undefined : Math.log10(large / small)
}

function exponentText(samples: readonly Sample[], row: Row): string {
  const last = exponentOf(samples, row, 10)
  if (last !== undefined) return last.toFixed(2)
  const first = exponentOf(samples, row, 1)
  return first === undefined ? '–' : `(${first.toFixed(2)})`
}

/** Prints what a streaming argument of 1 MB needs, its text and its value together. */
function measureMemory(): string[] {
  if (globalThis.gc === undefined) return []
  const bytes = Buffer.from(argumentText(64_000))
  const accumulator = accumulate()
  const before = heapUsed()
  accumulator.push({ type: 'tool-input-start', toolCallId: 'call-1', toolName: 'add_items' })
  for (let start = 0; start < bytes.length; start += 16) {
    const inputTextDelta = bytes.toString('latin1', start, Math.min(start + 16, bytes.length))
    accumulator.push({ type: 'tool-input-delta', toolCallId: 'call-1', inputTextDelta })
  }
  const used = (heapUsed() - before) / bytes.length
  console.log('## Memory of an argument that streams\n')
  console.log(`${table(['', 'characters', 'bytes a character'], [[structured.name, bytes.length, used]])}\n`)
  return used <= memoryLimit && accumulator.message !== undefined
    ? []
    : [`A streaming argument takes ${numberText(used)} bytes a character, more than ${memoryLimit}.`]
}

function argumentText(size: number): string {
  return structured
    .chunks(size)
    .map(chunk => (chunk.type === 'tool-input-delta' ? chunk.inputTextDelta : ''))
    .join('')
}

function heapUsed(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
