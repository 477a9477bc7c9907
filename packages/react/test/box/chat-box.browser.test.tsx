import { ChatProvider, useTitleMark } from '@argot/react'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { ScriptedAdapter } from '../store/scripted-adapter.ts'
import { asks, call, mountBox, put, text } from './mount.tsx'

test('an empty box says so, and offers what can be sent with a click', async () => {
  const { host, adapter } = await mountBox({ suggestions: ['Say hello'] })
  expect(host.textContent).toContain('No messages yet')
  expect(host.textContent).toContain('Type a message to get started')
  await userEvent.click(host.querySelector('.argot-empty button')!)
  expect(adapter.sent).toEqual(['Say hello'])
  await expect.poll(() => host.textContent).not.toContain('No messages yet')
})

test('a message is written, sent and answered with commentary, calls and prose', async () => {
  const { host, adapter, field, find } = await mountBox()
  field().focus()
  await userEvent.keyboard('How many{Shift>}{Enter}{/Shift}pages?{Enter}')
  expect(adapter.sent).toEqual(['How many\npages?'])
  expect(field().value).toBe('')
  adapter.say(
    { type: 'start', messageId: 'a' },
    ...text('t1', 'Let me look.'),
    ...call('c1', 'search_files', { query: 'argot' }, { matches: [1, 2, 3] }),
    ...text('t2', 'Three ', '**pages**.'),
    { type: 'finish' },
  )
  adapter.close()
  const row = await find('[data-argot-call="a/c1"] .argot-row')
  expect(row.getAttribute('aria-label')).toContain('Searched files argot, 3 matches')
  await expect.poll(() => host.querySelector('.argot-text:not(.argot-commentary) strong')?.textContent).toBe('pages')
  expect(host.querySelector('.argot-commentary')?.textContent).toContain('Let me look.')
  expect([...host.querySelectorAll('article')].map(one => one.getAttribute('aria-label'))).toEqual(['You', 'Assistant'])
})

test('while a run is on messages queue, and a queued one can be edited, sent now and removed', async () => {
  const { host, adapter, field, store, find } = await mountBox()
  store.submit({ text: 'first' })
  adapter.say({ type: 'start', messageId: 'a' })
  field().focus()
  await userEvent.keyboard('second{Enter}third{Enter}')
  await find('.argot-queue')
  expect(adapter.sent).toEqual(['first'])
  await userEvent.click(host.querySelector('[aria-label="Edit “second”"]')!)
  await userEvent.keyboard(' one{Enter}')
  await expect.poll(() => document.activeElement?.getAttribute('aria-label')).toBe('Edit “second one”')
  await userEvent.click(host.querySelector('[aria-label="Remove “third”"]')!)
  expect(document.activeElement).toBe(field())
  expect(store.queue.get().map(({ text: one }) => one)).toEqual(['second one'])
  await userEvent.click(host.querySelector('[aria-label="Send “second one” now"]')!)
  await expect.poll(() => adapter.sent).toEqual(['first', 'second one'])
  expect(store.conversation.messages()[1]!.status).toBe('cancelled')
})

test('a queued message is not sent while it is edited, and one without a text is gone', async () => {
  const { host, adapter, field, store, find } = await mountBox()
  store.submit({ text: 'first' })
  adapter.say({ type: 'start', messageId: 'a' })
  field().focus()
  await userEvent.keyboard('second{Enter}third{Enter}')
  await find('.argot-queue')
  await userEvent.click(host.querySelector('[aria-label="Edit “second”"]')!)
  await userEvent.keyboard(' h')
  adapter.say(...text('t', 'Done.'), { type: 'finish' })
  adapter.close()
  await expect.poll(() => store.isRunning).toBe(false)
  expect(adapter.sent).toEqual(['first'])
  await userEvent.keyboard('alf{Enter}')
  await expect.poll(() => adapter.sent).toEqual(['first', 'second half'])
  await userEvent.click(host.querySelector('[aria-label="Edit “third”"]')!)
  await userEvent.keyboard('{Control>}a{/Control}{Delete}{Enter}')
  await expect.poll(() => store.queue.get()).toEqual([])
  expect(document.activeElement).toBe(field())
})

test('Escape twice in an empty composer stops the run, and once does not', async () => {
  const { host, adapter, field, store } = await mountBox()
  store.submit({ text: 'first' })
  adapter.say({ type: 'start', messageId: 'a' })
  await expect.poll(() => host.querySelector('[aria-label="Stop"]')).not.toBeNull()
  field().focus()
  await userEvent.keyboard('{Escape}')
  expect(store.isRunning).toBe(true)
  await expect.poll(() => host.textContent).toContain('Press Esc again to stop')
  await userEvent.keyboard('{Escape}')
  expect(store.isRunning).toBe(false)
  await expect.poll(() => host.textContent).toContain('Stopped')
})

test('the arrow up in an empty composer edits the last message', async () => {
  const { adapter, field, store, find } = await mountBox()
  store.submit({ text: 'mispelled' })
  adapter.say({ type: 'start', messageId: 'a' }, ...text('t', 'x'), { type: 'finish' })
  adapter.close()
  await expect.poll(() => store.isRunning).toBe(false)
  field().focus()
  await userEvent.keyboard('{ArrowUp}')
  await expect.poll(() => field().value).toBe('mispelled')
  await find('.argot-editing')
  expect(store.conversation.ids.get()).toHaveLength(2)
})

test('while calls ask, the placeholder says what sending does, and sending denies them with that text', async () => {
  const { adapter, field, store, find } = await mountBox()
  store.submit({ text: 'first' })
  adapter.say({ type: 'start', messageId: 'a' }, ...asks('c1', 'delete_files', { paths: ['x'] }))
  await find('.argot-approval')
  expect(field().placeholder).toBe('Say what to do instead')
  field().focus()
  await userEvent.keyboard('Keep x{Enter}')
  expect(adapter.answers).toMatchObject([{ id: 'c1', approved: false, reason: 'Keep x' }])
  expect(adapter.sent).toEqual(['first'])
})

test('several calls that ask have a bar, and only its review approves them all', async () => {
  const { host, adapter, store, find } = await mountBox()
  store.submit({ text: 'first' })
  const command = Array.from({ length: 60 }, (_, line) => `echo ${line}`).join('\n')
  adapter.say(
    { type: 'start', messageId: 'a' },
    ...asks('c1', 'delete_files', { paths: ['x'] }),
    ...asks('c2', 'run_command', { command }),
  )
  await find('.argot-bar')
  expect(host.querySelector('.argot-bar')!.textContent).toContain('2 calls need you')
  expect(host.textContent).not.toContain('Approve all')
  await userEvent.click(host.querySelector('.argot-bar button')!)
  const review = await find('dialog[open]')
  await expect.poll(() => review.textContent).toContain('echo 59')
  const all = [...review.querySelectorAll('button')].find(one => one.textContent === 'Approve all 2')!
  await userEvent.click(all)
  expect(adapter.answers.map(({ id, approved }) => [id, approved])).toEqual([
    ['c1', true],
    ['c2', true],
  ])
  await expect.poll(() => host.querySelector('.argot-bar')).toBeNull()
})

test('a failed run says why and can be tried again', async () => {
  const { host, adapter, store, find } = await mountBox()
  store.submit({ text: 'first' })
  adapter.say(
    { type: 'start', messageId: 'a' },
    { type: 'error', errorText: 'The model is overloaded.' },
    { type: 'finish' },
  )
  adapter.close()
  const end = await find('.argot-end')
  expect(end.textContent).toContain('The model is overloaded.')
  await userEvent.click([...host.querySelectorAll('.argot-end button')].find(one => one.textContent === 'Retry')!)
  await expect.poll(() => adapter.sent).toEqual(['first', 'first'])
  await expect.poll(() => host.querySelector('.argot-end')).toBeNull()
})

test('all calls of a message can be behind one line, and one that asks is not hidden', async () => {
  const { host, adapter, store, find } = await mountBox({ toolDisplay: 'widget' })
  store.submit({ text: 'first' })
  adapter.say({ type: 'start', messageId: 'a' })
  await expect.poll(() => host.textContent).toContain('Thinking…')
  adapter.say(...call('c1', 'read_file', { path: 'a.ts' }, 'x'), ...asks('c2', 'delete_files', { paths: ['a'] }))
  await find('.argot-approval')
  expect(host.querySelectorAll('[data-argot-call]')).toHaveLength(1)
  void store.answer('a/c2', { approved: true })
  adapter.say({ type: 'tool-output-available', toolCallId: 'c2', output: 'ok' }, ...text('t', 'Done.'), {
    type: 'finish',
  })
  adapter.close()
  await expect.poll(() => host.textContent).toContain('Used 2 tools')
  expect(host.querySelectorAll('[data-argot-call]')).toHaveLength(0)
})

function Marked(): null {
  useTitleMark()
  return null
}

test('the title of the page is marked while a call waits', async () => {
  document.title = 'Notes'
  const { root } = put(
    <ChatProvider
      adapter={new ScriptedAdapter()}
      initialMessages={[
        {
          id: 'a',
          role: 'assistant',
          parts: [
            { type: 'tool-delete', toolCallId: 'c', state: 'approval-requested', approval: { id: 'p' }, input: {} },
          ],
        },
      ]}
    >
      <Marked />
    </ChatProvider>,
  )
  await expect.poll(() => document.title).toBe('● Needs you – Notes')
  root.unmount()
  await expect.poll(() => document.title).toBe('Notes')
})
