import type { Chunk } from '@argot/core'
import { expect, test } from 'vitest'
import { Tally } from '../src/view/tally.ts'

function describeStream(chunks: readonly Chunk[]): string {
  const tally = new Tally()
  for (const chunk of chunks) tally.push(chunk)
  return tally.describe(12_000)
}

const exit = (exitCode: number): Chunk => ({
  type: 'tool-output-available',
  toolCallId: `exit-${exitCode}`,
  output: 'x',
  providerMetadata: { argot: { details: { exitCode } } },
})

test.each<[string, Chunk[], string]>([
  ['nothing', [], '0 steps, 12 s'],
  [
    'steps, less those that are made again',
    [{ type: 'start-step' }, { type: 'reset-step' }, { type: 'start-step' }],
    '1 step, 12 s',
  ],
  [
    'calls by how they ended',
    [exit(0), exit(1), { type: 'tool-output-error', toolCallId: 'a', errorText: 'x' }],
    '0 steps, 3 calls (2 failed), 12 s',
  ],
  [
    'calls that were denied apart from those that failed',
    [exit(1), { type: 'tool-output-denied', toolCallId: 'a' }],
    '0 steps, 2 calls (1 failed, 1 denied), 12 s',
  ],
  [
    'a call once, by its first end',
    [exit(0), { type: 'tool-output-denied', toolCallId: 'exit-0' }],
    '0 steps, 1 call, 12 s',
  ],
  ['no preview', [{ type: 'tool-output-available', toolCallId: 'a', output: 1, preliminary: true }], '0 steps, 12 s'],
  [
    'tokens',
    [{ type: 'finish', messageMetadata: { usage: { inputTokens: 1000, outputTokens: 204 } } }],
    '0 steps, 1,204 tokens (1,000 in, 204 out), 12 s',
  ],
])('the line at the end of a run counts %s', (_, chunks, expected) => {
  expect(describeStream(chunks)).toBe(expected)
})
