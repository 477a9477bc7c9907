import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { mountBox } from './mount.tsx'

test('while a run is on, Enter queues, Alt Enter and the button steer, and what waits is shown', async () => {
  const { host, adapter, store, field, find } = await mountBox()
  const sent: string[] = []
  adapter.steer = async ({ message }) =>
    sent.push(message.parts.map(part => (part.type === 'text' ? part.text : '')).join(''))
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, { type: 'start-step' }, { type: 'text-start', id: 't' })
  adapter.say({ type: 'text-delta', id: 't', delta: 'Hello.' }, { type: 'text-end', id: 't' }, { type: 'finish-step' })
  await expect.poll(() => host.querySelector('.argot-hint')!.textContent).toBe('Enter queues · Alt Enter steers')
  field().focus()
  await userEvent.keyboard('later{Enter}')
  await userEvent.keyboard('Be short.{Alt>}{Enter}{/Alt}')
  await expect.poll(() => sent).toEqual(['Be short.'])
  await userEvent.keyboard('And kind.')
  const button = [...host.querySelectorAll('button')].find(one => one.textContent === 'Steer')!
  button.click()
  await expect.poll(() => sent).toEqual(['Be short.', 'And kind.'])
  const list = await find('[aria-label="Joins at the next step"]')
  expect([...list.querySelectorAll('li > span:first-child')].map(one => one.textContent)).toEqual([
    'Be short.',
    'And kind.',
  ])
  expect(host.querySelector('[aria-label="Sent when this run ends"]')!.textContent).toContain('later')
  const parts = [{ type: 'text', id: '0', text: 'Be short.', state: 'done' }] as const
  adapter.say({ type: 'user-message', messageId: 'u', parts }, { type: 'start', messageId: 'b' })
  await expect.poll(() => store.conversation.ids.get().slice(-2)).toEqual(['u', 'b'])
  await expect.poll(() => list.querySelectorAll('li').length).toBe(1)
  await expect.poll(() => host.querySelector('.argot-log')!.textContent).toContain('Be short.')
})
