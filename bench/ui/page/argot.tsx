import '@argot/react/styles.css'
import { ChatBox } from '@argot/react'
import type { ChatAdapter } from '@argot/react/types'
import { createRoot } from 'react-dom/client'
import { chunks, start } from './harness.ts'

const adapter: ChatAdapter = { sendMessage: () => chunks() }

start({
  mount: (host, history) =>
    createRoot(host).render(
      <ChatBox
        adapter={adapter}
        initialMessages={history.map(({ id, role, text }) => ({ id, role, parts: [{ type: 'text', text }] }))}
      />,
    ),
})
