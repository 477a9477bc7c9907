import { functionAdapter } from '@argot/react'
import { expect, test } from 'vitest'
import { openStore, run, testAdapter, until } from './adapter-suite.ts'

testAdapter('a generator of chunks', {
  whole: () =>
    functionAdapter(async function* () {
      yield* run
    }),
  silentAfter: count =>
    functionAdapter(async function* ({ signal }) {
      yield* run.slice(0, count)
      await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
    }),
})

test.each([
  ['a text', async () => 'Hello'],
  [
    'pieces of text',
    async function* () {
      yield 'Hel'
      yield 'lo'
    },
  ],
])('%s is the answer', async (_, answer) => {
  const store = openStore(functionAdapter(answer))
  await store.send({ text: 'Hi' })
  expect(store.conversation.messages()[1]).toMatchObject({ status: 'sent', parts: [{ text: 'Hello', phase: 'final' }] })
})

test('a function can wait for the person', async () => {
  const store = openStore(
    functionAdapter(async function* (_, { approval, output }) {
      yield { type: 'start', messageId: 'a1' }
      yield { type: 'tool-input-available', toolCallId: 'c1', toolName: 'delete', input: {} }
      yield { type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'p1' }
      const { approved, reason = '' } = await approval('p1')
      yield { type: 'tool-output-denied', toolCallId: 'c1', reason: `${approved} ${reason}` }
      yield { type: 'tool-input-available', toolCallId: 'c2', toolName: 'ask_user', input: { question: 'Which?' } }
      yield { type: 'text-start', id: 't' }
      yield { type: 'text-delta', id: 't', delta: JSON.stringify(await output('c2')) }
      yield { type: 'finish' }
    }),
  )
  void store.send({ text: 'Hi' })
  await until(() => store.conversation.pending.get().length === 1)
  store.submit({ text: 'not that one' })
  await until(() => store.conversation.pending.get()[0]?.kind === 'question')
  store.submit({ text: 'the other' })
  await until(() => !store.isRunning)
  const [denied, asked, text] = store.conversation.messages()[1]!.parts
  expect(denied).toMatchObject({ toolInvocation: { state: 'output-denied' } })
  expect(asked).toMatchObject({ toolInvocation: { state: 'output-available', output: 'the other' } })
  expect(text).toMatchObject({ text: '"the other"' })
})
