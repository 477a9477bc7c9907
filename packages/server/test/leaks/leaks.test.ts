import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundlePrograms } from '../../../../test/bundle-programs.ts'

const [program] = bundlePrograms([join(import.meta.dirname, 'program.ts')])

/** The heap in use after a collection: before these runs, and after each fifth of them. */
function measureHeap(runs: number, size: number): number[] {
  const env = { PATH: process.env.PATH, RUNS: String(runs), SIZE: String(size) }
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--expose-gc', program!], { env, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout) as number[]
}

test('a server keeps nothing of the documents of runs that are over', () => {
  const [runs, size] = [40, 300_000]
  const heaps = measureHeap(runs, size)
  expect(heaps.at(-1)! - heaps[0]!, JSON.stringify(heaps)).toBeLessThan((runs * size) / 3)
})
