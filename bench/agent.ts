import { type AgentCase, callsInOneStep, callsInSteps, textDeltas } from './agent-cases.ts'
import { resumeTranscripts } from './agent-resume.ts'
import { filesAlone, inMemory, modelAlone, onDisk, peers, type Runner, type Seen } from './agent-runners.ts'
import { writeTranscripts } from './agent-transcript.ts'
import { collectGarbage, leastInTurn } from './measure.ts'
import { type Cell, numberText, table } from './table.ts'

/** Ten times the work may cost this much: linear, and a little for what measuring cannot tell. */
const growthLimit = 13
/** A promise that does not hold is measured again: on a shared machine noise goes up, but not this often. */
const attempts = 3

interface Plan {
  what: AgentCase
  sizes: readonly number[]
  /** The largest size at which `ai` and the disk are measured as well. */
  upTo: number
  /** Of the faster peer's time, what `createAgent` may take at most. */
  ratioLimit: number
}

const quickPlans: readonly Plan[] = [
  { what: textDeltas, sizes: [1_000, 10_000, 100_000], upTo: 10_000, ratioLimit: 1 },
  { what: callsInOneStep, sizes: [1, 100, 1_000], upTo: 1_000, ratioLimit: 1 },
  { what: callsInSteps, sizes: [10, 100, 990, 4_000], upTo: 100, ratioLimit: 0.35 },
]

const fullPlans: readonly Plan[] = [
  { what: textDeltas, sizes: [1_000, 10_000, 100_000], upTo: 100_000, ratioLimit: 1 },
  { what: callsInOneStep, sizes: [1, 100, 1_000, 10_000], upTo: 1_000, ratioLimit: 1 },
  { what: callsInSteps, sizes: [10, 100, 990, 4_000], upTo: 990, ratioLimit: 0.5 },
]

export async function run({ full }: { full: boolean }): Promise<boolean> {
  console.log(`What the loop costs: a model that says what is prepared, a tool that does nothing, every chunk read. CPU µs of the
whole process for one delta or one call, the least of several samples in turn, after both have run for a while. Beside it
streamText of ai 6.0.326 with the same model; in xml behind morphXmlToolMiddleware of @ai-sdk-tool/parser, with the same text in its own tags.\n`)
  const broken: string[] = []
  for (const plan of full ? fullPlans : quickPlans) {
    for (const wording of plan.what.wordings) broken.push(...(await compare(plan, wording, full ? 5 : 3)))
  }
  broken.push(...(await writeTranscripts(growthLimit)))
  broken.push(...(await resumeTranscripts(full)))
  for (const sentence of broken) console.log(`✗ ${sentence}`)
  if (broken.length === 0) console.log('✓ Every promise held.')
  return broken.length === 0
}

/** What is measured beside the loops: the least that each of them must do. */
const bare: readonly Runner[] = [modelAlone, filesAlone]

/** CPU milliseconds of each runner at each size; nothing where it was not measured. */
type Times = Map<Runner, (number | undefined)[]>

/** Prints Argot beside `ai` in one case, and gives the promises that did not hold. */
async function compare(plan: Plan, wording: 'native' | 'xml', rounds: number): Promise<string[]> {
  let times = await measure(plan, wording, rounds)
  for (let attempt = 1; attempt < attempts && findBroken(plan, wording, times).length > 0; attempt++) {
    times = leastOf(times, await measure(plan, wording, rounds))
  }
  const { what, sizes } = plan
  const rows = [...times].map(([runner, own]): Cell[] => [
    runner.name,
    ...own.map((time, index) => (time === undefined ? undefined : (time * 1000) / sizes[index]!)),
    ...growths(sizes, own).map(({ growth }) => growth),
    exponent(sizes, own),
    bare.includes(runner) || peers.includes(runner) ? undefined : ratioToPeers(times, own),
  ])
  const steps = growths(sizes, []).map(({ from, to }) => `${numberText(from)} → ${numberText(to)}`)
  const headings = ['', ...sizes.map(size => `µs at ${numberText(size)}`), ...steps, 'exponent', 'ours/ai']
  console.log(`## ${what.name}, ${wording}: µs per ${what.unit}\n\n${table(headings, rows)}\n`)
  return findBroken(plan, wording, times)
}

async function measure({ what, sizes, upTo }: Plan, wording: 'native' | 'xml', rounds: number): Promise<Times> {
  const disk = what.documents.includes(wording) ? onDisk : []
  const files = disk.length > 0 && what.unit === 'call' ? [filesAlone] : []
  const runners = [modelAlone, inMemory, ...files, ...disk, ...peers]
  const times: Times = new Map(runners.map(runner => [runner, []]))
  for (const size of sizes) {
    const chosen = size <= upTo ? runners : [modelAlone, inMemory]
    const works = chosen.map(runner => runner.prepare(what, size, wording))
    await checkSeen(chosen, works)
    const least = new Map<Runner, number>()
    // What is compared with each other is sampled in turn, and not between works that wait for a disk.
    const onDisks = new Set([...files, ...disk])
    for (const isDisk of [false, true]) {
      const group = chosen.filter(runner => onDisks.has(runner) === isDisk)
      const own = group.map(runner => works[chosen.indexOf(runner)]!)
      // Before and not after the warm-up: with a full collection V8 forgets what it has learned.
      collectGarbage()
      await warm(own, isDisk || what.unit !== 'call' || size > 1_000 ? 200 : 1_500)
      const taken = await leastInTurn(own, rounds)
      for (const [index, runner] of group.entries()) least.set(runner, taken[index]!)
    }
    for (const runner of runners) times.get(runner)!.push(least.get(runner))
  }
  return times
}

/** Lets every work run for so many CPU milliseconds, in turn: V8 must know the code of all of them. */
async function warm(works: readonly (() => Promise<unknown>)[], milliseconds: number): Promise<void> {
  for (const work of works) {
    const before = process.cpuUsage()
    for (;;) {
      await work()
      const { user, system } = process.cpuUsage(before)
      if (user + system >= milliseconds * 1000) break
    }
  }
}

/** Every runner must show the same. */
async function checkSeen(runners: readonly Runner[], works: readonly (() => Promise<Seen>)[]): Promise<void> {
  const seen: string[] = []
  for (const [index, work] of works.entries())
    if (!bare.includes(runners[index]!)) seen.push(JSON.stringify(await work()))
  if (new Set(seen).size > 1) throw new Error(`The runners have shown different things: ${seen.join(', ')}.`)
}

function leastOf(first: Times, second: Times): Times {
  return new Map(
    [...first].map(([runner, own]) => {
      const again = second.get(runner)!
      return [runner, own.map((time, index) => (time === undefined ? undefined : Math.min(time, again[index]!)))]
    }),
  )
}

function findBroken({ what, sizes, ratioLimit }: Plan, wording: string, times: Times): string[] {
  const broken: string[] = []
  for (const runner of [inMemory, ...onDisk]) {
    const own = times.get(runner)
    if (own === undefined) continue
    for (const { from, to, growth } of growths(sizes, own)) {
      // Where a file system itself grows faster, that is the measure.
      const files = growths(sizes, times.get(filesAlone) ?? []).find(one => one.to === to)?.growth ?? 0
      const limit = onDisk.includes(runner) ? Math.max(growthLimit, files) : growthLimit
      if (growth === undefined || growth <= (limit * to) / from / 10) continue
      broken.push(
        `${what.name}, ${wording}: ${runner.name} grows ${numberText(growth)}-fold from ${from} to ${to}, more than ${numberText(limit)}.`,
      )
    }
  }
  const ratio = ratioToPeers(times, times.get(inMemory)!)
  if (ratio !== undefined && ratio >= ratioLimit) {
    broken.push(
      `${what.name}, ${wording}: ${inMemory.name} takes ${numberText(ratio)} of what ai takes, more than ${ratioLimit}.`,
    )
  }
  return broken
}

/** How the time grows between sizes of which one is about ten times the other. */
function growths(
  sizes: readonly number[],
  times: readonly (number | undefined)[],
): { from: number; to: number; growth: number | undefined }[] {
  return sizes.flatMap((to, index) => {
    const from = sizes[index - 1]
    if (from === undefined || to > 10 * from) return []
    const [before, after] = [times[index - 1], times[index]]
    return [{ from, to, growth: before === undefined || after === undefined ? undefined : after / before }]
  })
}

/** With which power of the size the time grows, over the last two sizes that were measured; 1 is linear. */
function exponent(sizes: readonly number[], times: readonly (number | undefined)[]): number | undefined {
  const last = times.findLastIndex(time => time !== undefined)
  const [before, after] = [times[last - 1], times[last]]
  if (before === undefined || after === undefined) return undefined
  return Math.log(after / before) / Math.log(sizes[last]! / sizes[last - 1]!)
}

/** The ratio to the faster peer at the largest size at which there is one. */
function ratioToPeers(times: Times, own: readonly (number | undefined)[]): number | undefined {
  const ratios = own.flatMap((time, index) => {
    const others = peers.flatMap(peer => times.get(peer)?.[index] ?? [])
    return time === undefined || others.length === 0 ? [] : [time / Math.min(...others)]
  })
  return ratios.at(-1)
}
