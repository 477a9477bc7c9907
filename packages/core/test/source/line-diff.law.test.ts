import { type DiffRun, lineDiff } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'

function diff(before: readonly string[], after: readonly string[]): DiffRun[] {
  const work = lineDiff(before, after)
  for (;;) {
    const next = work.next()
    if (next.done === true) return next.value
  }
}

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', '', 'x'), { maxLength: 40 })

test('what is the same and what was removed is the old text; what is the same and was added is the new one', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const runs = diff(before, after)
      expect(runs.filter(run => run.kind !== 'added').flatMap(run => run.lines)).toEqual(before)
      expect(runs.filter(run => run.kind !== 'removed').flatMap(run => run.lines)).toEqual(after)
    }),
  )
})

test('removals come before additions, and neighbours are of different kinds', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const kinds = diff(before, after).map(run => run.kind)
      for (const [at, kind] of kinds.entries()) {
        if (at === 0) continue
        expect(kind).not.toBe(kinds[at - 1])
        if (kind === 'removed') expect(kinds[at - 1]).toBe('same')
      }
    }),
  )
})

test('one changed line among many is one removal and one addition', () => {
  const before = Array.from({ length: 5000 }, (_, line) => `line ${line}`)
  const after = before.with(2500, 'changed')
  expect(diff(before, after).map(run => [run.kind, run.lines.length])).toEqual([
    ['same', 2500],
    ['removed', 1],
    ['added', 1],
    ['same', 2499],
  ])
})

test('two texts that have nothing in common replace each other', () => {
  const before = Array.from({ length: 3000 }, (_, line) => `a${line % 7}`)
  const after = Array.from({ length: 3000 }, (_, line) => `b${line % 7}`)
  expect(diff(before, after).map(run => run.kind)).toEqual(['removed', 'added'])
})
