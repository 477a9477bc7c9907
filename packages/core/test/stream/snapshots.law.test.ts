import assert from 'node:assert/strict'
import type { Chunk, Message } from '@argot/core'
import { test } from 'vitest'
import { anyHostileStream, anyScript } from './arbitrary.ts'
import { check, folder, same } from './laws.ts'

/**
 * Takes two snapshots after every chunk. One is read at once, the other at the end only, when an input that is built at
 * its first read must still show its own moment. In the end both show what was written down then.
 */
function expectLasting(chunks: readonly Chunk[]): void {
  const folding = folder()
  const unread = folder()
  const taken: { early: readonly Message[]; late: readonly Message[]; shown: string }[] = []
  for (const chunk of chunks) {
    folding.push(chunk)
    unread.push(chunk)
    const early = folding.messages
    taken.push({ early, late: unread.messages, shown: JSON.stringify(early) })
  }
  folding.end()
  unread.end()
  for (const { early, late, shown } of taken) {
    same(JSON.stringify(late), shown)
    same(JSON.stringify(early), shown)
  }
}

test('what a snapshot of a legal stream showed never changes, whether it was read then or not', () => {
  check(anyScript({ silence: true }, 40), ({ chunks }) => expectLasting(chunks))
})

test('what a snapshot of a hostile stream showed never changes, whether it was read then or not', () => {
  check(anyHostileStream({ length: 40 }), expectLasting)
})

test('looking at a message after every chunk does not change what it becomes', () => {
  check(anyScript({ silence: true }), ({ chunks }) => {
    const watched = folder()
    const unwatched = folder()
    for (const chunk of chunks) {
      watched.push(chunk)
      unwatched.push(chunk)
      assert(watched.messages.length > 0)
    }
    same(watched.messages, unwatched.messages)
  })
})

function countChanged(before: Message, now: Message): number {
  return before.parts.filter((part, index) => now.parts[index] !== part).length
}

test('parts that did not change are the same objects in the next snapshot', () => {
  check(anyScript({ silence: true, resets: false }), ({ chunks }) => {
    const folding = folder()
    let before: Message | undefined
    for (const chunk of chunks) {
      folding.push(chunk)
      const now = folding.message!
      assert(folding.message === now)
      const changed = before === undefined ? 0 : countChanged(before, now)
      const most = chunk.type.startsWith('source-') || chunk.type.endsWith('-metadata') ? 0 : 1
      if (!endsMany.has(chunk.type)) assert(changed <= most, `${chunk.type} changed ${changed} parts.`)
      before = now
    }
  })
})

/** What decides or ends more than one part at a time. */
const endsMany: ReadonlySet<string> = new Set([
  'tool-input-start',
  'tool-input-available',
  'tool-input-error',
  'start-step',
  'finish-step',
  'error',
  'abort',
  'finish',
])
