import { expect, test } from 'vitest'
import { diffRows } from '../../src/bodies/diff/diff-rows.ts'
import { sideRows } from '../../src/bodies/diff/side-rows.ts'

const numbers = (rows: ReturnType<typeof sideRows>): string[] =>
  rows.map(row => (row.kind === 'over' ? row.row.kind : `${row.old?.number ?? '-'}|${row.now?.number ?? '-'}`))

test('removed and added lines of one change stand beside each other, each with its own number', () => {
  const rows = diffRows([
    { kind: 'same', lines: ['a'] },
    { kind: 'removed', lines: ['b', 'c'] },
    { kind: 'added', lines: ['B'] },
    { kind: 'same', lines: ['d'] },
    { kind: 'added', lines: ['e', 'f'] },
    { kind: 'same', lines: ['g'] },
  ])
  expect(numbers(sideRows(rows))).toEqual(['1|1', '2|2', '3|-', '4|3', '-|4', '-|5', '5|6'])
})

test('folded stretches go over both columns, and every line of the diff is in one of them', () => {
  const same = Array.from({ length: 20 }, (_, index) => `line ${index}`)
  const rows = diffRows([
    { kind: 'removed', lines: ['x'] },
    { kind: 'same', lines: same },
    { kind: 'added', lines: ['y'] },
  ])
  const sides = sideRows(rows)
  expect(numbers(sides)).toEqual(['1|-', '2|1', '3|2', '4|3', 'skip', '19|18', '20|19', '21|20', '-|21'])
})
