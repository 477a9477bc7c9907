import { expect, test } from 'vitest'
import { share } from '../../../../test/share-of-cases.ts'
import { readRemains, resumeAndCheck, scenarioFolder } from './aftermath.ts'
import { buildChild } from './child-process.ts'

/** Runs at the same time. */
const lanes = 3
/** A write is also cut in the middle, at one of so many operations. */
const halves = 10
/** By default every second operation; transcript/crash.test.ts dies at each of them, without processes. */
const stride = share === 1 ? 1 : 2

const startChild = buildChild()

test('a run that dies before any of its operations on the disk, or in the middle of one, is gone on with', async () => {
  let next = 1
  let isOver = false
  const lane = async (): Promise<void> => {
    while (!isOver) {
      const number = next
      next += stride
      if (!(await dieAndResume(`operation ${number}`))) isOver = true
      else if (number % halves <= stride - 1) await dieAndResume(`half ${number}`)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  expect(next).toBeGreaterThan(40)
})

/** False when the run has no such operation. */
async function dieAndResume(place: string): Promise<boolean> {
  const folder = await scenarioFolder('external')
  const { signal, stderr } = await startChild({ env: { FOLDER: folder, SCENARIO: 'short', DIE: place } })
  expect(stderr).toBe('')
  if (signal !== 'SIGKILL') return false
  try {
    await resumeAndCheck(folder, 'short', [readRemains(folder)])
  } catch (error) {
    throw new Error(`It died at "${place}": ${error}`, { cause: error })
  }
  return true
}
