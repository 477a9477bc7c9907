import { ChatBox } from '@mui/x-chat'
import { createRoot } from 'react-dom/client'
import { chunks, start } from './harness.ts'

const adapter = { sendMessage: async () => chunks() }

start({
  mount: (host, history) =>
    createRoot(host).render(
      <ChatBox
        adapter={adapter as never}
        initialMessages={history.map(({ id, role, text }) => ({
          id,
          role,
          status: 'sent',
          parts: [{ type: 'text', text }],
        }))}
        sx={{ height: '100%' }}
      />,
    ),
})
