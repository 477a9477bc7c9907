import { argotServerAdapter, ChatBox, sharedServerEvents } from '@argot/react'
import { createRoot } from 'react-dom/client'

const document_ = new URL(location.href).searchParams.get('document') ?? 'chat.chatmd'
const adapter = argotServerAdapter({ document: document_, url: '/' })
createRoot(document.querySelector('#root')!).render(<ChatBox adapter={adapter} conversationId={document_} />)

sharedServerEvents({ url: '/' }).listen(({ name, data }) => {
  const heard = `${document.documentElement.dataset.heard ?? ''} ${name}`
  document.documentElement.dataset.heard =
    name === 'run' ? `${heard} ${(data as { document: string }).document}` : heard
})
