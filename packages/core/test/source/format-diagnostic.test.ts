import { type Diagnostic, formatDiagnostic } from '@argot/core'
import { createLineCounter } from '@argot/core/stream/internal'
import { expect, test } from 'vitest'

function picture(source: string, start: number, end: number, more: Partial<Diagnostic> = {}): string {
  const range = createLineCounter(source).range(start, end)
  return formatDiagnostic(
    { code: 'CHATMD_TEXT_AT_TOP', severity: 'error', message: 'It is wrong.', range, ...more },
    source,
  )
}

test('shows place, code, line, carets and cure', () => {
  const text = picture('one\ntwo three\nfour', 8, 13, { file: 'a.chatmd', cure: 'Mend it.' })
  expect(text).toBe(
    [
      'a.chatmd:2:5 error CHATMD_TEXT_AT_TOP: It is wrong.',
      '  |',
      '2 | two three',
      '  |     ^^^^^',
      '  = Mend it.',
    ].join('\n'),
  )
})

test.each([
  ['tabs before the place stay tabs', '\t\tab', 2, 3, '1 | \t\tab', '  | \t\t^'],
  ['wide characters take two columns', '漢字ab', 2, 3, '1 | 漢字ab', '  |     ^'],
  ['an emoji takes two columns', '😀a', 2, 3, '1 | 😀a', '  |   ^'],
  ['combining marks take none', 'e\u0301a', 2, 3, '1 | e\u0301a', '  |  ^'],
  ['a place at the end of the line', 'ab', 2, 2, '1 | ab', '  |   ^'],
  ['an empty range has one caret', 'abc', 1, 1, '1 | abc', '  |  ^'],
  ['a range over lines ends with its first', 'abc\ndef', 1, 6, '1 | abc', '  |  ^^'],
  ['CRLF is not shown', 'abc\r\ndef', 0, 1, '1 | abc', '  | ^'],
  ['control characters come out as symbols', '\x1b[31m\0x', 5, 6, '1 | ␛[31m␀x', '  |      ^'],
])('the picture of a diagnostic: %s', (_, source, start, end, line, carets) => {
  expect(picture(source, start, end).split('\n').slice(2)).toEqual([line, carets])
})

test('shows a window of a long line', () => {
  const source = `${'a'.repeat(5000)}X${'b'.repeat(5000)}`
  const [, , line, carets] = picture(source, 5000, 5001).split('\n') as [string, string, string, string]
  expect(line.length).toBeLessThan(110)
  expect(line[carets.indexOf('^')]).toBe('X')
})

test('leaves out what is not known', () => {
  expect(formatDiagnostic({ code: 'STREAM_GAP', severity: 'warning', message: 'A gap.' }, '')).toBe(
    'warning STREAM_GAP: A gap.',
  )
})
