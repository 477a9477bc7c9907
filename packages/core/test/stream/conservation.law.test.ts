import type { Chunk, Message } from '@argot/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyScript, throughCommentary } from './arbitrary.ts'
import { cases, check, fold, same } from './laws.ts'

function said(messages: readonly Message[], type: 'text' | 'reasoning'): string {
  let text = ''
  for (const message of messages) for (const part of message.parts) if (part.type === type) text += part.text
  return text
}

/** Read as it comes, deferred, with the phases already on the wire, or deferred on the wire and again by the reader. */
const anyWay = fc.constantFrom<((chunks: Chunk[]) => readonly Message[])[]>(
  chunks => fold(chunks),
  chunks => fold(chunks, { commentary: 'defer' }),
  chunks => fold(throughCommentary(chunks)),
  chunks => fold(throughCommentary(chunks, 'defer')),
  chunks => fold(throughCommentary(chunks, 'defer'), { commentary: 'defer' }),
)

test('joining the parts gives back what the model said and thought, whatever the policy and the ending', () => {
  fc.assert(
    fc.property(anyScript({ silence: true }), anyWay, ({ chunks, text, reasoning }, read) => {
      const messages = read(chunks)
      same(said(messages, 'text'), text.toWellFormed())
      same(said(messages, 'reasoning'), reasoning.toWellFormed())
    }),
    { numRuns: 2 * cases },
  )
})

test('a text of a finished message has its phase, and a commentary the call that it belongs to', () => {
  check(anyScript(), ({ chunks }) => {
    for (const message of fold(chunks)) {
      const ids = new Set(
        message.parts.flatMap(part => ('toolInvocation' in part ? [part.toolInvocation.toolCallId] : [])),
      )
      for (const part of message.parts) {
        if (part.type !== 'text') continue
        expect(part.phase === 'pending').toBe(part.state === 'aborted' && part.phase === 'pending')
        if (part.toolCallId !== undefined) expect(ids).toContain(part.toolCallId)
      }
    }
  })
})
