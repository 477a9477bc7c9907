import { createApplyPatchTool } from '@argot/agent/workshop'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { createWorkspace } from '../../src/files/workspace.ts'
import { LineEditor } from '../../src/tool/patch/line-editor.ts'
import { SearchBudget } from '../../src/tool/patch/line-index.ts'
import { parsePatch } from '../../src/tool/patch/parse-patch.ts'
import { joinText, splitText } from '../../src/tool/patch/text-lines.ts'
import { writeDiff } from '../../src/tool/patch/write-diff.ts'
import { readFolder, writeFolder } from './files.ts'
import { callTool } from './tool-context.ts'

/** What happens to one line of a file: it may go, and lines may come before it. */
interface Edit {
  removed: boolean
  before: readonly string[]
}

/** Few different lines, so that hunks fit in several places, and some that look like marks of a patch. */
const anyLine: fc.Arbitrary<string> = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('', 'a', '  a', '}') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('@@', '@@ a', '*** End Patch', '*** Add File: a', '+', '-a', '+++ b', '--- a', '```'),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }).map(text => text.replace(/[\r\n\0]/g, '')) },
)

const anyEdit: fc.Arbitrary<Edit> = fc.record({
  removed: fc.boolean(),
  before: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(anyLine, { maxLength: 3 }) },
  ),
})

const anyCase = fc.record({
  lines: fc.array(anyLine, { maxLength: 40, size: 'max' }),
  // One more than there are lines: what comes after the last.
  edits: fc.array(anyEdit, { minLength: 41, maxLength: 41 }),
  // Most lines stay, so that there are several hunks.
  quiet: fc.array(
    fc.integer({ max: 4, min: 0 }).map(n => n > 0),
    { minLength: 41, maxLength: 41 },
  ),
  ending: fc.constantFrom('\n', '\r\n'),
  isEnded: fc.boolean(),
  hasMark: fc.boolean(),
  context: fc.integer({ min: 0, max: 4 }),
  unique: fc.boolean(),
})

/**
 * Hunks in order, each with `lead` lines before it. Where lines occur twice these are all from the end of the last hunk
 * on, so that there is one place where each fits first.
 */
function writeHunks(lines: readonly string[], edits: readonly Edit[], context: number, lead: number): string[] {
  const out: string[] = []
  let at = 0
  while (at <= lines.length) {
    const start = at
    while (at <= lines.length && !isChange(edits[at], at, lines.length)) at++
    if (at > lines.length) break
    out.push('@@')
    for (let i = Math.max(start, at - lead); i < at; i++) out.push(` ${lines[i]}`)
    let kept = 0
    for (; at <= lines.length && kept <= context; at++) {
      const edit = edits[at]!
      for (const line of edit.before) out.push(`+${line}`)
      kept = isChange(edit, at, lines.length) ? 0 : kept + 1
      if (at < lines.length) out.push(`${edit.removed ? '-' : ' '}${lines[at]}`)
    }
    if (at > lines.length) out.push('*** End of File')
  }
  return out
}

function isChange(edit: Edit | undefined, at: number, length: number): boolean {
  return edit !== undefined && (edit.before.length > 0 || (edit.removed && at < length))
}

function applyEdits(lines: readonly string[], edits: readonly Edit[]): string[] {
  const result = lines.flatMap((line, i) => [...edits[i]!.before, ...(edits[i]!.removed ? [] : [line])])
  return [...result, ...edits[lines.length]!.before]
}

function writeText(
  lines: readonly string[],
  { ending, isEnded, hasMark }: { ending: string; isEnded: boolean; hasMark: boolean },
): string {
  if (lines.length === 0) return hasMark ? '\uFEFF' : ''
  return (hasMark ? '\uFEFF' : '') + lines.join(ending) + (isEnded ? ending : '')
}

/** A file, a patch made from edits of it, and the edited file. */
const anyPatch = anyCase.map(({ lines: given, edits, quiet, context, unique, ...wanted }) => {
  const lines = unique ? given.map((line, i) => `${i} ${line}`) : given
  const used = edits.map((edit, i) => (quiet[i] ? { removed: false, before: [] } : edit))
  const hunks = writeHunks(lines, used, context, unique ? Math.max(context, 1) : Number.POSITIVE_INFINITY)
  const after = applyEdits(lines, used)
  // A last line that is empty and has no ending is not a line, and a single line without ending does not show its kind.
  const isEnded = wanted.isEnded || lines.at(-1) === '' || after.at(-1) === '' || lines.length === 0
  const form = {
    ...wanted,
    isEnded,
    ending: lines.length > 1 || (isEnded && lines.length === 1) ? wanted.ending : '\n',
  }
  const patch = ['*** Begin Patch', '*** Update File: file', ...hunks, '*** End Patch'].join('\n')
  return { before: writeText(lines, form), patch, after: writeText(after, form), isEmpty: hunks.length === 0 }
})

test('a patch made from edits gives exactly the edited text', () => {
  fc.assert(
    fc.property(anyPatch, ({ before, patch, after, isEmpty }) => {
      fc.pre(!isEmpty)
      const split = splitText(before)
      const editor = new LineEditor(split.lines, new SearchBudget())
      for (const section of parsePatch(patch)) if (section.kind === 'update') editor.apply(section.hunks, 'file')
      editor.settle()
      expect(joinText(split, editor.lines, editor.origins)).toBe(after)
    }),
    { numRuns: shareOf(3000) },
  )
})

test('the tool writes exactly the edited file', async () => {
  const folder = await writeFolder()
  const workspace = createWorkspace({ roots: [folder] })
  const tool = createApplyPatchTool(workspace)
  await fc.assert(
    fc.asyncProperty(anyPatch, async ({ before, patch, after, isEmpty }) => {
      fc.pre(!isEmpty)
      await workspace.write(await workspace.locateNew('file'), before)
      await callTool(tool, { patch })
      expect(await readFolder(folder)).toEqual({ file: after })
    }),
    { numRuns: 50 },
  )
})

test('a text is written back as it was read', () => {
  const anyText = fc.array(fc.constantFrom('a', '\n', '\r\n', '\r', '\uFEFF', '')).map(pieces => pieces.join(''))
  fc.assert(
    fc.property(anyText, text => {
      const split = splitText(text)
      expect(joinText(split, split.lines, [...split.lines.keys()])).toBe(text)
    }),
    { numRuns: shareOf(2000) },
  )
})

test('the diff of a change leads from the lines before to the lines after', () => {
  fc.assert(
    fc.property(anyCase, ({ lines, edits }) => {
      const origins = lines.flatMap((_, i) => [...edits[i]!.before.map(() => -1), ...(edits[i]!.removed ? [] : [i])])
      const after = lines.flatMap((line, i) => [...edits[i]!.before, ...(edits[i]!.removed ? [] : [line])])
      const { text, added, removed } = writeDiff(lines, after, origins)
      expect(added).toBe(origins.filter(origin => origin < 0).length)
      expect(removed).toBe(lines.length - (origins.length - added))
      expect(applyDiff(lines, text)).toEqual(after)
    }),
  )
})

/** Applies a unified diff by its numbers alone. */
function applyDiff(lines: readonly string[], diff: string): string[] {
  const result: string[] = []
  let at = 0
  if (diff === '') return [...lines]
  let left = 0
  for (const line of diff.split('\n')) {
    const range = left === 0 ? /^@@ -(\d+),(\d+) \+\d+,(\d+) @@$/.exec(line) : null
    if (range !== null) {
      const start = Number(range[2]) === 0 ? Number(range[1]) : Number(range[1]) - 1
      while (at < start) result.push(lines[at++]!)
      left = Number(range[2]) + Number(range[3])
      continue
    }
    left -= line.startsWith(' ') ? 2 : 1
    if (!line.startsWith('+')) expect(lines[at++]).toBe(line.slice(1))
    if (!line.startsWith('-')) result.push(line.slice(1))
  }
  return [...result, ...lines.slice(at)]
}

test('any text is read as a patch or refused, never anything else', () => {
  const anyPiece = fc.oneof(
    fc.constantFrom('*** Begin Patch', '*** End Patch', '*** Add File: a', '*** Update File: a', '*** Move to: b'),
    fc.constantFrom(
      '*** Delete File: a',
      '@@',
      '@@ a',
      '*** End of File',
      '',
      '+a',
      '-a',
      ' a',
      '```',
      "<<'EOF'",
      '***',
    ),
    fc.string({ maxLength: 5 }),
  )
  fc.assert(
    fc.property(fc.array(anyPiece, { maxLength: 12 }), pieces => {
      for (const text of [pieces.join('\n'), ['*** Begin Patch', ...pieces, '*** End Patch'].join('\n')]) {
        try {
          expect(parsePatch(text).length).toBeGreaterThan(0)
        } catch (error) {
          expect(error).toMatchObject({ name: 'ToolFailure', code: 'TOOL_BAD_PATCH' })
        }
      }
    }),
    { numRuns: shareOf(2000) },
  )
})

/** Lines of a file of about 2 MB. */
const manyLines = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `line ${i % 7 === 0 ? '}' : i} of a large file that goes on`)

test('500 hunks in a file of 2 MB are found without reading it again for each', async () => {
  const lines = manyLines(50_000)
  const folder = await writeFolder({ file: `${lines.join('\n')}\n` })
  const hunks = Array.from({ length: 500 }, (_, i) => i * 97 + 1).flatMap(i => [
    '@@',
    ` ${lines[i]}`,
    `-${lines[i + 1]}`,
    `+new ${i}`,
    ` ${lines[i + 2]}`,
  ])
  const patch = ['*** Begin Patch', '*** Update File: file', ...hunks, '*** End Patch'].join('\n')
  const { output } = await callTool(createApplyPatchTool(createWorkspace({ roots: [folder] })), { patch })
  expect(output).toBe('M file (+500 −500)')
})

test('the work of finding hunks grows with the patch, not with the patch times the file', () => {
  const lines = manyLines(50_000)
  const hunks = Array.from({ length: 500 }, (_, i) => ({
    line: 1,
    end: 1,
    isMarked: true,
    anchors: [],
    atEnd: false,
    lines: [{ mark: '-', text: lines[i * 97 + 1]! } as const],
  }))
  let spent = 0
  const budget = new SearchBudget()
  const spend = budget.spend.bind(budget)
  budget.spend = count => {
    spent += count
    spend(count)
  }
  new LineEditor(lines, budget).apply(hunks, 'file')
  expect(spent).toBeLessThan(60_000)
})

test('a patch whose hunks fit everywhere ends with a clear refusal', () => {
  const lines = Array.from({ length: 200_000 }, () => 'x')
  const wanted = [
    ...Array.from({ length: 1000 }, () => ({ mark: ' ', text: 'x' }) as const),
    { mark: '-', text: 'y' } as const,
  ]
  const editor = new LineEditor([...lines, 'y', ...lines, 'y'], new SearchBudget())
  const hunk = { line: 1, end: 1, isMarked: true, anchors: [], atEnd: false, lines: wanted }
  editor.apply([hunk, hunk], 'file')
  const everywhere = {
    ...hunk,
    lines: [...wanted.slice(0, 1000), { mark: '-', text: 'x' } as const, { mark: ' ', text: 'x' } as const],
  }
  const endless = new LineEditor(
    lines.map((line, i) => (i % 1000 === 999 ? 'z' : line)),
    new SearchBudget(),
  )
  expect(() => endless.apply([everywhere], 'file')).toThrow(expect.objectContaining({ code: 'TOOL_BAD_PATCH' }))
})
