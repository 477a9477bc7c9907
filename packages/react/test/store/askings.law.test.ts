import type { Chunk } from '@argot/core'
import { ChatStore } from '@argot/react'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ScriptedAdapter, settle } from './scripted-adapter.ts'

type Act = { ask: true } | { answerTo: number }

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.constant({ ask: true } as const),
  fc.nat(4).map(answerTo => ({ answerTo })),
)

const asking = (approvalId: string): Chunk => ({ type: 'tool-approval-request', toolCallId: 'c', approvalId })

test('an answer is for one asking: none reaches another, and the one that is open takes one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 8 }), async acts => {
      const adapter = new ScriptedAdapter()
      const store = new ChatStore({ adapter, streamFlushInterval: 0 })
      store.submit({ text: 'go' })
      await settle()
      const call = { toolCallId: 'c', toolName: 'run' }
      adapter.say(
        { type: 'start', messageId: 'm' },
        { type: 'tool-input-available', ...call, input: { command: 'ls' } },
        asking('ask-0'),
      )
      await settle()
      let open: string | undefined = 'ask-0'
      let count = 1
      const expected: string[] = []
      for (const one of acts) {
        if ('ask' in one) {
          open = `ask-${count++}`
          adapter.say(asking(open))
        } else {
          const id = `ask-${one.answerTo}`
          void store.answer('m/c', { approved: true }, id)
          if (id === open) {
            expected.push(id)
            open = undefined
          }
        }
        await settle()
        const pending = store.conversation.pending.get().map(({ approvalId }) => approvalId)
        expect(pending).toEqual(open === undefined ? [] : [open])
      }
      expect(adapter.answers.map(({ id }) => id)).toEqual(expected)
      adapter.close()
    }),
    { numRuns: 12 },
  )
})
