import { ChatBox, ChatProvider, useChatPartRenderer, useMessage } from '@argot/react'
import type { ChatError, ChatMessage, ChatMessagePart, DefaultExpanded } from '@argot/react/types'
import { type ReactNode, useState } from 'react'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { ScriptedAdapter } from '../store/scripted-adapter.ts'
import { call, mountBox, put } from './mount.tsx'

function Weather({ name }: { name: string }): ReactNode {
  const [count, setCount] = useState(0)
  return (
    <button type="button" onClick={() => setCount(count + 1)}>
      {name} {count}
    </button>
  )
}

function MessagePart({
  part,
  message,
  index,
}: {
  part: ChatMessagePart
  message: ChatMessage
  index: number
}): ReactNode {
  const renderer = useChatPartRenderer(part.type)
  return renderer ? renderer({ part, message, index } as never) : <i>none for {part.type}</i>
}

function MyChat(): ReactNode {
  const message = useMessage('h')
  return message?.parts.map((part, index) => (
    <MessagePart key={part.type} part={part} message={message} index={index} />
  ))
}

test('a renderer may use hooks, and one that throws shows the built-in card and is reported once', async () => {
  const adapter = new ScriptedAdapter()
  const errors: ChatError[] = []
  let isBroken = false
  const { host } = put(
    <ChatBox
      adapter={adapter}
      onError={error => errors.push(error)}
      partRenderers={{
        tool: ({ part }) => {
          const [name] = useState(part.toolInvocation.toolName)
          if (isBroken) throw new Error('mine')
          return <Weather name={name} />
        },
      }}
    />,
  )
  await expect.poll(() => host.querySelector('textarea')).not.toBeNull()
  host.querySelector('textarea')!.focus()
  await userEvent.keyboard('one{Enter}')
  adapter.say({ type: 'start', messageId: 'a' }, ...call('c1', 'get_weather', { city: 'Paris' }))
  await expect.poll(() => host.textContent).toContain('get_weather 0')
  await userEvent.click([...host.querySelectorAll('button')].find(one => one.textContent === 'get_weather 0')!)
  await expect.poll(() => host.textContent).toContain('get_weather 1')
  isBroken = true
  adapter.say({ type: 'tool-output-available', toolCallId: 'c1', output: 'sunny' })
  await expect.poll(() => host.querySelector('[data-argot-call="a/c1"]')).not.toBeNull()
  expect(errors.map(({ code, message }) => [code, message])).toEqual([['RENDER_ERROR', 'mine']])
})

test("what useChatPartRenderer gives can be called, as a component of one's own does", async () => {
  const adapter = new ScriptedAdapter()
  const { host } = put(
    <ChatProvider
      adapter={adapter}
      initialMessages={[
        {
          id: 'h',
          role: 'assistant',
          parts: [
            { type: 'text', text: 'Hi' },
            { type: 'tool-constructor', toolCallId: 'c', state: 'input-available', input: {} },
          ],
        },
      ]}
      partRenderers={{
        tool: function Tool({ part }) {
          const [name] = useState(part.toolInvocation.toolName)
          return <b>{name}</b>
        },
      }}
    >
      <MyChat />
    </ChatProvider>,
  )
  await expect.poll(() => host.innerHTML).toBe('<i>none for text</i><b>constructor</b>')
})

const isOpen = (host: HTMLElement, key: string): boolean =>
  host.querySelector(`[data-argot-call="${key}"]`)!.hasAttribute('data-open')

test('a policy opens and closes cards with every transition, and focus is not lost', async () => {
  const defaultExpanded: DefaultExpanded = {
    write: ({ section, state }) => (section ? undefined : state === 'input-streaming' || state === 'input-available'),
    constructor: false,
    search: true,
    '*': ({ toolName, section }) => (section || !toolName.startsWith('x') ? undefined : true),
  }
  const { host, adapter, store, find } = await mountBox({
    slotProps: { messageContent: { partProps: { tool: { defaultExpanded } } } },
  })
  store.submit({ text: 'one' })
  adapter.say(
    { type: 'start', messageId: 'a' },
    { type: 'tool-input-start', toolCallId: 'w', toolName: 'write' },
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'constructor' },
    { type: 'tool-input-start', toolCallId: 'b', toolName: 'built_in' },
    { type: 'tool-input-available', toolCallId: 's', toolName: 'search', input: { q: 1 } },
    { type: 'tool-input-available', toolCallId: 'x', toolName: 'x_any', input: {}, dynamic: true },
    { type: 'tool-input-available', toolCallId: 'y', toolName: 'hasOwnProperty', input: {} },
  )
  await find('[data-argot-call="a/y"]')
  const all = (): string[] => ['w', 'c', 'b', 's', 'x', 'y'].filter(key => isOpen(host, `a/${key}`))
  await expect.poll(all).toEqual(['w', 'b', 's', 'x'])
  host.querySelector<HTMLElement>('[data-argot-call="a/w"] .argot-body button')?.focus()
  adapter.say(
    { type: 'tool-input-available', toolCallId: 'w', toolName: 'write', input: { path: 'a' } },
    { type: 'tool-input-available', toolCallId: 'b', toolName: 'built_in', input: {} },
  )
  await expect.poll(() => store.conversation.call('a/w')?.state).toBe('input-available')
  await expect.poll(all).toEqual(['w', 'b', 's', 'x'])
  const inside = host.querySelector<HTMLElement>('[data-argot-call="a/w"] .argot-body :is(button, [tabindex])')
  inside?.focus()
  adapter.say(
    { type: 'tool-output-available', toolCallId: 'w', output: 'ok' },
    { type: 'tool-output-available', toolCallId: 'b', output: 'ok' },
  )
  await expect.poll(all).toEqual(['b', 's', 'x'])
  if (inside !== null)
    expect(document.activeElement?.closest('[data-argot-call]')?.getAttribute('data-argot-call')).toBe('a/w')
})
