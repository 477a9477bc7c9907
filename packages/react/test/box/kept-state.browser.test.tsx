import { ChatBox, ChatStore } from '@argot/react'
import type { ReactElement } from 'react'
import { expect, test } from 'vitest'
import { cdp, userEvent } from 'vitest/browser'
import { ScriptedAdapter } from '../store/scripted-adapter.ts'
import { asks, call, mountBox, put, text } from './mount.tsx'

const frame = (): Promise<unknown> =>
  new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))

test('what is open, half typed and drafted is there again after the box was gone', async () => {
  const adapter = new ScriptedAdapter()
  const store = new ChatStore({ adapter })
  const page = (): ReactElement => <ChatBox adapter={adapter} store={store} />
  const first = put(page())
  store.submit({ text: 'one' })
  adapter.say(
    { type: 'start', messageId: 'a' },
    ...call('c1', 'read_file', { path: 'a.ts' }, 'hello'),
    ...asks('c2', 'delete_files', { paths: ['x'] }),
  )
  await expect.poll(() => first.host.querySelector('.argot-approval')).not.toBeNull()
  const isOpen = (host: HTMLElement): boolean =>
    host.querySelector('[data-argot-call="a/c1"]')!.hasAttribute('data-open')
  if (!isOpen(first.host)) await userEvent.click(first.host.querySelector('[data-argot-call="a/c1"] .argot-row')!)
  store.conversation.ui('a/c2').setDraft({ denying: true })
  await expect.poll(() => first.host.querySelector('.argot-approval input')).not.toBeNull()
  await userEvent.fill(first.host.querySelector('.argot-approval input')!, 'because')
  first.host.querySelector('textarea')!.focus()
  await userEvent.keyboard('half')
  first.root.unmount()
  const second = put(page())
  await expect.poll(() => second.host.querySelector('.argot-approval input')).not.toBeNull()
  expect(isOpen(second.host)).toBe(true)
  expect(second.host.querySelector<HTMLInputElement>('.argot-approval input')!.value).toBe('because')
  expect(second.host.querySelector('textarea')!.value).toBe('half')
})

test('messages that are finished never render again, whatever streams', async () => {
  const adapter = new ScriptedAdapter()
  const renders: string[] = []
  const store = new ChatStore({
    adapter,
    initialMessages: Array.from({ length: 40 }, (_, index) => ({
      id: `h${index}`,
      role: index % 2 === 0 ? 'user' : 'assistant',
      parts: [{ type: 'text', text: `Message ${index}` }],
    })),
  })
  const { host } = put(
    <ChatBox
      adapter={adapter}
      store={store}
      partRenderers={{
        text: ({ part, message }) => {
          renders.push(message.id)
          return <p>{part.text}</p>
        },
      }}
    />,
  )
  await expect.poll(() => host.querySelectorAll('article').length).toBe(40)
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, { type: 'text-start', id: 't' })
  await expect.poll(() => host.querySelectorAll('article').length).toBe(42)
  await frame()
  renders.length = 0
  for (let index = 0; index < 30; index++) {
    adapter.say({ type: 'text-delta', id: 't', delta: 'word ' })
    await frame()
  }
  await expect.poll(() => host.textContent).toContain('word '.repeat(30).trim())
  expect(renders.length).toBeGreaterThan(10)
  expect(new Set(renders)).toEqual(new Set(['a']))
})

test('while one call streams, the cards beside it and the text before it do not render', async () => {
  const adapter = new ScriptedAdapter()
  const store = new ChatStore({ adapter })
  const renders: string[] = []
  const { host } = put(
    <ChatBox
      adapter={adapter}
      store={store}
      partRenderers={{
        text: ({ part }) => {
          renders.push('text')
          return <p>{part.text}</p>
        },
        tool: ({ part }) => {
          renders.push(part.toolInvocation.toolCallId)
          return <p>{part.toolInvocation.state}</p>
        },
      }}
    />,
  )
  store.submit({ text: 'one' })
  adapter.say(
    { type: 'start', messageId: 'a' },
    ...text('t', 'Look.'),
    ...call('c1', 'read_file', { path: 'a' }, 'x'),
    { type: 'tool-input-start', toolCallId: 'c2', toolName: 'write_file' },
  )
  await expect.poll(() => host.textContent).toContain('input-streaming')
  await frame()
  renders.length = 0
  adapter.say({ type: 'tool-input-delta', toolCallId: 'c2', inputTextDelta: '{"content":"' })
  for (let index = 0; index < 20; index++) {
    adapter.say({ type: 'tool-input-delta', toolCallId: 'c2', inputTextDelta: 'line\\n' })
    await frame()
  }
  await expect.poll(() => renders.length).toBeGreaterThan(5)
  expect(new Set(renders)).toEqual(new Set(['c2']))
})

test('an argument of a megabyte streams into an open card without a long task', async () => {
  const { adapter, store, find } = await mountBox()
  store.submit({ text: 'one' })
  adapter.say({ type: 'start', messageId: 'a' }, { type: 'tool-input-start', toolCallId: 'c', toolName: 'write_file' })
  adapter.say({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"path":"a.ts","content":"' })
  await find('[data-argot-call="a/c"][data-open]')
  await frame()
  const script = await scriptTime()
  const piece = 'const value = compute(1, 2, 3) // a line of code\\n'.repeat(100)
  for (let sent = 0; sent < 1_000_000; sent += piece.length) {
    adapter.say({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: piece })
    await new Promise(resolve => requestAnimationFrame(resolve))
  }
  await frame()
  const call = store.conversation.call('a/c')!
  expect((call.input as { content: string }).content.length).toBeGreaterThan(900_000)
  // Time of the processor, which a busy machine does not change: a card that reads all of it again in each of 200 frames
  // takes more than 50 ms for the last of them.
  expect(((await scriptTime()) - script) / 200).toBeLessThan(15)
}, 300_000)

/** Milliseconds of script on the main thread so far. */
async function scriptTime(): Promise<number> {
  const session = cdp() as unknown as { send: (method: string, params?: object) => Promise<unknown> }
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const { metrics } = (await session.send('Performance.getMetrics')) as { metrics: { name: string; value: number }[] }
  return metrics.find(({ name }) => name === 'ScriptDuration')!.value * 1000
}
