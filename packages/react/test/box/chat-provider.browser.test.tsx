import { ChatProvider, useChat, useMessage } from '@argot/react'
import type { ReactElement } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, test } from 'vitest'
import { ScriptedAdapter } from '../store/scripted-adapter.ts'

function Words({ id }: { id: string }): ReactElement {
  const message = useMessage(id)
  return <p>{message?.parts.map(part => ('text' in part ? part.text : part.type)).join('')}</p>
}

function Page(): ReactElement {
  const { messageIds, submit, status } = useChat()
  return (
    <div>
      <button type="button" onClick={() => submit({ text: 'Hello' })}>
        Send
      </button>
      <output>{status}</output>
      {messageIds.map(id => (
        <Words key={id} id={id} />
      ))}
    </div>
  )
}

test('a page on hooks alone shows what an adapter streams', async () => {
  const adapter = new ScriptedAdapter()
  const host = document.body.appendChild(document.createElement('div'))
  const root = createRoot(host)
  root.render(
    <ChatProvider adapter={adapter}>
      <Page />
    </ChatProvider>,
  )
  await expect.poll(() => host.querySelector('button')).toBeTruthy()
  host.querySelector('button')!.click()
  adapter.say(
    { type: 'start', messageId: 'a' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Hi' },
  )
  await expect.poll(() => host.textContent).toBe('SendstreamingHelloHi')
  adapter.say({ type: 'finish' })
  adapter.close()
  await expect.poll(() => host.querySelector('output')!.textContent).toBe('ready')
  root.unmount()
})
