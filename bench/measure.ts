/** Work that is measured: it runs to its end at once. */
export type Work = () => void

export interface SampleOptions {
  /** How many times each work is sampled; the median counts. */
  samples?: number
  /** CPU milliseconds that one sample takes at least, so that short work is not lost in noise. */
  atLeast?: number
  /** CPU milliseconds of warming up, for the compiler of V8. */
  warmUp?: number
}

/** CPU milliseconds of one run, sample by sample. Samples of the same number were taken right after each other. */
export type Samples = readonly number[]

/** CPU milliseconds that the process spends until `work` is done, those of the collector's and compiler's threads included. */
export async function cpuTime(work: () => unknown): Promise<number> {
  collectGarbage()
  const before = process.cpuUsage()
  await work()
  return milliseconds(before)
}

/**
 * Samples several works in turn (first, second, …, first, second, …), so that a machine that is slower for a while is
 * slower for all of them and their ratios stay true. Garbage is collected before the warm-up only: a full collection
 * also throws away what V8 has learned, and the sample right after it takes twice as long.
 */
export function sampleInTurn(works: readonly Work[], options: SampleOptions = {}): Samples[] {
  const { samples = 9, atLeast = 100, warmUp = 1000 } = options
  collectGarbage()
  const repeats = works.map(work => warm(work, warmUp, atLeast))
  const taken: number[][] = works.map(() => [])
  for (let round = 0; round < samples; round++) {
    for (const [index, work] of works.entries()) taken[index]!.push(once(work, repeats[index]!))
  }
  return taken
}

/**
 * The least CPU milliseconds that each of several works took, sampled in turn. For work that waits: what others do on
 * the machine meanwhile only ever adds to it.
 */
export async function leastInTurn(works: readonly (() => Promise<unknown>)[], rounds: number): Promise<number[]> {
  const least = works.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < rounds; round++) {
    for (const [index, work] of works.entries()) {
      const before = process.cpuUsage()
      let runs = 0
      do {
        await work()
        runs++
      } while (milliseconds(before) < shortest)
      least[index] = Math.min(least[index]!, milliseconds(before) / runs)
    }
  }
  return least
}

/** CPU milliseconds that a sample of work that waits takes at least. */
const shortest = 60

/** The middle of some numbers; of two middles the mean. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The median of the ratios of samples that were taken right after each other. */
export function medianRatio(of: Samples, to: Samples): number {
  return median(of.map((time, index) => time / to[index]!))
}

/** Runs `work` for a while and gives the number of runs that fill one sample. */
function warm(work: Work, warmUp: number, atLeast: number): number {
  const before = process.cpuUsage()
  let best = Number.POSITIVE_INFINITY
  do {
    const start = process.cpuUsage()
    work()
    best = Math.min(best, milliseconds(start))
  } while (milliseconds(before) < warmUp)
  return Math.max(1, Math.ceil(atLeast / Math.max(best, 0.001)))
}

function once(work: Work, repeats: number): number {
  const before = process.cpuUsage()
  for (let run = 0; run < repeats; run++) work()
  return milliseconds(before) / repeats
}

function milliseconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

/** There only with `--expose-gc`. */
export function collectGarbage(): void {
  globalThis.gc?.()
}
