import '@argot/react/styles.css'
import { useChat } from '@ai-sdk/react'
import { ToolCard } from '@argot/react'
import type { ChatTransport, UIMessage } from 'ai'

export function Chat({ transport }: { transport: ChatTransport<UIMessage> }) {
  const { messages, sendMessage, addToolApprovalResponse } = useChat({ transport })
  const cards = messages.flatMap(message =>
    message.parts
      .filter(part => 'toolCallId' in part)
      .map(part => <ToolCard key={part.toolCallId} {...{ part, message, addToolApprovalResponse }} />),
  )
  return [...cards, <input key="new" onChange={event => void sendMessage({ text: event.target.value })} />]
}
