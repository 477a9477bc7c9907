import { expect, test } from 'vitest'
import { findStrings } from './find-strings.ts'

test('finds the strings that the code uses', () => {
  expect(findStrings('file.ts', `report('A', { code: "B" }); const c = x ? 'C' : y['D']`)).toEqual(['A', 'B', 'C', 'D'])
})

test.each([
  ['a comment', `// 'A'\n/* report('A') */`],
  ['a type', `type T = 'A' | 'B'; function f(code: 'A'): 'B' | undefined {}`],
  ['the text of another string', `const a = \`'A'\``],
])('does not count %s', (_, source) => {
  expect(findStrings('file.ts', source)).toEqual([])
})
