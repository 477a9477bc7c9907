'use client'

import { useChat } from '@ai-sdk/react'
import { Markdown, ToolCard } from '@argot/react'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import { type FormEvent, useState } from 'react'

const transport = new DefaultChatTransport({ api: '/api/chat' })

export default function Page() {
  const [text, setText] = useState('')
  const { messages, sendMessage, addToolApprovalResponse, status, error } = useChat({
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })

  function send(event: FormEvent) {
    event.preventDefault()
    if (text.trim() === '' || status !== 'ready') return
    void sendMessage({ text })
    setText('')
  }

  return (
    <main>
      {messages.map(message => (
        <article key={message.id} className={message.role}>
          {message.parts.map((part, index) => {
            const key = `${message.id}-${index}`
            if (part.type === 'text') return <Markdown key={key} text={part.text} />
            return <ToolCard key={key} {...{ part, message, addToolApprovalResponse }} />
          })}
        </article>
      ))}
      {error !== undefined && <p role="alert">{error.message}</p>}
      <form onSubmit={send}>
        <input
          value={text}
          onChange={event => setText(event.target.value)}
          aria-label="Message"
          placeholder="How is the weather in Oslo?"
        />
        <button type="submit" disabled={status !== 'ready'}>
          Send
        </button>
      </form>
    </main>
  )
}
