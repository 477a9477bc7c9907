import type { Chunk } from '@argot/core'
import { ChatStore } from '@argot/react'
import type { ChatAdapter } from '@argot/react/types'
import { describe, expect, test } from 'vitest'

/** The run that every adapter is asked to bring. */
export const run: Chunk[] = [
  { type: 'start', messageId: 'a1' },
  { type: 'start-step' },
  { type: 'text-start', id: 't1' },
  { type: 'text-delta', id: 't1', delta: 'Let me ' },
  { type: 'text-delta', id: 't1', delta: 'look.' },
  { type: 'text-end', id: 't1' },
  { type: 'tool-input-start', toolCallId: 'c1', toolName: 'search' },
  { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{"query":"argot"}' },
  { type: 'tool-input-available', toolCallId: 'c1', toolName: 'search', input: { query: 'argot' } },
  { type: 'tool-output-available', toolCallId: 'c1', output: '3 pages' },
  { type: 'finish-step' },
  { type: 'start-step' },
  { type: 'text-start', id: 't2' },
  { type: 'text-delta', id: 't2', delta: 'Three.' },
  { type: 'text-end', id: 't2' },
  { type: 'finish-step' },
  { type: 'finish', finishReason: 'stop' },
]

/** How a suite makes the adapter that it tries. */
export interface AdapterUnderTest {
  /** Brings `run`, at once. */
  whole: () => ChatAdapter
  /** Brings the first `count` chunks of `run` and then nothing more. */
  silentAfter: (count: number) => ChatAdapter
}

export async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000 && !isSo(); turn++) await new Promise(resolve => setTimeout(resolve, 2))
  expect(isSo()).toBe(true)
}

export function openStore(adapter: ChatAdapter): ChatStore {
  return new ChatStore({ adapter, streamFlushInterval: 0, nextId: () => 'u1' })
}

/** What every adapter promises. */
export function testAdapter(name: string, make: AdapterUnderTest): void {
  describe(name, () => {
    test('brings the message with its commentary, its call and its answer', async () => {
      const store = openStore(make.whole())
      void store.send({ text: 'How many?' })
      await until(() => store.conversation.ids.get().length === 2 && !store.isRunning)
      expect(store.conversation.messages()[1]).toMatchObject({
        id: 'a1',
        status: 'sent',
        finishReason: 'stop',
        parts: [
          { type: 'step-start' },
          { type: 'text', text: 'Let me look.', phase: 'commentary' },
          { type: 'tool', toolInvocation: { state: 'output-available', input: { query: 'argot' }, output: '3 pages' } },
          { type: 'step-start' },
          { type: 'text', text: 'Three.', phase: 'final' },
        ],
      })
    })

    test('shows what has come so far, and stops when it is told to', async () => {
      const store = openStore(make.silentAfter(8))
      void store.send({ text: 'How many?' })
      await until(() => store.conversation.call('a1/c1') !== undefined)
      store.stop()
      expect(store.isRunning).toBe(false)
      expect(store.conversation.messages()[1]).toMatchObject({ status: 'cancelled' })
      expect(store.conversation.call('a1/c1')).toMatchObject({ state: 'output-error', settledBy: 'abort' })
    })

    test('a second message can be sent after the first', async () => {
      const store = openStore(make.silentAfter(2))
      void store.send({ text: 'one' })
      await until(() => store.conversation.ids.get().length === 2)
      store.update({ adapter: make.whole() })
      await store.send({ text: 'two' })
      expect(store.conversation.messages().at(-1)).toMatchObject({ status: 'sent' })
    })
  })
}
