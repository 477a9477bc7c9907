import type { ApprovalRequest } from '@argot/agent'
import { visibleText } from '@argot/core/stream'
import { visibleLine } from '@argot/core/stream/internal'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { describeCall, describeWhole, omitsParameters } from '../../src/ask/describe-call.ts'
import { type QuestionSection, wholeSections } from '../../src/ask/fit-sections.ts'

function request(input: unknown, more: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const signal = new AbortController().signal
  return { approvalId: 'a', toolCallId: 'c', toolName: 'execute', input, effect: 'write', signal, ...more }
}

const texts = [
  ...['--- weekly report\nDROP TABLE users;', '--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\nDROP TABLE users;'],
  ...[
    '# md\n<b>x</b> <!-- y -->',
    '\u001b[2K\u001b[1A\rover',
    'photo\u202egnp.exe',
    'pay\u200bpal\u{e0072}\u2028\ufeff',
  ],
  ...['\\u{202e}', 'say "hi" \\ C:\\x', "it's", '  two  blanks \t tab ', '\n\n', 'a\n', 'a\r\nb', '', 'x'.repeat(3000)],
  ...['│ path: "other"', '": 1,\n"b": "', 'مرحبا 漢字 👩‍👧 ❤️', `data:image/png;base64,${'A'.repeat(400)}`],
]
const text = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...texts) }, fc.string({ unit: 'binary', maxLength: 60 }))
const names = [
  'path',
  'content',
  'command',
  'args',
  '__proto__',
  'constructor',
  '',
  'a\nb',
  'k\u200by',
  'x'.repeat(200),
]
const key = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, fc.string({ unit: 'binary', maxLength: 10 }))
const inputs = fc
  .letrec(tie => ({
    value: fc.oneof(
      { depthSize: 'small' },
      { weight: 5, arbitrary: text },
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
    input: fc.oneof({ weight: 6, arbitrary: fc.dictionary(key, tie('value'), { maxKeys: 5 }) }, tie('value')),
  }))
  .input.map(value => JSON.parse(JSON.stringify(value)) as unknown)

const more = fc.constantFrom<Partial<ApprovalRequest>>(
  {},
  { subject: { kind: 'command', words: ['git', "it's", 'say "hi" \\ C:\\x'] } },
  { changes: [{ path: 'a', operation: 'update', diff: '@@ -1 +1 @@\n-a\n+b\n' }] },
)

/** Every key of a value, and every line of every string: lines are further in than the first. */
function saidIn(value: unknown): string[] {
  if (typeof value === 'string') return visibleText(value).split('\n')
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(saidIn)
  return Object.entries(value).flatMap(([name, one]) => [visibleLine(name), ...saidIn(one)])
}

function expectAll(sections: readonly QuestionSection[], value: unknown): void {
  const shown = sections.map(section => section.text).join('\n')
  expect(saidIn(value).filter(one => !shown.includes(one))).toEqual([])
}

test('all of a question has every key and every string of the input, as visible text', () => {
  fc.assert(
    fc.property(inputs, more, (input, facts) => expectAll(describeWhole(request(input, facts)), input)),
    { numRuns: shareOf(1500) },
  )
})

test('so has what is shown at first, unless it says that there is more', () => {
  fc.assert(
    fc.property(inputs, more, (input, facts) => {
      const asked = request(input, facts)
      if (!omitsParameters(asked)) expectAll(describeCall(asked), input)
    }),
    { numRuns: shareOf(1500) },
  )
})

test('rows have all of it, drive no terminal and hide nothing', () => {
  fc.assert(
    fc.property(inputs, fc.integer({ min: 12, max: 90 }), (input, columns) => {
      const sections = describeWhole(request(input))
      const rows = wholeSections(sections, columns)
      const joined = sections.map(section => section.text.replaceAll('\n', '')).join('')
      expect(rows.map(row => row.slice(2)).join('')).toBe(joined)
      for (const row of rows) {
        expect(row.startsWith('│ ')).toBe(true)
        expect(row.replaceAll('\t', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
      }
    }),
    { numRuns: shareOf(500) },
  )
})

test('two inputs that are not the same are never shown as the same', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('a', 'b'), text),
      fc.dictionary(fc.constantFrom('a', 'b'), text),
      (one, other) => {
        const [first, second] = [one, other].map(input =>
          describeWhole(request(input))
            .map(section => section.text)
            .join('\n'),
        )
        if (JSON.stringify(one) !== JSON.stringify(other)) expect(first).not.toBe(second)
      },
    ),
    { numRuns: shareOf(1500) },
  )
})

test('parameters beside a command line or a diff are shown unless these say them', () => {
  const subject = { kind: 'command', words: ['npm', 'test'] } as const
  const shown = (input: unknown, facts: Partial<ApprovalRequest>) =>
    describeCall(request(input, facts)).map(section => section.text)
  expect(shown({ args: ['npm', 'test'], env: 'EVIL=1' }, { subject })).toEqual(['$ npm test', 'env: "EVIL=1"'])
  const changes = [{ path: 'a', operation: 'update', diff: '@@ -1 +1 @@\n-a\n+b\n' }] as const
  const note = 'one\ntwo'
  expect(shown({ path: 'a', note }, { changes })).toContain('note:\n  one\n  two')
  expect(omitsParameters(request({ args: ['npm'] }, { subject }))).toBe(true)
})
