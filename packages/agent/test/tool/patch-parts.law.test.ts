import { createApplyPatchTool } from '@argot/agent/workshop'
import { type EditPart, findOmittedParts, reduceInput } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { createWorkspace } from '../../src/files/workspace.ts'
import { joinParts } from '../../src/tool/foreseen-change.ts'
import { dividePatch } from '../../src/tool/patch/divide-patch.ts'
import { LineEditor } from '../../src/tool/patch/line-editor.ts'
import { SearchBudget } from '../../src/tool/patch/line-index.ts'
import { parsePatch } from '../../src/tool/patch/parse-patch.ts'
import type { PlannedChange } from '../../src/tool/patch/plan-patch.ts'
import { joinText, splitText } from '../../src/tool/patch/text-lines.ts'
import { writeDiff } from '../../src/tool/patch/write-diff.ts'
import { readFolder, writeFolder } from './files.ts'
import { callTool } from './tool-context.ts'

/*
 * A person is shown the parts of a patch and keeps some of them. The law: whichever they keep, the reduced patch does to the file what
 * the diffs of these parts show, and nothing else. A patch for which that can't be promised has one part.
 */
const anyLine = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', '  a', '}', '') },
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 99 }).map(n => `line ${n}`) },
  { weight: 1, arbitrary: fc.constantFrom('“ü” — 😀', '@@', '+++ b', '--- a', '*** End Patch', '   ') },
)
const anyHunk = fc.record({
  at: fc.nat(30),
  before: fc.nat(3),
  removed: fc.nat(2),
  added: fc.array(anyLine, { maxLength: 2 }),
  after: fc.nat(3),
  anchor: fc.option(fc.nat(30), { freq: 3 }),
  isMarked: fc.boolean(),
  isAddedFirst: fc.boolean(),
  atEnd: fc.integer({ min: 0, max: 9 }).map(n => n === 0),
  gap: fc.constantFrom('', '', '\n'),
})
const anyCase = fc.record({
  lines: fc.array(anyLine, { minLength: 1, maxLength: 30, size: 'max' }),
  hunks: fc.array(anyHunk, { minLength: 2, maxLength: 5 }),
  isSorted: fc.boolean(),
  ending: fc.constantFrom('\n', '\r\n'),
  patchEnding: fc.constantFrom('\n', '\n', '\r\n'),
  isEnded: fc.boolean(),
})

/** Hunks of a file in the form of a patch; they may overlap, repeat each other, and fit several places. */
function writePatch({
  lines,
  hunks,
  isSorted,
  patchEnding,
}: typeof anyCase extends fc.Arbitrary<infer T> ? T : never): string {
  const rows = ['*** Begin Patch', '*** Update File: file']
  const order = isSorted ? [...hunks].sort((a, b) => a.at - b.at) : hunks
  for (const [
    index,
    { at, before, removed, added, after, anchor, isMarked, isAddedFirst, atEnd, gap },
  ] of order.entries()) {
    const start = at % lines.length
    const name = anchor === null ? '' : ` ${lines[anchor % lines.length]}`
    if (isMarked || index > 0 || name !== '') rows.push(`@@${name}`)
    for (const line of lines.slice(Math.max(0, start - before), start)) rows.push(` ${line}`)
    const gone = lines.slice(start, start + removed).map(line => `-${line}`)
    const come = added.map(line => `+${line}`)
    rows.push(...(isAddedFirst ? [...come, ...gone] : [...gone, ...come]))
    for (const line of lines.slice(start + removed, start + removed + after)) rows.push(` ${line}`)
    if (atEnd) rows.push('*** End of File')
    if (gap !== '') rows.push('')
  }
  return [...rows, '*** End Patch', ''].join(patchEnding)
}

function apply(patch: string, text: string): { text: string; change: PlannedChange } {
  const split = splitText(text)
  const editor = new LineEditor(split.lines, new SearchBudget())
  for (const section of parsePatch(patch)) if (section.kind === 'update') editor.apply(section.hunks, 'file')
  editor.settle()
  const after = joinText(split, editor.lines, editor.origins)
  const diff = writeDiff(split.lines, editor.lines, editor.origins)
  return { text: after, change: { operation: 'update', real: 'file', original: text, text: after, diff } }
}

/** What the diffs show: each says by its numbers which lines go and where lines come. */
function applyDiffs(text: string, diffs: readonly string[]): string {
  const split = splitText(text)
  const removed = new Set<number>()
  const added = new Map<number, string[]>()
  for (const diff of diffs) {
    let at = 0
    for (const row of diff.split('\n')) {
      const head = /^@@ -(\d+),(\d+) \+\d+,\d+ @@$/.exec(row)
      if (head !== null) at = Number(head[1]) - (head[2] === '0' ? 0 : 1)
      else if (row.startsWith('+')) added.set(at, [...(added.get(at) ?? []), row.slice(1)])
      else {
        expect(split.lines[at]).toBe(row.slice(1))
        if (row.startsWith('-')) removed.add(at)
        at++
      }
    }
  }
  const lines: string[] = []
  const origins: number[] = []
  for (let i = 0; i <= split.lines.length; i++) {
    for (const line of added.get(i) ?? []) {
      lines.push(line)
      origins.push(-1)
    }
    if (i === split.lines.length || removed.has(i)) continue
    lines.push(split.lines[i]!)
    origins.push(i)
  }
  return joinText(split, lines, origins)
}

function* subsets(count: number): Generator<Set<number>> {
  for (let bits = 1; bits < 2 ** count; bits++) {
    yield new Set(Array.from({ length: count }, (_, i) => i).filter(i => (bits >> i) & 1))
  }
}

test('any parts of a patch that are kept do what their diffs show, and all of them are the patch', () => {
  let divided = 0
  fc.assert(
    fc.property(anyCase, one => {
      const text = one.lines.join(one.ending) + (one.isEnded ? one.ending : '')
      const input = { patch: writePatch(one), note: 'kept' }
      let parts: EditPart[] | undefined
      try {
        const sections = parsePatch(input.patch)
        const { change } = apply(input.patch, text)
        const divisions = dividePatch(sections, [change])!
        parts = joinParts([{ path: 'file', operation: 'update', parts: divisions[0]! }])
      } catch {
        return
      }
      if (parts === undefined) return
      divided++
      for (const kept of subsets(parts.length)) {
        const reduced = reduceInput(input, parts, kept) as typeof input
        const diffs = [...kept].map(index => parts[index]!.diff)
        expect(apply(reduced.patch, text).text).toBe(applyDiffs(text, diffs))
        expect(reduced.note).toBe('kept')
        if (kept.size === parts.length) {
          expect(reduced).toEqual(input)
          continue
        }
        const leftOut = findOmittedParts(input, parts, reduced)!
        const rest = new Set([...parts.keys()].filter(index => !leftOut.includes(index)))
        expect(reduceInput(input, parts, rest)).toEqual(reduced)
      }
    }),
    { numRuns: shareOf(4000), seed: 36 },
  )
  expect(divided).toBeGreaterThan(20)
})

test('a reduced input has only lines of the original, in their order, whatever the parts say', () => {
  const anyRange = fc.tuple(fc.integer({ min: -2, max: 9 }), fc.integer({ min: -2, max: 9 }))
  const anyPart = fc.record(
    { lines: anyRange, head: anyRange, key: fc.constantFrom('patch', 'patch', 'other', '__proto__') },
    { requiredKeys: ['lines', 'key'] },
  )
  const anyText = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 8 }).map(lines => lines.join('\n'))
  fc.assert(
    fc.property(
      anyText,
      fc.array(anyPart, { maxLength: 4 }),
      fc.array(fc.nat(5)),
      anyText,
      (patch, given, kept, edited) => {
        const input = { patch, all: true }
        const parts = given.map(part => ({ path: 'file', operation: 'update', diff: '', ...part }) as EditPart)
        const reduced = reduceInput(input, parts, new Set(kept)) as typeof input | undefined
        if (reduced !== undefined) {
          const lines = patch.split('\n')
          let at = 0
          const text = reduced.patch === '' && patch !== '' ? [] : reduced.patch.split('\n')
          for (const line of text) {
            at = lines.indexOf(line, at) + 1
            expect(at).toBeGreaterThan(0)
          }
          expect({ ...reduced, patch }).toEqual(input)
        }
        // An input that has anything else is no reduced one.
        const leftOut = findOmittedParts(input, parts, { patch: edited, all: true })
        if (leftOut !== undefined) {
          const rest = new Set([...parts.keys()].filter(index => !leftOut.includes(index)))
          expect(reduceInput(input, parts, rest)).toEqual({ patch: edited, all: true })
        }
        expect(findOmittedParts(input, parts, { patch: edited, all: false })).toBeUndefined()
        expect(findOmittedParts(input, parts, { patch: edited, all: true, more: 1 })).toBeUndefined()
      },
    ),
    { numRuns: shareOf(5000), seed: 36 },
  )
})

const files = { 'a.txt': 'one\r\ntwo\r\nthree\r\nfour\r\nfive\r\nsix\r\nseven', 'b.txt': 'b\n', 'c.txt': 'x\nx\nx\n' }
const patch = [
  '*** Begin Patch',
  '*** Update File: a.txt',
  '@@',
  '-two',
  '+TWO',
  '@@',
  ' six',
  '-seven',
  '+SEVEN',
  '*** Add File: new.txt',
  '+new',
  '*** Delete File: b.txt',
  '*** Update File: c.txt',
  '@@',
  '-x',
  '+first',
  '@@',
  '-x',
  '+second',
  '*** End Patch',
].join('\n')

test('on the disk each choice of hunks and files does that and no more', async () => {
  const whole = await writeFolder(files)
  const tool = createApplyPatchTool(createWorkspace({ roots: [whole] }))
  const changes = await tool.foresee!({ patch }, new AbortController().signal)
  const parts = joinParts(changes)!
  // The two hunks of c.txt fit the same lines: without the first, the second would go there.
  expect(parts.map(({ path, line, operation }) => [path, line, operation])).toEqual([
    ['a.txt', 2, 'update'],
    ['a.txt', 7, 'update'],
    ['new.txt', undefined, 'add'],
    ['b.txt', undefined, 'delete'],
    ['c.txt', 1, 'update'],
  ])
  for (const kept of subsets(parts.length)) {
    const folder = await writeFolder(files)
    await callTool(createApplyPatchTool(createWorkspace({ roots: [folder] })), reduceInput({ patch }, parts, kept))
    const two = kept.has(0) ? 'TWO' : 'two'
    const seven = kept.has(1) ? 'SEVEN' : 'seven'
    expect(await readFolder(folder)).toEqual({
      'a.txt': `one\r\n${two}\r\nthree\r\nfour\r\nfive\r\nsix\r\n${seven}`,
      ...(kept.has(2) && { 'new.txt': 'new\n' }),
      ...(!kept.has(3) && { 'b.txt': 'b\n' }),
      'c.txt': kept.has(4) ? 'first\nsecond\nx\n' : 'x\nx\nx\n',
    })
  }
})

test('two sections of one file, and a file that is moved, are not divided', async () => {
  const folder = await writeFolder(files)
  const { foresee } = createApplyPatchTool(createWorkspace({ roots: [folder] }))
  const { signal } = new AbortController()
  const twice = '*** Begin Patch\n*** Update File: c.txt\n@@\n-x\n+1\n*** Update File: c.txt\n@@\n-x\n+2\n*** End Patch'
  expect(joinParts(await foresee!({ patch: twice }, signal))).toBeUndefined()
  const moved =
    '*** Begin Patch\n*** Update File: a.txt\n*** Move to: d.txt\n@@\n-two\n+TWO\n@@\n-six\n+SIX\n*** End Patch'
  expect(joinParts(await foresee!({ patch: moved }, signal))).toBeUndefined()
})
