import { accumulate, type Chunk, toolCalls } from '@argot/core'
import { describe, expect, test } from 'vitest'
import { answer, ask, available, inputStart, output, start, startStep } from './chunks.ts'

/** How long the first call took, of chunks at these milliseconds; resumed from JSON after each chunk where that is wanted. */
function durationOf(lines: readonly (readonly [t: number, chunk: Chunk])[], resumes = false): number {
  let time = 0
  const now = (): number => time
  let fold = accumulate({ now })
  for (const [t, chunk] of lines) {
    time = t
    fold.push(chunk)
    if (resumes) fold = accumulate({ now, state: JSON.parse(JSON.stringify(fold)) })
  }
  const { startedAt, endedAt } = toolCalls(fold.message!)[0]!
  return endedAt! - startedAt!
}

const made: [number, Chunk][] = [
  [0, start()],
  [0, startStep],
  [100, inputStart()],
  [110, available()],
]

describe.each([
  ['in one process', false],
  ['with a new process at each chunk', true],
])('how long a call took, %s', (_, resumes) => {
  test('counts from its first chunk to its result', () => {
    expect(durationOf([...made, [400, output('found')]], resumes)).toBe(300)
  })

  test('leaves out how long a person thought about it', () => {
    const asked: [number, Chunk][] = [...made, [120, ask('a1')], [60_120, answer(true)], [60_150, output('found')]]
    expect(durationOf(asked, resumes)).toBe(50)
  })

  test('leaves that out of a denied call too, and of one that nobody answered', () => {
    const denied: Chunk = { type: 'tool-output-denied', toolCallId: 'c1' }
    expect(durationOf([...made, [120, ask('a1')], [60_120, answer(false)], [60_121, denied]], resumes)).toBe(21)
    expect(durationOf([...made, [120, ask('a1')], [60_120, { type: 'abort', messageId: 'm1' }]], resumes)).toBe(20)
  })
})
