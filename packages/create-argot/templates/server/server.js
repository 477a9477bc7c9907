import { fromUIMessage } from '@argot/core'
import { toResponse } from '@argot/core/ai-sdk'
import { listen } from '@argot/server'
import { agent } from './agent.js'

/** POST { messages } with the messages of the AI SDK; the response streams the answer as server-sent events. */
async function chat(request) {
  if (request.method !== 'POST') return new Response('POST { messages } here.\n', { status: 405 })
  const body = await request.json().catch(() => undefined)
  if (!Array.isArray(body?.messages)) return Response.json({ error: 'messages is missing' }, { status: 400 })
  return toResponse(agent.run(body.messages.map(fromUIMessage)), { request })
}

const server = await listen({ fetch: chat }, { port: Number(process.env.PORT ?? 3000) })
console.log(`http://127.0.0.1:${server.port}

curl -N http://127.0.0.1:${server.port} -H 'content-type: application/json' \\
  -d '{"messages":[{"id":"1","role":"user","parts":[{"type":"text","text":"How is the weather in Oslo?"}]}]}'`)
