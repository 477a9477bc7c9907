import { fromUIMessage, type UIMessage } from '@argot/core'
import { toResponse } from '@argot/core/ai-sdk'
import { agent } from './agent.ts'

/** What answers `/api/chat`. It takes a request and gives a response, so it also works in Hono, Next or a serverless function. */
export async function chat(request: Request): Promise<Response> {
  if (request.method !== 'POST') return new Response(null, { status: 405 })
  const { messages } = (await request.json()) as { messages: UIMessage[] }
  return toResponse(agent.run(messages.map(fromUIMessage)), { request })
}
