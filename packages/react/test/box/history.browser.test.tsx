import { ChatBox, ChatStore } from '@argot/react'
import type { ChatAdapter, ChatMessage } from '@argot/react/types'
import { expect, test } from 'vitest'
import { put, toldLate } from './mount.tsx'

const frame = () => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))

/** A conversation of so many messages, given in pages of 20 from its end; older ones once `older` resolves. */
function pagedAdapter(
  count: number,
  older: Promise<void> = Promise.resolve(),
): ChatAdapter & { asked: (string | undefined)[] } {
  const all = Array.from(
    { length: count },
    (_, index): ChatMessage => ({
      id: `m${index}`,
      role: index % 2 === 0 ? 'user' : 'assistant',
      status: 'sent',
      parts: [
        { type: 'text', id: 't', text: `Message ${index}. ${'It has a length. '.repeat(index % 7)}`, state: 'done' },
      ],
    }),
  )
  const asked: (string | undefined)[] = []
  return {
    asked,
    sendMessage: () => new ReadableStream(),
    listMessages: async ({ cursor }) => {
      asked.push(cursor)
      if (cursor !== undefined) await older
      const end = cursor === undefined ? count : Number(cursor)
      const from = Math.max(0, end - 20)
      return { messages: all.slice(from, end), hasMore: from > 0, ...(from > 0 ? { cursor: String(from) } : {}) }
    },
  }
}

const top = (host: HTMLElement, id: string): number | undefined => {
  const row = host.querySelector(`[data-argot-message="${id}"]`)
  const log = host.querySelector('.argot-log')!
  return row === null ? undefined : row.getBoundingClientRect().top - log.getBoundingClientRect().top
}

/** Rows get their real height, and Markdown, over some frames: waits until nothing has moved for ten. */
async function still(log: HTMLElement): Promise<void> {
  const tops = (): string =>
    [...log.querySelectorAll('[data-argot-message]')].map(row => row.getBoundingClientRect().top).join()
  for (let same = 0, before = tops(); same < 10; ) {
    await frame()
    const now = tops()
    same = now === before ? same + 1 : 0
    before = now
  }
}

test('older messages come above those that are there, and nothing moves', async () => {
  let giveOlder = (): void => {}
  const adapter = pagedAdapter(
    70,
    new Promise(resolve => {
      giveOlder = resolve
    }),
  )
  const store = new ChatStore({ adapter, conversationId: 'paged' })
  const { host } = put(<ChatBox adapter={adapter} store={store} />)
  await expect.poll(() => host.textContent).toContain('Message 69')
  for (let turn = 0; turn < 10; turn++) await frame()
  expect(adapter.asked).toEqual([undefined])
  const log = host.querySelector<HTMLElement>('.argot-log')!
  log.dispatchEvent(new WheelEvent('wheel', { deltaY: -1, bubbles: true }))
  log.scrollTop = 100
  await expect.poll(() => adapter.asked).toHaveLength(2)
  await still(log)
  const shown = [...host.querySelectorAll<HTMLElement>('[data-argot-message]')]
    .map(row => row.dataset.argotMessage!)
    .find(id => top(host, id)! > 0)!
  const before = top(host, shown)!
  giveOlder()
  await expect.poll(() => store.conversation.ids.get().length).toBeGreaterThanOrEqual(40)
  await still(log)
  expect(Math.abs(top(host, shown)! - before)).toBeLessThan(2)
  const goUp = () => {
    log.scrollTop = 0
    return store.conversation.ids.get()[0]
  }
  await expect.poll(goUp).toBe('m0')
  expect(store.conversation.ids.get()).toEqual(Array.from({ length: 70 }, (_, index) => `m${index}`))
  await expect.poll(() => host.querySelector('.argot-older')).toBeNull()
})

test('a busy page that is told late what is in view still asks for every older page', async () => {
  toldLate()
  const adapter = pagedAdapter(100)
  const store = new ChatStore({ adapter, conversationId: 'busy' })
  const { host } = put(<ChatBox adapter={adapter} store={store} />)
  await expect.poll(() => host.textContent).toContain('Message 99')
  const log = host.querySelector<HTMLElement>('.argot-log')!
  log.dispatchEvent(new WheelEvent('wheel', { deltaY: -1, bubbles: true }))
  const goUp = () => {
    log.scrollTop = 0
    return store.conversation.ids.get()[0]
  }
  await expect.poll(goUp).toBe('m0')
  expect(adapter.asked).toHaveLength(5)
})

test('a server that gives the same place again is not asked for ever', async () => {
  let asked = 0
  const adapter: ChatAdapter = {
    sendMessage: () => new ReadableStream(),
    listMessages: async () => {
      asked++
      return { messages: [], hasMore: true, cursor: 'same' }
    },
  }
  const store = new ChatStore({ adapter, conversationId: 'stuck' })
  put(<ChatBox adapter={adapter} store={store} />)
  await expect.poll(() => asked).toBe(2)
  for (let turn = 0; turn < 10; turn++) await frame()
  expect(asked).toBe(2)
})

test.each([60, 400])('a reload returns to the same message and offset (%i messages)', async count => {
  const kept = new Map<string, string>()
  const queueStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
  const { messages } = await pagedAdapter(count).listMessages!({ conversationId: 'x', cursor: '20' })
  const many = Array.from({ length: count / 20 }, (_, page) =>
    messages.map(message => ({ ...message, id: `p${page}-${message.id}` })),
  ).flat()
  const adapter: ChatAdapter = { sendMessage: () => new ReadableStream() }
  const open = () => {
    const store = new ChatStore({ adapter, conversationId: 'kept', queueStorage, initialMessages: many })
    return put(<ChatBox adapter={adapter} store={store} />)
  }
  const first = open()
  await expect.poll(() => first.host.querySelectorAll('article').length).toBeGreaterThan(3)
  for (let turn = 0; turn < 10; turn++) await frame()
  expect(kept.size).toBe(0)
  const log = first.host.querySelector<HTMLElement>('.argot-log')!
  log.dispatchEvent(new WheelEvent('wheel', { deltaY: -1, bubbles: true }))
  log.scrollTop = Math.round(log.scrollHeight / 2)
  await expect.poll(() => kept.size).toBe(1)
  const place = (): { messageId: string; top: number } => JSON.parse([...kept.values()][0]!)
  await still(log)
  // What is kept is written a while after the log has come to rest.
  await expect.poll(() => Math.abs((top(first.host, place().messageId) ?? 9999) - place().top)).toBeLessThan(1)
  const { messageId, top: at } = place()
  first.root.unmount()
  const second = open()
  await expect.poll(() => Math.abs((top(second.host, messageId) ?? 9999) - at)).toBeLessThan(3)
  await still(second.host.querySelector<HTMLElement>('.argot-log')!)
  expect(Math.abs(top(second.host, messageId)! - at)).toBeLessThan(3)
})
