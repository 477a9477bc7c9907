import type { ApprovalRequest } from '@argot/agent'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeCall, describeWhole } from '../src/ask/describe-call.ts'
import { fitSections, wholeSections } from '../src/ask/fit-sections.ts'
import { measureWidth } from '../src/io/width.ts'
import { wrapWords } from '../src/io/wrap-rows.ts'

// Finding 4: people approved what they could not see. Siblings that were tried besides: a hundred parameters before the one that
// matters, a name of a parameter as long as a screen, a path behind a thousand blanks, a line without an end, wide characters
// at the edge, texts that only look like the end of the question.

function request(input: unknown, more: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const signal = new AbortController().signal
  return { approvalId: 'a', toolCallId: 'c', toolName: 'write_file', input, effect: 'write', signal, ...more }
}

function shown(input: unknown, columns = 80, rows = 10, more?: Partial<ApprovalRequest>): string {
  return fitSections(describeCall(request(input, more)), columns, rows).rows.join('\n')
}

const long = Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n')

describe('what is shown of a call', () => {
  test('is short parameters first and whole, of long ones the head and the tail with the count between', () => {
    expect(shown({ content: long, path: 'a.md', mode: 7 })).toBe(
      [
        '│ path: "a.md"',
        '│ mode: 7',
        '│ content:',
        ...[0, 1, 2, 3].map(index => `│   line ${index}`),
        '│ … 194 lines (2,032 characters) not shown …',
        '│   line 198',
        '│   line 199',
      ].join('\n'),
    )
  })

  test.each([
    ['a hundred parameters before it', Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`p${at}`, long]))],
    ['a name as long as the screen', { ['x'.repeat(5000)]: 1 }],
    ['blanks as far as the eye can see', { content: `${' '.repeat(5000)}x` }],
    ['a line without an end', { content: 'x'.repeat(100_000) }],
    ['a list', { list: Array.from({ length: 500 }, (_, at) => at) }],
  ])('is the path, whatever comes with it: %s', (_, input) => {
    for (const [columns, rows] of [
      [80, 14],
      [40, 4],
    ] as const) {
      const { rows: all, isCut } = fitSections(describeCall(request({ ...input, path: 'secret/path' })), columns, rows)
      expect(all.join('\n')).toContain('│ path: "secret/path"')
      expect(isCut).toBe(true)
    }
  })

  test('is the whole command line, with the ends of its words', () => {
    const words = ['git', 'commit', '-m', "two words; it's $HOME", '', '\x1b[2J']
    const text = shown({ arguments: words.slice(2) }, 80, 10, { subject: { kind: 'command', words } })
    expect(text).toBe(String.raw`│ $ git commit -m 'two words; it'\''s $HOME' '' '\u{1b}[2J'`)
  })

  test('is what would change, in words and as a diff, instead of the long text', () => {
    const change = {
      path: 'a.md',
      operation: 'update',
      linesBefore: 120,
      linesAfter: 120,
      diff: '@@ -1,1 +1,1 @@\n-a\n+b\x1b[2J\n',
    } as const
    const content = `b\x1b[2J\n${long}`
    const text = shown({ path: 'a.md', content }, 80, 10, { changes: [change] })
    expect(text).toBe('│ path: "a.md"\n│ a.md: replaces 1 line of 120 with 1\n│ @@ -1,1 +1,1 @@\n│ -a\n│ +b\\u{1b}[2J')
    const whole = wholeSections(describeWhole(request({ path: 'a.md', content }, { changes: [change] })), 80)
    expect(whole.join('\n')).toContain('│   line 199')
  })

  test.each([
    [{ operation: 'add', linesAfter: 3, diff: '+a' }, 'a new file, 3 lines'],
    [{ operation: 'delete', diff: '-a\n-b' }, 'deletes the file, 2 lines'],
    [{ operation: 'move', from: 'b', diff: '-a\n+b' }, 'moved from b, 1 line added, 1 removed'],
    [
      { operation: 'update', linesBefore: 120, linesAfter: 3, diff: `${'-a\n'.repeat(120)}+b` },
      'replaces all 120 lines with 3',
    ],
    [{ operation: 'update', linesBefore: 1, linesAfter: 2, diff: ' a\n+b' }, 'adds 1 line'],
    [{ operation: 'update', linesBefore: 1, linesAfter: 1, diff: '' }, 'changes nothing'],
    [{ operation: 'update', linesAfter: 2 }, 'replaces the file, which is not text, with 2 lines'],
  ] as const)('says of %j: %s', (change, words) => {
    expect(shown({}, 80, 200, { changes: [{ path: 'a', ...change }] })).toContain(`│ a: ${words}`)
  })

  test('never passes for something else, never is wider or longer than there is room, and is whole unless it says so', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.constantFrom(long, '漢字'.repeat(200), '\u202e\x1b[2J\n◆  Run it?'),
    )
    const inputs = fc.dictionary(fc.string({ maxLength: 60 }), fc.oneof(texts, fc.integer(), fc.array(fc.integer())), {
      maxKeys: 12,
    })
    fc.assert(
      fc.property(inputs, fc.integer({ min: 12, max: 90 }), fc.integer({ min: 3, max: 40 }), (input, columns, rows) => {
        const sections = describeCall(request(input))
        const fitted = fitSections(sections, columns, rows)
        expect(fitted.rows.length).toBeLessThanOrEqual(rows)
        for (const row of fitted.rows) {
          expect(row).toMatch(/^[│…] /)
          expect(row).not.toMatch(/[\p{Cc}\p{Cf}]/u)
          expect(measureWidth(row)).toBeLessThanOrEqual(columns)
        }
        const whole = wholeSections(sections, columns)
        if (!fitted.isCut) expect([...fitted.rows].sort()).toEqual([...whole].sort())
      }),
      { numRuns: 300 },
    )
  })

  test('fits the screen, however much it is', () => {
    const lines = shown({ content: 'x\n'.repeat(200_000), other: 'y'.repeat(400_000), path: 'a' })
    expect(JSON.stringify(lines).length).toBeLessThan(20_000)
  })
})

test('sentences are broken at blanks, words that are too long anywhere', () => {
  expect(wrapWords('one two threefour', 7)).toEqual(['one two', 'threefo', 'ur'])
})
