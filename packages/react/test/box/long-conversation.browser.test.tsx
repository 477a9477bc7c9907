import { expect, test } from 'vitest'
import { mountBox, text } from './mount.tsx'

const initialMessages = Array.from({ length: 400 }, (_, index) => ({
  id: `m${index}`,
  role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
  parts: [{ type: 'text' as const, id: 't', text: `message ${index}` }],
}))

test('what comes to a long conversation is no part of its virtual list, and makes no row again', async () => {
  const { host, store, adapter, find } = await mountBox({ initialMessages } as Parameters<typeof mountBox>[0])
  const last = await find('[data-argot-message="m399"]')
  expect(host.querySelectorAll('[data-argot-message]').length).toBeLessThan(60)
  store.submit({ text: 'one more' })
  adapter.say({ type: 'start', messageId: 'a' }, ...text('t', 'An answer.'))
  const row = await find('[data-argot-message="a"]')
  expect(row.parentElement?.parentElement?.className).toBe('argot-messages')
  expect(last.closest('.argot-row-place')?.parentElement?.className).not.toBe('argot-messages')
  expect(host.querySelector('[data-argot-message="m399"]')).toBe(last)
})
