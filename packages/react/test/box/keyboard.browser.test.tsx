import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { settled } from '../parts/mount.tsx'
import { asks, call, type Mounted, mountBox, text } from './mount.tsx'

async function conversation(): Promise<Mounted> {
  const mounted = await mountBox()
  const { adapter, store, find } = mounted
  for (const [index, sent] of ['one', 'two'].entries()) {
    void store.send({ text: sent })
    adapter.say(
      { type: 'start', messageId: `a${index}` },
      ...call(`c${index}`, 'read_file', { path: `${sent}.ts` }, 'x'),
      ...text('t', 'Done.'),
      { type: 'finish' },
    )
    adapter.close()
    await find(`[data-argot-call="a${index}/c${index}"]`)
    await expect.poll(() => store.isRunning).toBe(false)
  }
  return mounted
}

const focusedMessage = (): string | undefined => (document.activeElement as HTMLElement | null)?.dataset.argotMessage
const focusedCall = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>('[data-argot-call]')?.dataset.argotCall

test('the log is one stop: arrows, Home and End go through it, Enter goes in and Escape out', async () => {
  const { field, log, store } = await conversation()
  const ids = store.conversation.ids.get()
  field().focus()
  await userEvent.keyboard('{Shift>}{Tab}{/Shift}')
  await expect.poll(focusedMessage).toBe(ids[3])
  await userEvent.keyboard('{ArrowUp}')
  await expect.poll(focusedMessage).toBe(ids[2])
  await userEvent.keyboard('{Home}')
  await expect.poll(focusedMessage).toBe(ids[0])
  await userEvent.keyboard('{ArrowDown}')
  await expect.poll(focusedMessage).toBe(ids[1])
  await userEvent.keyboard('{Enter}')
  expect(document.activeElement?.closest<HTMLElement>('[data-argot-message]')?.dataset.argotMessage).toBe(ids[1])
  expect(focusedMessage()).toBeUndefined()
  await userEvent.keyboard('{Escape}')
  expect(focusedMessage()).toBe(ids[1])
  await userEvent.keyboard('{End}')
  await expect.poll(focusedMessage).toBe(ids[3])
  await userEvent.keyboard('{Tab}')
  expect(log().contains(document.activeElement)).toBe(false)
  expect(document.activeElement).toBe(field())
})

test('from the first control below the log the way back is the log, and not a control in it', async () => {
  const { host, field, log, store, find } = await conversation()
  const before = document.createElement('button')
  const hidden = document.createElement('button')
  hidden.style.display = 'none'
  host.prepend(before, hidden)
  field().focus()
  await userEvent.keyboard('{Control>}f{/Control}')
  const search = await find('.argot-find input')
  await expect.poll(() => document.activeElement).toBe(search)
  await userEvent.keyboard('{Shift>}{Tab}{/Shift}')
  await expect.poll(focusedMessage).toBe(store.conversation.ids.get()[3])
  await userEvent.keyboard('{Shift>}{Tab}{/Shift}')
  expect(document.activeElement).toBe(before)
  await userEvent.keyboard('{Tab}')
  expect(document.activeElement).toBe(log())
  await userEvent.keyboard('{Tab}')
  expect(document.activeElement).toBe(search)
})

test('the composer is a landmark of its own', async () => {
  const { field } = await mountBox()
  const form = field().closest('form')!
  expect(form.getAttribute('aria-label')).toBe('Message')
  expect(form.contains(form.querySelector('button[type=submit]'))).toBe(true)
})

test('Alt with arrows goes from call to call, and with Shift from message to message of the person', async () => {
  const { field, store } = await conversation()
  const [first, , second] = store.conversation.ids.get()
  field().focus()
  await userEvent.keyboard('{Alt>}{ArrowUp}{/Alt}')
  await expect.poll(focusedCall).toBe('a1/c1')
  await userEvent.keyboard('{Alt>}{ArrowUp}{/Alt}')
  await expect.poll(focusedCall).toBe('a0/c0')
  await userEvent.keyboard('{Alt>}{ArrowDown}{/Alt}')
  await expect.poll(focusedCall).toBe('a1/c1')
  await userEvent.keyboard('{Alt>}{Shift>}{ArrowUp}{/Shift}{/Alt}')
  await expect.poll(focusedMessage).toBe(second)
  await userEvent.keyboard('{Alt>}{Shift>}{ArrowUp}{/Shift}{/Alt}')
  await expect.poll(focusedMessage).toBe(first)
})

test('on a row Enter and Space open and close, and so do the arrows to the side', async () => {
  const { host } = await conversation()
  const row = host.querySelector<HTMLElement>('[data-argot-call="a0/c0"] .argot-row')!
  row.focus()
  const isOpen = (): string | null =>
    host.querySelector('[data-argot-call="a0/c0"] .argot-row')!.getAttribute('aria-expanded')
  const before = isOpen()
  for (const key of ['{Enter}', ' ']) {
    await userEvent.keyboard(key)
    await expect.poll(isOpen).toBe(key === ' ' ? before : before === 'true' ? 'false' : 'true')
  }
  await userEvent.keyboard('{ArrowLeft}')
  await expect.poll(isOpen).toBe('false')
  await userEvent.keyboard('{ArrowRight}')
  await expect.poll(isOpen).toBe('true')
})

test('Ctrl Shift Enter goes to the oldest question and decides nothing; Ctrl Enter there approves, after a moment', async () => {
  const { field, adapter, store, find } = await mountBox()
  void store.send({ text: 'one' })
  adapter.say(
    { type: 'start', messageId: 'a' },
    ...asks('c1', 'delete_files', { paths: ['x'] }),
    ...asks('c2', 'run_command', { command: 'ls' }),
  )
  await find('[data-argot-call="a/c2"] .argot-approval')
  field().focus()
  await userEvent.keyboard('{Control>}{Shift>}{Enter}{/Shift}{/Control}')
  await expect.poll(focusedCall).toBe('a/c1')
  expect(adapter.answers).toEqual([])
  await settled()
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  expect(adapter.answers).toMatchObject([{ id: 'c1', approved: true }])
  await expect.poll(focusedCall).toBe('a/c1')
  expect(document.activeElement?.hasAttribute('data-argot-summary')).toBe(true)
})

test('Ctrl F finds in the conversation; pressed again it is left to the browser', async () => {
  const { field, find } = await conversation()
  field().focus()
  const press = (target: Element): boolean =>
    target.dispatchEvent(new KeyboardEvent('keydown', { key: 'f', ctrlKey: true, bubbles: true, cancelable: true }))
  expect(press(field())).toBe(false)
  const input = await find('.argot-find input')
  await expect.poll(() => document.activeElement).toBe(input)
  expect(press(input)).toBe(true)
})

test('the composer says what its key does while a run is on, and while calls ask', async () => {
  const { host, adapter, store, field, find } = await mountBox()
  const hint = (): string => host.querySelector('.argot-hint')!.textContent!
  expect(hint()).toBe('')
  expect(field().getAttribute('aria-describedby')).toBe(host.querySelector('.argot-hint')!.id)
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' })
  await expect.poll(hint).toBe('Enter queues')
  adapter.say(...asks('c1', 'delete_files', { paths: ['x'] }), ...asks('c2', 'run', { command: 'ls' }))
  await find('[data-argot-call="a/c2"]')
  await expect.poll(hint).toBe('Enter denies all 2 with this text')
  expect(field().placeholder).toBe('Say what to do instead')
})

test('no single letter does anything outside of a field', async () => {
  const { host, log, store } = await conversation()
  const before = store.conversation.messages()
  for (const target of [log(), host.querySelector<HTMLElement>('.argot-row')!]) {
    target.focus()
    for (const key of 'abcdefghijklmnopqrstuvwxyz?/') {
      const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
      expect(target.dispatchEvent(event)).toBe(true)
    }
    expect(document.activeElement).toBe(target)
  }
  expect(store.conversation.messages()).toEqual(before)
  expect(host.querySelector('.argot-find')).toBeNull()
})
