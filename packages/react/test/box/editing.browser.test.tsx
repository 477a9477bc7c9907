import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { type Mounted, mountBox, text } from './mount.tsx'

const history = [
  { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'First question' }] },
  { id: 'a1', role: 'assistant', parts: [{ type: 'text', text: 'First answer' }] },
  { id: 'u2', role: 'user', parts: [{ type: 'text', text: 'Second question' }] },
  { id: 'a2', role: 'assistant', parts: [{ type: 'text', text: 'Second answer' }] },
]

const rows = ({ host }: Mounted): string[] =>
  [...host.querySelectorAll<HTMLElement>('[data-argot-message]')].map(one => one.dataset.argotMessage!)

async function edit({ host, find }: Mounted, messageId: string): Promise<HTMLElement> {
  await find(`[data-argot-message="${messageId}"] .argot-sent button`)
  host.querySelector<HTMLElement>(`[data-argot-message="${messageId}"] .argot-sent button`)!.click()
  return find('.argot-editing')
}

test('Edit removes nothing: it says what sending does, and the composer has the text and the focus', async () => {
  const mounted = await mountBox({ initialMessages: history })
  const bar = await edit(mounted, 'u1')
  expect(bar.textContent).toContain('Sending it replaces the message and everything after it.')
  expect(mounted.field().value).toBe('First question')
  await expect.poll(() => document.activeElement).toBe(mounted.field())
  expect(rows(mounted)).toEqual(['u1', 'a1', 'u2', 'a2'])
  mounted.field().blur()
  await edit(mounted, 'u1')
  await expect.poll(() => document.activeElement).toBe(mounted.field())
})

test.each(['Escape', 'Cancel', 'Escape on Cancel'])(
  '%s brings everything back, what was typed before too',
  async way => {
    const mounted = await mountBox({ initialMessages: history })
    const { field, store, host } = mounted
    field().focus()
    await userEvent.keyboard('half a thought')
    const bar = await edit(mounted, 'u1')
    await expect.poll(() => field().value).toBe('First question')
    await userEvent.keyboard(' changed')
    if (way === 'Escape') await userEvent.keyboard('{Escape}')
    else {
      const cancel = bar.querySelector('button')!
      if (way === 'Cancel') await userEvent.click(cancel)
      else {
        cancel.focus()
        await userEvent.keyboard('{Escape}')
      }
    }
    await expect.poll(() => host.querySelector('.argot-editing')).toBeNull()
    expect(field().value).toBe('half a thought')
    await expect.poll(() => document.activeElement).toBe(field())
    expect(rows(mounted)).toEqual(['u1', 'a1', 'u2', 'a2'])
    expect(store.conversation.messages()[0]).toMatchObject({ parts: [{ text: 'First question' }] })
  },
)

test('an edit that is sent replaces the message and all after it, and what was typed before is there again', async () => {
  const mounted = await mountBox({ initialMessages: history })
  const { field, adapter, host } = mounted
  field().focus()
  await userEvent.keyboard('half a thought')
  await edit(mounted, 'u2')
  await expect.poll(() => document.activeElement).toBe(field())
  await userEvent.keyboard('!{Enter}')
  await expect.poll(() => adapter.sent).toEqual(['Second question!'])
  await expect.poll(() => host.querySelector('.argot-editing')).toBeNull()
  expect(rows(mounted).slice(0, 2)).toEqual(['u1', 'a1'])
  expect(rows(mounted)).toHaveLength(3)
  expect(host.textContent).not.toContain('Second answer')
  expect(field().value).toBe('half a thought')
})

test('a run goes on while a message is edited, and ends when the edit is sent', async () => {
  const mounted = await mountBox({ initialMessages: history.slice(0, 2) })
  const { adapter, store, host } = mounted
  store.submit({ text: 'Go' })
  adapter.say({ type: 'start', messageId: 'a' }, { type: 'text-start', id: 't' })
  await edit(mounted, 'u1')
  expect(store.isRunning).toBe(true)
  adapter.say({ type: 'text-delta', id: 't', delta: 'still here' })
  await expect.poll(() => host.textContent).toContain('still here')
  await userEvent.keyboard('{Escape}')
  await expect.poll(() => host.querySelector('.argot-editing')).toBeNull()
  expect(store.isRunning).toBe(true)
  await edit(mounted, 'u1')
  await expect.poll(() => document.activeElement).toBe(mounted.field())
  await userEvent.keyboard('?{Enter}')
  await expect.poll(() => adapter.sent).toEqual(['Go', 'First question?'])
  await expect.poll(() => host.textContent).not.toContain('still here')
  adapter.say({ type: 'start', messageId: 'b' }, ...text('t', 'New answer'), { type: 'finish' })
  adapter.close()
  await expect.poll(() => host.textContent).toContain('New answer')
  expect(rows(mounted)).toHaveLength(2)
})
