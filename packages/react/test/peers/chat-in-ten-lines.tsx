import '@argot/react/styles.css'
import { ChatBox, functionAdapter } from '@argot/react'

const adapter = functionAdapter(async function* ({ message }) {
  yield { type: 'start', messageId: `re-${message.id}` }
  yield { type: 'tool-input-available', toolCallId: 'c1', toolName: 'read_file', input: { path: 'notes.md' } }
  yield { type: 'tool-output-available', toolCallId: 'c1', output: 'Buy basil.' }
  yield 'There is basil to buy.'
})

// Or aiSdkAdapter({ api: '/api/chat' }), argotServerAdapter(…), …
export default function App() {
  return <ChatBox adapter={adapter} />
}
