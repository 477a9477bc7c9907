import { createAgent, defineTool } from '@argot/agent'
import { fromUIMessage } from '@argot/core'
import { toResponse } from '@argot/core/ai-sdk'
import { listen } from '@argot/server'
import { ChatStore } from '@mui/x-chat-headless/store'
import { processStream } from '@mui/x-chat-headless/stream'
import { z } from 'zod'
import { muiAdapter } from './mui-adapter.ts'

const writeNote = defineTool({
  name: 'write_note',
  description: 'Writes a note into a file.',
  effect: 'write',
  inputSchema: z.object({ path: z.string(), content: z.string() }),
  execute: ({ path }) => `Wrote ${path}.`,
})
const agent = createAgent({
  model: 'demo',
  tools: [writeNote],
  approvalKey: process.env.APPROVAL_KEY ?? 'set 32 random bytes in production',
  ask: async () => undefined,
})
let requests = 0
async function POST(request: Request): Promise<Response> {
  const { messages } = (await request.json()) as { messages: Parameters<typeof fromUIMessage>[0][] }
  console.log(`request ${++requests}:`, messages.map(({ role }) => role).join(', '))
  return toResponse(agent.run(messages.map(fromUIMessage)), { request })
}
const server = await listen({ fetch: POST }, { port: 0 })
const api = `http://127.0.0.1:${server.port}`

// What `<ChatBox adapter={muiAdapter('/api/chat')} />` does: sends, folds the stream into its store, and answers.
const adapter = muiAdapter(api)
const store = new ChatStore()
store.subscribe(() => {
  for (const { parts } of Object.values(store.state.messagesById)) {
    for (const part of parts) {
      if (part.type !== 'tool' || part.toolInvocation.state !== 'approval-requested') continue
      void adapter.addToolApprovalResponse!({ id: part.toolInvocation.approvalId!, approved: true })
    }
  }
})
const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Please write_note "Hello"' }] } as const
const sent = { message: message as never, messages: [message] as never, signal: new AbortController().signal }
await processStream(store, await adapter.sendMessage(sent), { flushInterval: 0 })

const answer = store.state.messagesById[store.state.messageIds.at(-1)!]!
for (const part of answer.parts) {
  if (part.type === 'tool')
    console.log(part.toolInvocation.toolName, part.toolInvocation.state, part.toolInvocation.output)
  if (part.type === 'text') console.log(part.text.split('\n')[0])
}
await server.close()
