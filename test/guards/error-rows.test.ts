import { expect, test } from 'vitest'
import { errorRows } from './error-rows.ts'

test('reads code, meaning and cure under the last heading', () => {
  const page =
    '# Errors\n## Stream\n| Code | Meaning | Cure |\n| --- | --- | --- |\n| `STREAM_GAP` | A \\| b. | Do. |\n## Tool\n|`TOOL_X`|C.|D.|'
  expect(errorRows(page)).toEqual([
    { section: 'Stream', code: 'STREAM_GAP', meaning: 'A \\| b.', cure: 'Do.' },
    { section: 'Tool', code: 'TOOL_X', meaning: 'C.', cure: 'D.' },
  ])
})

test('takes a code in prose as no row', () => {
  expect(errorRows('See `STREAM_GAP` | there.')).toEqual([])
})

test('refuses a row with a cell missing', () => {
  expect(() => errorRows('| `STREAM_GAP` | Meaning. |')).toThrow('STREAM_GAP must have three cells')
})
