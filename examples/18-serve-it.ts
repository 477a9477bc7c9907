import { createAgent, defineTool, userMessage } from '@argot/agent'
import { accumulate, decodeSse, fromUIMessage, toUIMessage, type UIMessage } from '@argot/core'
import { toResponse } from '@argot/core/ai-sdk'
import { listen } from '@argot/server'
import { DefaultChatTransport, readUIMessageStream } from 'ai'
import { z } from 'zod'

const weather = defineTool({
  name: 'weather',
  description: 'Tells how the weather is in a city.',
  effect: 'read',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `It rains in ${city}.`,
})
const agent = createAgent({ model: 'demo', tools: [weather] })

/** The route handler. A reader who closes the page ends the run. */
async function POST(request: Request): Promise<Response> {
  const { messages } = (await request.json()) as { messages: UIMessage[] }
  return toResponse(agent.run(messages.map(fromUIMessage)), { request })
}

// What Next.js, Hono and SvelteKit do for a route handler.
const server = await listen({ fetch: POST }, { port: 0 })
const api = `http://127.0.0.1:${server.port}`
const messages = [toUIMessage(userMessage('How is the weather in Oslo?'))]

// A client of the AI SDK reads it with the transport that `useChat` has:
const transport = new DefaultChatTransport({ api })
const request = { trigger: 'submit-message', chatId: 'chat-1', messageId: undefined, abortSignal: undefined } as const
const stream = await transport.sendMessages({ ...request, messages: messages as never })
let answer: unknown
for await (const message of readUIMessageStream({ stream })) {
  const call = message.parts.find(part => part.type === 'tool-weather')
  if (call !== undefined && 'output' in call) answer = call.output
}
console.log('AI SDK:', answer)

// Anybody else with `fetch`:
const response = await fetch(api, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-argot-chunks': '1' },
  body: JSON.stringify({ messages }),
})
const events = decodeSse()
const fold = accumulate()
for await (const bytes of response.body!) for (const { chunk } of events.push(bytes)) fold.push(chunk)
for (const part of fold.message?.parts ?? [])
  if (part.type === 'tool') console.log('fetch:', part.toolInvocation.output)
await server.close()
