import { expect, test } from 'vitest'
import { countChanged, type DiffRow, diffRows } from '../../src/bodies/diff/diff-rows.ts'
import { parseUnifiedDiff } from '../../src/bodies/diff/parse-unified-diff.ts'
import { wordMarks } from '../../src/bodies/diff/word-marks.ts'
import { isUnifiedDiff } from '../../src/bodies/output-body.tsx'

function parse(text: string): DiffRow[] {
  const work = parseUnifiedDiff(text)
  for (;;) {
    const next = work.next()
    if (next.done === true) return next.value
  }
}

function show(row: DiffRow): string {
  if (row.kind === 'skip') return `⋯ ${row.count}`
  if (row.kind === 'file') return `file ${row.name}`
  if (row.kind === 'head') return row.text
  const text = row.pieces.map(piece => (piece.isMarked ? `[${piece.text}]` : piece.text)).join('')
  return `${row.number} ${{ context: ' ', added: '+', removed: '-' }[row.kind]} ${text}`
}

const diff = `--- a/src/a.ts
+++ b/src/a.ts
@@ -12,3 +12,4 @@
 one
+two
 three
 four
@@ -40,2 +41,2 @@
-const from = options.from
+const from = options.zeroBased ? options.from + 1 : options.from
 end
`

test('a unified diff has line numbers, signs, marked words, and says what it leaves out', () => {
  expect(parse(diff).map(show)).toEqual([
    '12   one',
    '13 + two',
    '14   three',
    '15   four',
    '⋯ 25',
    '40 - const from = options.from',
    '41 + const from = [options.zeroBased ? options.from + 1 : ]options.from',
    '42   end',
  ])
  expect(countChanged(parse(diff))).toEqual({ added: 2, removed: 1 })
})

test('a diff of several files names each', () => {
  const two = diff + diff.replaceAll('a.ts', 'b.ts')
  expect(parse(two).filter(row => row.kind === 'file')).toEqual([
    { kind: 'file', name: 'src/a.ts' },
    { kind: 'file', name: 'src/b.ts' },
  ])
})

test.each([
  ['a header and nothing else', '--- a\n+++ b\n'],
  ['a hunk without lines', '@@ -1 +1 @@'],
  ['a line without a sign', '@@ -1,2 +1,2 @@\n\\ No newline at end of file\n a\n'],
  ['words', 'not a diff at all'],
])('%s makes no row that is not there', (_, text) => {
  expect(parse(text).every(row => row.kind !== 'file')).toBe(true)
})

test('only a diff is a diff', () => {
  expect(isUnifiedDiff(diff)).toBe(true)
  expect(isUnifiedDiff('@@ -1 +1 @@\n')).toBe(true)
  expect(isUnifiedDiff('- a list\n+ of things')).toBe(false)
})

test('long unchanged stretches are folded, and their lines are kept', () => {
  const same = Array.from({ length: 30 }, (_, line) => `line ${line}`)
  const rows = diffRows([
    { kind: 'added', lines: ['first'] },
    { kind: 'same', lines: same },
    { kind: 'added', lines: ['last'] },
  ])
  const skip = rows.find(row => row.kind === 'skip')
  expect(skip).toMatchObject({ count: 24 })
  expect(skip?.kind === 'skip' && skip.rows.length).toBe(24)
})

test('marks the words that differ, and nothing where nearly all differs', () => {
  expect(wordMarks('return Number(text) - 1', 'return Number(text)')).toEqual([
    { text: 'return Number(text)', isMarked: false },
    { text: ' - 1', isMarked: true },
  ])
  expect(wordMarks('all of it', 'is something else')).toBeUndefined()
})
