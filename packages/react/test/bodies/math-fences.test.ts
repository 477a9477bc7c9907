import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { markdownBlocks } from '../../src/bodies/markdown/markdown-blocks.ts'
import { mathFences } from '../../src/bodies/markdown/math-fences.ts'

const all = (text: string): string => markdownBlocks(text, undefined, true).blocks.join('')

describe('formulas as fences', () => {
  test.each([
    ['$$\nx^2\n$$', '\n```math\nx^2\n```\n'],
    ['$$ x^2 $$', '\n```math\nx^2\n```\n'],
    ['So:\n$$x\n+ y$$\nand on', 'So:\n\n```math\nx\n+ y\n```\n\nand on'],
    ['$$\nx', '\n```math\nx'],
    ['$$\n```\n$$', '\n````math\n```\n````\n'],
    ['It costs $$ in all', 'It costs $$ in all'],
    ['```sh\n$$\n```', '```sh\n$$\n```'],
    ['no formula', 'no formula'],
  ])('%j', (source, expected) => {
    expect(mathFences(source)).toBe(expected)
  })

  test('a blank line in a formula does not end its block', () => {
    const text = 'a\n\n$$\nx\n\ny\n$$\n\nb\n'
    expect(markdownBlocks(text, undefined, true).blocks).toEqual(['a\n\n', '$$\nx\n\ny\n$$\n\n', 'b\n'])
    expect(markdownBlocks(text).blocks).toHaveLength(4)
  })

  test('law: however a text grows, its blocks are the same, and joined they are the text', () => {
    const line = fc.constantFrom('$$', '$$ x $$', '$$x', 'y$$', '```', 'a', '', '- b', '  $$', '$', '$$ ')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 14 }), fc.nat(60), (lines, cut) => {
        const text = lines.join('\n')
        const before = markdownBlocks(text.slice(0, cut), undefined, true)
        expect(markdownBlocks(text, before, true).blocks).toEqual(markdownBlocks(text, undefined, true).blocks)
        expect(all(text)).toBe(text)
        for (const character of text.replaceAll(/[$\s`]/g, '')) expect(mathFences(text)).toContain(character)
      }),
      { numRuns: 300 },
    )
  })
})
