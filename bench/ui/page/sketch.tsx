import type { Chunk } from '@argot/core'
import Markdown from 'markdown-to-jsx/react'
import { memo, type ReactNode, useEffect, useRef, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { VList, type VListHandle } from 'virtua'
import { chunks, type HistoryMessage, start } from './harness.ts'

/**
 * What one writes by hand in an afternoon: a virtual list, messages that are memoised, an answer that is drawn once a frame as
 * Markdown, a list that follows its end. No tool cards, no approvals, no commentary, nothing for screen readers.
 */
const Message = memo(function Message({ text }: HistoryMessage): ReactNode {
  return (
    <article style={{ padding: '8px 16px' }}>
      <Markdown>{text}</Markdown>
    </article>
  )
})

function Page({ history }: { history: readonly HistoryMessage[] }): ReactNode {
  const [messages, setMessages] = useState(history)
  const [draft, setDraft] = useState('')
  const list = useRef<VListHandle>(null)
  useEffect(() => list.current?.scrollToIndex(messages.length - 1, { align: 'end' }), [messages])
  const send = async (): Promise<void> => {
    setMessages(before => [...before, { id: `u${before.length}`, role: 'user', text: draft }])
    setDraft('')
    const id = `a${messages.length}`
    let text = ''
    let isDue = false
    const show = (): void => {
      isDue = false
      setMessages(before => [...before.filter(one => one.id !== id), { id, role: 'assistant', text }])
    }
    for await (const chunk of chunks() as unknown as AsyncIterable<Chunk>) {
      if (chunk.type === 'text-delta') text += chunk.delta
      else if (chunk.type === 'tool-input-delta') text += chunk.inputTextDelta
      if (!isDue) requestAnimationFrame(show)
      isDue = true
    }
  }
  return (
    <div style={{ display: 'flex', flexDirection: 'column', height: '100%' }}>
      <VList ref={list} style={{ flex: 1 }}>
        {messages.map(message => (
          <Message key={message.id} {...message} />
        ))}
      </VList>
      <textarea
        value={draft}
        onChange={event => setDraft(event.target.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          void send()
        }}
      />
    </div>
  )
}

start({ mount: (host, history) => createRoot(host).render(<Page history={history} />) })
