import { fromUIMessage, type UIMessage } from '@argot/core'
import { toResponse } from '@argot/core/ai-sdk'
import { agent } from '../../../agent'

export async function POST(request: Request): Promise<Response> {
  const { messages } = (await request.json()) as { messages: UIMessage[] }
  return toResponse(agent.run(messages.map(fromUIMessage)), { request })
}
