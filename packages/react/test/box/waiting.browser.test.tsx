import type { Chunk } from '@argot/core'
import { ChatBox, ChatStore } from '@argot/react'
import { expect, test } from 'vitest'
import { ScriptedAdapter } from '../store/scripted-adapter.ts'
import { asks, call, mountBox, put } from './mount.tsx'

const inside = (toolCallId: string, ...chunks: Chunk[]): Chunk[] =>
  chunks.map(chunk => ({ type: 'data-argot-sub', data: { toolCallId, chunk } }))

const waiting: [string, Chunk[], string][] = [
  ['an approval', asks('c', 'run', { command: 'ls' }), 'Run ls?'],
  ['a question of the model', call('c', 'ask_user', { question: 'Which?' }), 'Which?'],
  [
    'an approval inside an agent',
    [...call('c', 'reviewer', { task: 'look' }), ...inside('c', ...asks('d', 'run', { command: 'ls' }))],
    'Run ls?',
  ],
]

test.each(waiting)(
  'a closed line over all calls shows %s that waits, and never says that it was used',
  async (...row) => {
    const [, chunks, title] = row
    const { host, adapter, store, find } = await mountBox({ toolDisplay: 'widget' })
    adapter.addToolOutput = async () => {}
    store.submit({ text: 'one' })
    adapter.say({ type: 'start', messageId: 'a' }, ...call('r', 'read_file', { path: 'x' }, 'y'), ...chunks)
    expect((await find('.argot-approval .argot-title')).textContent).toBe(title)
    const line = host.querySelector('.argot-widget-line')!
    expect(line.getAttribute('aria-expanded')).toBe('false')
    expect(line.textContent).toContain('needs you')
    expect(line.textContent).not.toContain('Used')
  },
)

test.each(waiting)('the line of a turn leaves %s that waits to its card, and cannot fold it', async (_, chunks) => {
  const { host, adapter, store, find } = await mountBox()
  adapter.addToolOutput = async () => {}
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, ...chunks)
  await find('.argot-approval')
  const line = host.querySelector<HTMLElement>('.argot-run')!
  expect(line.querySelector('.argot-run-words')!.textContent).not.toContain('need')
  line.click()
  store.folds.set('a', true, false)
  await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  expect(host.querySelector('.argot-approval')).not.toBeNull()
})

test('an end without a reason leaves what waits for the person', async () => {
  const { host, adapter, store, find } = await mountBox({ toolDisplay: 'widget' })
  adapter.addToolOutput = async () => {}
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, ...asks('c', 'run', { command: 'ls' }), { type: 'finish' })
  adapter.close()
  await find('.argot-approval')
  await expect.poll(() => store.isRunning).toBe(false)
  expect(store.conversation.call('a/c')?.state).toBe('approval-requested')
  expect(host.querySelector('.argot-widget-line')!.textContent).toContain('needs you')
})

test('calls that others join keep their element and focus, and reads that are seen to happen keep their rows', async () => {
  const { host, adapter, store, find } = await mountBox()
  adapter.addToolOutput = async () => {}
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, ...call('c1', 'run', { command: 'x' }))
  const row = await find('[data-argot-call="a/c1"] .argot-row')
  row.focus()
  adapter.say(...call('c2', 'run', { command: 'y' }))
  await find('.argot-group [data-argot-call="a/c2"]')
  expect(document.activeElement).toBe(row)
  adapter.say(
    ...['c1', 'c2'].map(toolCallId => ({ type: 'tool-output-available' as const, toolCallId, output: 'ok' })),
    ...Array.from({ length: 7 }, (_, at) => call(`r${at}`, 'read_file', { path: `${at}.ts` }, 'x')).flat(),
    { type: 'finish' },
  )
  adapter.close()
  await expect.poll(() => host.querySelectorAll('.argot-row').length).toBe(9)
  expect(document.activeElement).toBe(row)
})

test('a call that was approved runs as soon as nobody is asked any more, also where it prints nothing', async () => {
  const { adapter, store, find } = await mountBox()
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, ...asks('c', 'run', { command: 'ls' }), ...asks('d', 'delete', {}))
  await find('[data-argot-call="a/d"] .argot-approval')
  await store.answer('a/c', { approved: true })
  const row = await find('[data-argot-call="a/c"] .argot-row')
  await expect.poll(() => row.getAttribute('aria-label')).toBe('Will run ls, approved by you')
  await store.answer('a/d', { approved: false })
  await expect.poll(() => row.getAttribute('aria-label')).toBe('Running ls')
  expect(row.querySelector('.argot-glyph')!.getAttribute('data-tone')).toBe('live')
})

test('the clock of a call that was approved leaves out the time that the person thought', async () => {
  let later = 0
  const adapter = new ScriptedAdapter()
  const store = new ChatStore({ adapter, now: () => Date.now() + later })
  const { host } = put(<ChatBox adapter={adapter} store={store} />)
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, ...asks('c', 'run', { command: 'ls' }))
  await expect.poll(() => host.querySelector('.argot-approval')).not.toBeNull()
  later = 90_000
  adapter.say({ type: 'tool-approval-response', approvalId: 'c', toolCallId: 'c', approved: true })
  await expect.poll(() => store.conversation.call('a/c')?.state).toBe('approval-responded')
  later = 97_000
  const row = (): string | null | undefined =>
    host.querySelector('[data-argot-call="a/c"] .argot-row')?.getAttribute('aria-label')
  await expect.poll(row).toMatch(/^Running ls, (?:[789]|1\d)(?:\.\d)? s$/)
})

test('one question of an agent inside an agent is counted once, everywhere', async () => {
  const { host, adapter, store, find } = await mountBox()
  store.submit({ text: 'one' })
  const inner = [...call('d', 'reviewer', { task: 'deeper' }), ...inside('d', ...asks('e', 'run', { command: 'ls' }))]
  adapter.say({ type: 'start', messageId: 'a' }, ...call('c', 'reviewer', { task: 'look' }), ...inside('c', ...inner))
  await find('.argot-approval')
  expect(store.conversation.pending.get()).toHaveLength(1)
  expect(host.querySelectorAll('.argot-approval')).toHaveLength(1)
  expect(host.querySelector('.argot-run')!.textContent).not.toContain('need')
})

test('once there is something to send, the button says that sending denies, at the width of a phone too', async () => {
  const { host, adapter, store, find } = await mountBox()
  host.style.inlineSize = '320px'
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, ...asks('c', 'run', { command: 'ls' }))
  await find('.argot-approval')
  const button = (): HTMLElement => host.querySelector<HTMLElement>('.argot-composer .argot-round')!
  expect(button().innerText.trim()).toBe('')
  store.draft.set('Not now')
  await expect.poll(() => button().innerText.trim()).toBe('Deny with message')
  const { left, right } = button().getBoundingClientRect()
  const box = host.getBoundingClientRect()
  expect(left).toBeGreaterThanOrEqual(box.left)
  expect(right).toBeLessThanOrEqual(box.right)
})
