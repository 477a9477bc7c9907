import { readFileSync } from 'node:fs'
import { estimateTokens } from '@argot/core/stream/internal'
import { exampleCall, syntaxes } from '@argot/core/syntax'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'

const tool = {
  name: 'read_file',
  description: 'Reads a file of the workspace.',
  inputSchema: {
    type: 'object' as const,
    properties: {
      path: { type: 'string', description: 'Where it is.' },
      tags: { type: 'array' },
      line: { type: 'integer' },
    },
    required: ['path'],
  },
}

test.each([
  'docs/chatmd.md',
  'docs/models.md',
  'packages/core/src/syntax/reader/reader.ts',
  'fixtures/calls/bodies.json',
])('an estimate of %s is within a tenth of what a tokenizer counts', file => {
  const text = readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8').slice(0, 20_000)
  expect(Math.abs(estimateTokens(text) / countTokens(text) - 1)).toBeLessThan(0.1)
})

test('estimates of calls and lessons are within a tenth on average', () => {
  const faults = syntaxes.names().flatMap(name => {
    const syntax = syntaxes.get(name)
    const texts = [syntax.format(exampleCall(tool), tool), syntax.describe([tool])]
    return texts.map(text => Math.abs(estimateTokens(text) / countTokens(text) - 1))
  })
  expect(faults.reduce((sum, fault) => sum + fault, 0) / faults.length).toBeLessThan(0.1)
})

test.each(['', ' ', '\n\n', '日本語のテキスト', 'größer', '🙂🙂', '…'.repeat(100), '\u0000', '_'.repeat(1000)])(
  '%j is estimated',
  text => {
    const tokens = estimateTokens(text)
    expect(Number.isInteger(tokens)).toBe(true)
    expect(tokens).toBeGreaterThanOrEqual(0)
    expect(tokens).toBeLessThanOrEqual(text.length * 2)
  },
)
