import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  safeValidateUIMessages,
  type UIMessage,
} from 'ai'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'

/** What a page with nothing but the AI SDK looks like: history, then `useChat` that resumes. */

const problems: string[] = []
Object.assign(window, { problems })

function Page({ id, before }: { id: string; before: UIMessage[] }): ReactNode {
  const { messages, sendMessage, status, error, addToolApprovalResponse } = useChat({
    id,
    messages: before,
    resume: true,
    transport: new DefaultChatTransport({ api: '/api/chat' }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  const seen = structuredClone(messages)
  if (seen.length > 0) {
    void safeValidateUIMessages({ messages: seen }).then(result => {
      if (!result.success) problems.push(result.error.message)
    })
  }
  return (
    <main>
      <button type="button" id="send" onClick={() => void sendMessage({ text: 'Save it.' })}>
        Send
      </button>
      <output>{error?.message ?? status}</output>
      <ol>
        {messages.flatMap(message =>
          message.parts.map((part, index) => (
            <li key={`${message.id} ${index}`} data-type={part.type}>
              {part.type === 'text' ? part.text : 'state' in part ? `${part.type} ${part.state}` : ''}
              {'state' in part && part.state === 'approval-requested' ? (
                <button
                  type="button"
                  id="approve"
                  onClick={() => void addToolApprovalResponse({ id: part.approval.id, approved: true })}
                >
                  Approve
                </button>
              ) : null}
            </li>
          )),
        )}
      </ol>
    </main>
  )
}

const response = await fetch('/api/documents/chat.chatmd/messages?format=ui')
const { messages } = (await response.json()) as { messages: UIMessage[] }
createRoot(document.querySelector('#root')!).render(<Page id="chat" before={messages} />)
