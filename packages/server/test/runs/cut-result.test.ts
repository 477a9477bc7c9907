import type { Chunk } from '@argot/core'
import { expect, test } from 'vitest'
import { cutChunk } from '../../src/runs/cut-result.ts'

test('a result that travels cut has no half of a pair at its end', () => {
  for (const start of ['', 'x']) {
    const output = start + '😀'.repeat(50_000)
    const chunk = cutChunk({ type: 'tool-output-available', toolCallId: 'c', output }, 1000) as Chunk & {
      output: string
    }
    expect(chunk.output.length).toBeLessThan(output.length)
    expect(chunk.output.isWellFormed()).toBe(true)
  }
})
