import '@argot/react/styles.css'
import { aiSdkAdapter, ChatBox } from '@argot/react'

const adapter = aiSdkAdapter({ api: '/api/chat' })

export function App() {
  return <ChatBox adapter={adapter} suggestions={['How is the weather in Oslo?', 'Please save_note: buy basil.']} />
}
