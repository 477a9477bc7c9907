import { writeChatMd } from 'argot/chatmd'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assistantMessage, canonical, promptMessage, readBack } from './messages.ts'

describe.each(['inline', 'external'] as const)('with %s payloads', payloads => {
  test('what is written reads back as the same messages, whatever they hold', async () => {
    const messages = fc.array(fc.oneof({ weight: 3, arbitrary: assistantMessage }, promptMessage), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(messages, async list => {
        // Neighbours of one id are one message.
        const unique = list.filter((one, i) => i === 0 || one.id !== list[i - 1]!.id || one.role !== list[i - 1]!.role)
        const written = writeChatMd(
          unique.map(message => ({ type: 'message', message })),
          { payloads },
        )
        const { messages: read, problems } = await readBack(written)
        expect(problems).toEqual([])
        expect(canonical(read)).toBe(canonical(unique))
        expect(new Set(written.files.map(file => file.path)).size).toBe(written.files.length)
      }),
      { numRuns: 1500 },
    )
  })
})
