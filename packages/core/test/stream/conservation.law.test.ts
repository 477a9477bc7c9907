import type { Chunk, Message } from 'argot'
import { expect, test } from 'vitest'
import { anyScript, throughCommentary } from './arbitrary.ts'
import { check, fold } from './laws.ts'

function said(messages: readonly Message[], type: 'text' | 'reasoning'): string {
  let text = ''
  for (const message of messages) for (const part of message.parts) if (part.type === type) text += part.text
  return text
}

const ways: readonly [string, (chunks: Chunk[]) => readonly Message[]][] = [
  ['as it comes', chunks => fold(chunks)],
  ['deferred', chunks => fold(chunks, { commentary: 'defer' })],
  ['with its phases on the wire', chunks => fold(throughCommentary(chunks))],
  ['deferred on the wire', chunks => fold(throughCommentary(chunks, 'defer'))],
  [
    'deferred on the wire and again by the reader',
    chunks => fold(throughCommentary(chunks, 'defer'), { commentary: 'defer' }),
  ],
]

test.each(ways)('joining the parts gives back what the model said and thought, %s', (_, read) => {
  check(anyScript({ silence: true }), ({ chunks, text, reasoning }) => {
    const messages = read(chunks)
    expect(said(messages, 'text')).toBe(text.toWellFormed())
    expect(said(messages, 'reasoning')).toBe(reasoning.toWellFormed())
  })
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
