import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { median, medianRatio, sampleInTurn } from '../bench/measure.ts'
import { numberText, table } from '../bench/table.ts'
import { root } from './guards/workspace.ts'

test('a table puts text left, numbers right and a dash where there is nothing', () => {
  expect(
    table(
      ['case', 'ms'],
      [
        ['a long name', 1234.5],
        ['b', undefined],
      ],
    ).split('\n'),
  ).toEqual([
    '| case        |    ms |',
    '| ----------- | ----: |',
    '| a long name | 1 235 |',
    '| b           |     – |',
  ])
})

test.each([
  [1_234_567, '1 234 567'],
  [123.4, '123'],
  [12.34, '12.3'],
  [1.234, '1.23'],
  [0.1234, '0.123'],
  [4, '4'],
])('writes %d as %s', (value, text) => {
  expect(numberText(value)).toBe(text)
})

test('the median is the middle, or the mean of both middles', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(median([4, 1, 2, 3])).toBe(2.5)
})

test('the ratio of samples compares those that were taken together', () => {
  expect(medianRatio([8, 40, 8], [2, 10, 2])).toBe(4)
})

test('works are sampled in turn after they were warmed up', () => {
  const order: string[] = []
  const work = (name: string) => () => {
    order.push(name)
    for (let index = 0; index < 2_000_000; index++) if (index < 0) order.push('never')
  }
  const samples = sampleInTurn([work('a'), work('b')], { samples: 3, atLeast: 0, warmUp: 0 })
  expect(order).toEqual(['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b'])
  expect(samples.map(({ length }) => length)).toEqual([3, 3])
})

test.each([
  ['--help', 0],
  ['--no-such-option', 2],
  ['no-such-bench', 2],
  ['table', 2],
])('npm run bench -- %s ends with status %d and says how it is used', async (argument, status) => {
  const args = ['--import', 'tsx', '--conditions=@argot/source', 'bench/run.ts', argument]
  const ended = await promisify(execFile)(process.execPath, args, { cwd: root }).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    (error: { code: number; stdout: string; stderr: string }) => ({ code: error.code, text: error.stderr }),
  )
  expect(ended.code).toBe(status)
  expect(ended.text).toContain('npm run bench')
})
