import type { Chunk } from '@argot/core'
import { ChatBox, ChatStore } from '@argot/react'
import type { UIMessage } from 'ai'
import { expect, test } from 'vitest'
import { ScriptedAdapter } from '../store/scripted-adapter.ts'
import { asks, call, type Mounted, mountBox, put, text } from './mount.tsx'

/** What the conversation shows of the assistant outside the widget. */
function outside(host: HTMLElement): string {
  const turns = [...host.querySelectorAll<HTMLElement>('.argot-turn')]
  return turns.map(turn => turn.innerText.trim()).join('|')
}

const line = (host: HTMLElement): string => host.querySelector<HTMLElement>('.argot-widget-line')?.innerText ?? ''

/** Every text that the conversation had outside the widget, in every frame. */
function watch(host: HTMLElement): Set<string> {
  const seen = new Set<string>()
  new MutationObserver(() => seen.add(outside(host))).observe(host, {
    childList: true,
    subtree: true,
    characterData: true,
  })
  return seen
}

const step = (...chunks: Chunk[]): Chunk[] => [{ type: 'start-step' }, ...chunks, { type: 'finish-step' }]

const runs: [string, Chunk[]][] = [
  [
    'with steps',
    [
      ...step(...text('t1', 'I search ', 'your notes.'), ...call('c1', 'search_notes', { query: 'x' }, ['a'])),
      ...step(...text('t2', 'Found one. ', 'I read it.'), ...call('c2', 'get_note', { id: 'a' }, 'note')),
      ...step(...text('t3', 'Here is ', 'what I found.')),
    ],
  ],
  [
    'without steps',
    [
      ...text('t1', 'I search ', 'your notes.'),
      ...call('c1', 'search_notes', { query: 'x' }, ['a']),
      ...text('t2', 'Found one. ', 'I read it.'),
      ...call('c2', 'get_note', { id: 'a' }, 'note'),
      ...text('t3', 'Here is ', 'what I found.'),
    ],
  ],
]

/** Says one chunk in each frame, so that whatever could flicker does. */
async function play({ adapter }: Mounted, chunks: readonly Chunk[]): Promise<void> {
  for (const chunk of chunks) {
    adapter.say(chunk)
    await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))
  }
}

test.each(runs)(
  'live, %s: only the answer is ever outside the widget, and each commentary is inside once',
  async (_, run) => {
    const mounted = await mountBox({ toolDisplay: 'widget' })
    const { host, adapter, store, find } = mounted
    const seen = watch(host)
    store.submit({ text: 'What do I have?' })
    await play(mounted, [{ type: 'start', messageId: 'a' }, ...run, { type: 'finish' }])
    adapter.close()
    await expect.poll(() => outside(host)).toBe('Here is what I found.')
    expect([...seen].filter(words => words !== '')).toEqual(['Here is what I found.'])
    await expect.poll(() => line(host)).toBe('Used 2 tools')
    ;(await find('.argot-widget-line')).click()
    await expect.poll(() => host.querySelectorAll('[data-argot-call]').length).toBe(2)
    await expect.poll(() => host.innerText).toContain('Found one. I read it.')
    for (const words of ['I search your notes.', 'Found one. I read it.', 'Here is what I found.']) {
      expect(host.innerText.split(words)).toHaveLength(2)
    }
  },
)

test('the line says what happens: thinking, the call, writing the answer', async () => {
  const mounted = await mountBox({ toolDisplay: 'widget' })
  const { host, adapter, store } = mounted
  store.submit({ text: 'What do I have?' })
  adapter.say({ type: 'start', messageId: 'a' }, { type: 'start-step' })
  await expect.poll(() => line(host)).toBe('Thinking…')
  adapter.say({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'I search.' })
  await expect.poll(() => store.conversation.messages().at(-1)!.parts.length).toBe(2)
  expect(line(host)).toBe('Thinking…')
  expect(outside(host)).toBe('')
  adapter.say({ type: 'text-end', id: 't' }, ...call('c1', 'search_notes', { query: 'x' }))
  await expect.poll(() => line(host)).toContain('Searching')
  adapter.say({ type: 'tool-output-available', toolCallId: 'c1', output: 1 }, { type: 'finish-step' })
  await expect.poll(() => line(host)).toBe('Writing the answer')
  adapter.say({ type: 'start-step' }, { type: 'text-start', id: 'u' }, { type: 'text-delta', id: 'u', delta: 'One' })
  await expect.poll(() => store.conversation.messages().at(-1)!.parts.length).toBe(5)
  expect(line(host)).toBe('Writing the answer')
  expect(outside(host)).toBe('')
  adapter.say({ type: 'text-end', id: 'u' }, { type: 'finish-step' })
  await expect.poll(() => outside(host)).toBe('One')
})

test('a text that says itself that it is the answer is not held', async () => {
  const { host, adapter, store } = await mountBox({ toolDisplay: 'widget' })
  store.submit({ text: 'Go' })
  adapter.say(
    { type: 'start', messageId: 'a' },
    { type: 'text-start', id: 't', providerMetadata: { openai: { phase: 'final_answer' } } },
    { type: 'text-delta', id: 't', delta: 'It is' },
  )
  await expect.poll(() => outside(host)).toBe('It is')
})

test.each([
  ['stopped', (mounted: Mounted) => mounted.store.stop()],
  ['failed', ({ adapter }: Mounted) => adapter.say({ type: 'error', errorText: 'Overloaded.' })],
])('what was held is shown when the run is %s', async (_, end) => {
  const mounted = await mountBox({ toolDisplay: 'widget' })
  const { host, adapter, store } = mounted
  store.submit({ text: 'Go' })
  adapter.say(
    { type: 'start', messageId: 'a' },
    ...call('c', 'read_file', { path: 'a' }, 'x'),
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Half an' },
  )
  await expect.poll(() => line(host)).toBe('Writing the answer')
  expect(outside(host)).toBe('')
  end(mounted)
  await expect.poll(() => outside(host)).toBe('Half an')
})

const tool = (toolCallId: string): UIMessage['parts'][number] => ({
  type: 'dynamic-tool',
  toolName: 'search_notes',
  toolCallId,
  state: 'output-available',
  input: { query: 'x' },
  output: 1,
})
const said = (words: string): UIMessage['parts'][number] => ({ type: 'text', text: words, state: 'done' })
const mark: UIMessage['parts'][number] = { type: 'step-start' }

test.each([
  ['with steps', [mark, said('I search.'), tool('c1'), mark, said('Again.'), tool('c2'), mark, said('Here.')]],
  ['without steps', [said('I search.'), tool('c1'), said('Again.'), tool('c2'), said('Here.')]],
])('after a reload, %s: the answer is outside, and the commentaries are inside', async (_, parts) => {
  const message: UIMessage = { id: 'a', role: 'assistant', parts }
  const { host, find } = await mountBox({ toolDisplay: 'widget', initialMessages: [message] })
  await expect.poll(() => outside(host)).toBe('Here.')
  expect(host.querySelector('.argot-turn .argot-commentary')).toBeNull()
  expect(line(host)).toBe('Used 2 tools')
  ;(await find('.argot-widget-line')).click()
  await expect
    .poll(() => [...host.querySelectorAll<HTMLElement>('.argot-widget .argot-commentary')].map(one => one.innerText))
    .toEqual(['I search.', 'Again.'])
  expect(outside(host)).toBe('Here.')
})

test('reasoning before a call is inside, and reasoning before the answer is with the answer', async () => {
  const thought = (words: string): UIMessage['parts'][number] => ({ type: 'reasoning', text: words, state: 'done' })
  const parts = [mark, thought('Where?'), tool('c1'), mark, thought('There.'), said('Here.')]
  const { host, find } = await mountBox({
    toolDisplay: 'widget',
    initialMessages: [{ id: 'a', role: 'assistant', parts }],
  })
  await expect.poll(() => host.querySelectorAll('.argot-turn > .argot-item').length).toBe(2)
  expect(host.querySelectorAll('[data-argot-part="1"]')).toHaveLength(0)
  ;(await find('.argot-widget-line')).click()
  await find('.argot-widget [data-argot-part="1"]')
})

test('commentary after the last call of a step is inside too', async () => {
  const mounted = await mountBox({ toolDisplay: 'widget' })
  const { host, store, adapter, find } = mounted
  store.submit({ text: 'Go' })
  await play(mounted, [
    { type: 'start', messageId: 'a' },
    ...step(...call('c1', 'read_file', { path: 'a' }, 'x'), ...text('t', 'That was the file.')),
    { type: 'finish' },
  ])
  adapter.close()
  ;(await find('.argot-widget-line')).click()
  await expect
    .poll(() => host.querySelector<HTMLElement>('.argot-widget .argot-commentary')?.innerText)
    .toBe('That was the file.')
  expect(outside(host)).toBe('')
})

test('in cards, text is drawn as it streams', async () => {
  const { host, adapter, store } = await mountBox()
  store.submit({ text: 'Go' })
  adapter.say(
    { type: 'start', messageId: 'a' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'One' },
  )
  await expect.poll(() => outside(host)).toBe('One')
})

test('find opens the widget for a commentary', async () => {
  const parts = [said('I look for the thimble.'), tool('c1'), said('Here.')]
  const { host, find } = await mountBox({
    toolDisplay: 'widget',
    initialMessages: [{ id: 'a', role: 'assistant', parts }],
  })
  await expect.poll(() => outside(host)).toBe('Here.')
  ;[...host.querySelectorAll('button')].find(one => one.textContent === 'Find in the conversation')!.click()
  const field = (await find('.argot-find input')) as HTMLInputElement
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(field, 'thimble')
  field.dispatchEvent(new Event('input', { bubbles: true }))
  await expect
    .poll(() => host.querySelector<HTMLElement>('.argot-widget .argot-commentary')?.innerText)
    .toContain('thimble')
})

test('a question stays below the closed line while the text that led to it is inside', async () => {
  const adapter = new ScriptedAdapter()
  const store = new ChatStore({ adapter })
  const { host } = put(<ChatBox adapter={adapter} store={store} toolDisplay="widget" />)
  store.submit({ text: 'Go' })
  adapter.say(
    { type: 'start', messageId: 'a' },
    ...text('t', 'I delete it.'),
    ...asks('c', 'delete_files', { paths: ['x'] }),
  )
  await expect.poll(() => host.querySelector('.argot-approval')).not.toBeNull()
  expect(outside(host)).toBe('')
})
