import { useChat } from '@ai-sdk/react'
import { WireAdapter } from '@argot/core/stream'
import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai'
import { type ReactNode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Streamdown } from 'streamdown'
import { chunks, type HistoryMessage, start } from './harness.ts'

const transport: ChatTransport<UIMessage> = {
  sendMessages: async () => {
    const wire = new WireAdapter('ai-sdk')
    return chunks().pipeThrough(
      new TransformStream({
        transform(chunk, controller) {
          for (const one of wire.push(chunk)) controller.enqueue(one as UIMessageChunk)
        },
      }),
    )
  },
  reconnectToStream: async () => null,
}

function Page({ history }: { history: readonly HistoryMessage[] }): ReactNode {
  const [text, setText] = useState('')
  const { messages, sendMessage } = useChat({
    transport,
    messages: history.map(({ id, role, text: said }) => ({ id, role, parts: [{ type: 'text', text: said }] })),
  })
  return (
    <div style={{ height: '100%', overflow: 'auto' }}>
      {messages.map(message => (
        <article key={message.id}>
          {message.parts.map((part, index) =>
            part.type === 'text' ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts never move
              <Streamdown key={index}>{part.text}</Streamdown>
            ) : 'input' in part ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts never move
              <pre key={index}>{JSON.stringify(part.input, null, 2)}</pre>
            ) : null,
          )}
        </article>
      ))}
      <textarea
        value={text}
        onChange={event => setText(event.target.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          void sendMessage({ text })
          setText('')
        }}
      />
    </div>
  )
}

start({ mount: (host, history) => createRoot(host).render(<Page history={history} />) })
