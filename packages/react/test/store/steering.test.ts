import { getMessageText, type Message } from '@argot/core'
import { ChatStore } from '@argot/react'
import { expect, test } from 'vitest'
import { ScriptedAdapter, settle } from './scripted-adapter.ts'

/** A store whose run is on, and what was sent to that run. */
async function running(): Promise<{ adapter: ScriptedAdapter; store: ChatStore; sent: Message[] }> {
  const adapter = new ScriptedAdapter()
  const sent: Message[] = []
  adapter.steer = async ({ message }) => sent.push(message)
  const store = new ChatStore({ adapter, streamFlushInterval: 1 })
  store.submit({ text: 'Look.' })
  await settle()
  adapter.say({ type: 'start', messageId: 'a' }, { type: 'start-step' }, { type: 'text-start', id: 't' })
  adapter.say({ type: 'text-delta', id: 't', delta: 'I look.' }, { type: 'text-end', id: 't' }, { type: 'finish-step' })
  await settle()
  return { adapter, store, sent }
}

const shown = (store: ChatStore): string[] =>
  store.conversation.messages().map(one => `${one.role} ${one.status}: ${getMessageText(one)}`)

function joins(text: string) {
  const parts = [{ type: 'text', id: '0', text, state: 'done' }] as const
  return { type: 'user-message', messageId: `user-${text}`, parts } as const
}

test('a message that steers is shown as waiting until the run takes it, then at its place', async () => {
  const { adapter, store, sent } = await running()
  store.submit({ text: 'Be short.' }, 'steer')
  store.submit({ text: 'And kind.' }, 'steer')
  await settle()
  expect(sent.map(getMessageText)).toEqual(['Be short.', 'And kind.'])
  expect(store.steering.get().map(({ text }) => text)).toEqual(['Be short.', 'And kind.'])
  expect(store.queue.get()).toEqual([])
  adapter.say(joins('Be short.'), joins('And kind.'), { type: 'start', messageId: 'b' })
  adapter.say({ type: 'text-start', id: 't2' }, { type: 'text-delta', id: 't2', delta: 'Short.' })
  await settle()
  expect(store.steering.get()).toEqual([])
  expect(shown(store)).toEqual([
    'user sent: Look.',
    'assistant sent: I look.',
    'user sent: Be short.',
    'user sent: And kind.',
    'assistant streaming: ',
  ])
  adapter.say({ type: 'text-end', id: 't2' }, { type: 'finish', messageId: 'b', finishReason: 'stop' })
  adapter.close()
  await settle()
  expect(store.status.get()).toBe('ready')
  expect(shown(store).at(-1)).toBe('assistant sent: Short.')
})

test('a message that cannot be sent to the run waits in the queue', async () => {
  const { adapter, store } = await running()
  adapter.steer = () => Promise.reject(new Error('Away.'))
  store.submit({ text: 'Be short.' }, 'steer')
  await settle()
  expect(store.queue.get()).toMatchObject([{ text: 'Be short.' }])
  expect(store.steering.get()).toEqual([])
  expect(store.error.get()?.message).toBe('Away.')
})

test('a run that ends before it takes a message leaves it to another one, which is joined', async () => {
  const { adapter, store } = await running()
  let looks = 0
  adapter.reconnectToStream = async () => {
    looks++
    return null
  }
  store.submit({ text: 'Be short.' }, 'steer')
  store.submit({ text: 'Later.' })
  await settle()
  adapter.say({ type: 'finish', messageId: 'a', finishReason: 'stop' })
  adapter.close()
  await settle()
  expect(looks).toBeGreaterThan(0)
  expect(store.steering.get()).toEqual([])
  expect(adapter.sent).toEqual(['Look.', 'Later.'])
})

test('without an adapter that steers, the message is queued', async () => {
  const { adapter, store } = await running()
  delete adapter.steer
  expect(store.canSteer).toBe(false)
  store.submit({ text: 'Be short.' }, 'steer')
  expect(store.queue.get()).toMatchObject([{ text: 'Be short.' }])
})
