import { describe, expect, test } from 'vitest'
import { checkAftermath, hasEnded, type Remains, readRemains, resumeAndCheck, scenarioFolder } from './aftermath.ts'
import { buildChild } from './child-process.ts'

/** `KILLS=1000` kills more runs; the first fifteen are the same. */
const kills = Number(process.env.KILLS ?? 15)
/** So many operations on the disk a whole run has, and a few more. */
const operations = 160
/** Runs at the same time. */
const lanes = 3

const startChild = buildChild()

describe('a run that is killed', () => {
  test('at any moment, once or again while it is resumed, loses nothing and does nothing twice', async () => {
    let next = 0
    let died = 0
    const lane = async (): Promise<void> => {
      while (next < kills) if (await killAndResume(next++)) died++
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    expect(died).toBeGreaterThan(kills / 2)
  })
})

/** False when the run was over before the kill came. */
async function killAndResume(number: number): Promise<boolean> {
  const random = randomFrom(number)
  const folder = await scenarioFolder(number % 2 === 0 ? 'inline' : 'external')
  const deaths: Remains[] = []
  const places: number[] = []
  try {
    do {
      const killBehind = 1 + Math.floor(random() * operations * (places.length === 0 ? 1 : 0.5))
      places.push(killBehind)
      const { signal, stderr } = await startChild({ env: { FOLDER: folder, PACE: '1' }, killBehind })
      if (signal !== 'SIGKILL') {
        expect(stderr).toBe('')
        await checkAftermath(folder, 'long', deaths)
        return deaths.length > 0
      }
      deaths.push(readRemains(folder))
    } while (!hasEnded(deaths.at(-1)!) && random() < 0.3)
    await resumeAndCheck(folder, 'long', deaths)
    return true
  } catch (error) {
    throw new Error(`Case ${number}, killed behind the operations ${places.join(' and ')}: ${error}`, { cause: error })
  }
}

/** Numbers from 0 to 1 that only the seed decides. */
function randomFrom(seed: number): () => number {
  let state = (seed + 1) * 7919
  return () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
}
