import { expect, test } from 'vitest'
import { mountBox } from './mount.tsx'

test('reasoning begins closed; once one was opened, the next is open while it streams and stays so', async () => {
  const { adapter, store, find, host } = await mountBox({ now: () => 0 })
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, { type: 'reasoning-start', id: 'r1' })
  adapter.say({ type: 'reasoning-delta', id: 'r1', delta: 'First thought' })
  const line = await find('.argot-thought-line')
  expect(line.getAttribute('aria-expanded')).toBe('false')
  line.click()
  await find('.argot-thought-text')
  adapter.say({ type: 'reasoning-end', id: 'r1' }, { type: 'text-start', id: 't' })
  adapter.say({ type: 'text-delta', id: 't', delta: 'Said.' }, { type: 'text-end', id: 't' })
  adapter.say({ type: 'reasoning-start', id: 'r2' }, { type: 'reasoning-delta', id: 'r2', delta: 'Second thought' })
  await expect.poll(() => host.querySelectorAll('.argot-thought-text').length).toBe(2)
  adapter.say({ type: 'reasoning-end', id: 'r2' }, { type: 'finish' })
  adapter.close()
  await expect.poll(() => store.status.get()).toBe('ready')
  expect(host.querySelectorAll('.argot-thought-text').length).toBe(2)
  expect(host.querySelector('.argot-thought-line')!.textContent).toBe('Thought')
})
