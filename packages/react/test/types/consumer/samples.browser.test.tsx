import { ChatBox, useChat, useMessage } from '@argot/react'
import { type ReactNode, useId } from 'react'
import { expect, test } from 'vitest'
import { put } from '../../box/mount.tsx'
import { adapter, dynamic } from './adapter.ts'
import { Expanded } from './expanded.tsx'
import { MessagePart } from './message-part.jsx'
import { Observing, told } from './observing.tsx'
import { Rendering } from './renderers.tsx'

function MyChat(): ReactNode {
  const { messageIds, submit } = useChat()
  const id = useId()
  return (
    <div>
      <button type="button" id={id} onClick={() => submit({ text: 'What is the weather?' })}>
        Send
      </button>
      {messageIds.map(one => (
        <Parts key={one} id={one} />
      ))}
    </div>
  )
}

function Parts({ id }: { id: string }): ReactNode {
  const message = useMessage(id)
  return message?.parts.map((part, index) => (
    <MessagePart key={part.type} part={part} message={message} index={index} />
  ))
}

async function send(host: HTMLElement): Promise<void> {
  await expect.poll(() => host.querySelector('button')).not.toBeNull()
  host.querySelector('button')!.click()
}

test('the sample that observes calls hears every state', async () => {
  const { host } = put(
    <Observing>
      <MyChat />
    </Observing>,
  )
  await send(host)
  await expect
    .poll(() => told)
    .toEqual(
      ['input-streaming', 'input-available', 'output-available'].map(state => `Tool "get_weather" is now ${state}`),
    )
})

test('the sample that registers a renderer draws the call with it', async () => {
  const { host } = put(
    <Rendering>
      <MyChat />
    </Rendering>,
  )
  await send(host)
  await expect.poll(() => host.querySelector('pre')?.textContent).toContain('"temperature": 22')
})

test.each([
  ['of a registered tool', adapter, 'msg-1/call-1', 'Paris'],
  ['of a dynamic tool', dynamic, 'msg-2/call-2', 'anything'],
])('the samples of adapters drive the box: a call %s', async (_, one, key, word) => {
  const { host } = put(<ChatBox adapter={one} suggestions={['Go']} />)
  await expect.poll(() => host.querySelector('.argot-empty button')).not.toBeNull()
  host.querySelector<HTMLElement>('.argot-empty button')!.click()
  await expect.poll(() => host.querySelector(`[data-argot-call="${key}"]`)?.textContent).toContain(word)
})

test('the sample with a policy is a whole chat', async () => {
  const { host } = put(<Expanded />)
  await expect.poll(() => host.textContent).toContain('No messages yet')
  expect(host.textContent).toContain('Type a message to get started')
})
