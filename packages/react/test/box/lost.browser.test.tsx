import { ChatBox, ChatStore } from '@argot/react'
import type { ChatAdapter, ChatMessage } from '@argot/react/types'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { call, type Mounted, mountBox, put, text } from './mount.tsx'

const message: ChatMessage = {
  id: 'm',
  role: 'user',
  status: 'sent',
  parts: [{ type: 'text', id: 't', text: 'Old question', state: 'done' }],
}

test('while a conversation loads there are grey lines, and the composer is there at once and keeps what is typed', async () => {
  let give: (messages: ChatMessage[]) => void = () => {}
  const adapter: ChatAdapter = {
    sendMessage: () => new ReadableStream(),
    listMessages: () =>
      new Promise(resolve => {
        give = messages => resolve({ messages, hasMore: false })
      }),
  }
  const { host } = put(<ChatBox adapter={adapter} store={new ChatStore({ adapter, conversationId: 'loading' })} />)
  await expect.poll(() => host.querySelector('.argot-loading')).not.toBeNull()
  const lines = host.querySelector('.argot-loading')!
  expect(lines.getAttribute('role')).toBe('status')
  expect(lines.getAttribute('aria-label')).toBe('Loading the conversation')
  expect(lines.querySelectorAll('span')).toHaveLength(3)
  // Nothing is drawn for the first 150 ms.
  expect(getComputedStyle(lines).animationDelay).toBe('0.15s')
  expect(host.textContent).not.toContain('No messages yet')
  host.querySelector('textarea')!.focus()
  await userEvent.keyboard('half')
  give([message])
  await expect.poll(() => host.textContent).toContain('Old question')
  expect(host.querySelector('.argot-loading')).toBeNull()
  expect(host.querySelector('textarea')!.value).toBe('half')
})

/** A run that is on, whose connection breaks and does not come back. */
async function broken(): Promise<Mounted & { tries: () => number }> {
  const mounted = await mountBox()
  const { adapter, store, find } = mounted
  let tries = 0
  adapter.reconnectToStream = async () => {
    tries++
    throw new Error('nobody there')
  }
  store.submit({ text: 'Run the tests' })
  adapter.say(
    { type: 'start', messageId: 'a' },
    ...text('t', 'I run them.'),
    ...call('c', 'run', { command: 'npm test' }),
  )
  await find('[data-argot-call="a/c"]')
  adapter.fail(new Error('gone'))
  await find('.argot-bar')
  return { ...mounted, tries: () => tries }
}

const row = (host: HTMLElement): string | null | undefined =>
  host.querySelector('[data-argot-call="a/c"] .argot-row')?.getAttribute('aria-label')

test('a lost connection is said in a bar, the run counts as going on, and it can be tried at once', async () => {
  const { host, tries } = await broken()
  const bar = host.querySelector<HTMLElement>('.argot-bar')!
  expect(bar.textContent).toContain('Connection lost. Still running. Trying again in')
  expect(row(host)).toContain('Running npm test')
  const button = [...bar.querySelectorAll('button')].find(one => one.textContent === 'Try now')!
  await userEvent.click(button)
  await expect.poll(tries).toBeGreaterThanOrEqual(1)
})

test('after four tries the server is not answering: the bar says since when, and so do the row and the run line', async () => {
  const { host, store, field, tries } = await broken()
  field().focus()
  await userEvent.keyboard('and then')
  // Each is tried by itself after some seconds: this only makes it sooner.
  for (let count = 1; count <= 4; count++) {
    if (tries() < count) store.retryNow()
    await expect.poll(() => store.lost.get()?.tries ?? 0).toBeGreaterThanOrEqual(count)
  }
  await expect
    .poll(() => host.querySelector('.argot-bar')!.textContent)
    .toMatch(/^The server is not answering\. You see everything up to \d\d:\d\d:\d\d\./)
  expect(host.querySelector('.argot-bar .argot-fail')).not.toBeNull()
  await expect.poll(() => row(host)).toMatch(/^Was running npm test, no news since \d\d:\d\d:\d\d/)
  expect(host.querySelector('.argot-run-words')!.textContent).toContain('no news since')
  expect(host.querySelector('.argot-segment[data-tone="live"]')).toBeNull()
  expect(field().value).toBe('and then')
})

test('what cannot be copied says so', async () => {
  const { host } = await mountBox({ initialMessages: [message] })
  const { clipboard } = navigator
  const write = clipboard.writeText
  const { execCommand } = document
  clipboard.writeText = () => Promise.reject(new Error('not allowed'))
  document.execCommand = () => false
  try {
    const button = [...host.querySelectorAll('button')].find(one => one.textContent === 'Copy conversation')!
    await userEvent.click(button)
    await expect.poll(() => button.textContent).toBe('Not copied')
    expect(button.getAttribute('aria-label')).toBe('Not copied')
  } finally {
    clipboard.writeText = write
    document.execCommand = execCommand
  }
})
