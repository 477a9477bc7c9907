import { aiSdkAdapter } from '@argot/react'
import { ChatBox } from '@mui/x-chat'
import { createRoot } from 'react-dom/client'

/** MUI X Chat on the routes of the AI SDK. */
const adapter = aiSdkAdapter({ id: 'chat' })
createRoot(document.querySelector('#root')!).render(<ChatBox adapter={adapter as never} />)
