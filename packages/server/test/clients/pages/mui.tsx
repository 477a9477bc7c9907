import { argotServerAdapter } from '@argot/react'
import { ChatBox } from '@mui/x-chat'
import { createRoot } from 'react-dom/client'

/** MUI X Chat with our adapter: it has the same interface. */
const adapter = argotServerAdapter({ document: 'chat.chatmd', url: '/' })
createRoot(document.querySelector('#root')!).render(<ChatBox adapter={adapter as never} />)
