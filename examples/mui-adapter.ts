import { accumulate, type Chunk, decodeSse, type Message, type ToolInvocation, toolCalls } from '@argot/core'
import { toMuiStream } from '@argot/core/stream'
import type { ChatAdapter } from '@mui/x-chat-headless'

type Answer = Parameters<NonNullable<ChatAdapter['addToolApprovalResponse']>>[0]

/**
 * An adapter of MUI X Chat for a route handler that keeps nothing. MUI X Chat sends nothing after an answer, so a question holds
 * the stream open: once the person has answered it, the messages are sent again with the answer in the last one.
 */
export function muiAdapter(api: string): ChatAdapter {
  const given = new Map<string, Answer>()
  const waiting = new Map<string, (answer: Answer) => void>()

  /** The answer may come before the stream has ended. */
  function answerTo(id: string, signal: AbortSignal): Promise<Answer> {
    const early = given.get(id)
    if (early !== undefined) return Promise.resolve(early)
    return new Promise((resolve, reject) => {
      waiting.set(id, resolve)
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  }

  async function* post(messages: readonly unknown[], signal: AbortSignal): AsyncGenerator<Chunk> {
    const headers = { 'content-type': 'application/json', 'x-argot-chunks': '1' }
    const response = await fetch(api, { method: 'POST', headers, body: JSON.stringify({ messages }), signal })
    if (!response.ok) throw new Error(`The server answered ${response.status}.`)
    const events = decodeSse()
    for await (const bytes of response.body!) for (const { chunk } of events.push(bytes)) yield chunk as Chunk
  }

  async function* answer(messages: readonly unknown[], signal: AbortSignal): AsyncGenerator<Chunk> {
    const fold = accumulate()
    for (let sent = messages; ; sent = [...messages, fold.message]) {
      for await (const chunk of post(sent, signal)) {
        // A stream that ends with a question is not the end of the message.
        if (chunk.type === 'finish' && questions(fold.message).length > 0) continue
        fold.push(chunk)
        yield chunk
      }
      const asked = questions(fold.message)
      if (asked.length === 0) return
      for (const { toolCallId, approval } of asked) {
        const { approved, reason } = await answerTo(approval!.id, signal)
        const said = { type: 'tool-approval-response', approvalId: approval!.id, toolCallId, approved } as const
        fold.push(reason === undefined ? said : { ...said, reason })
      }
    }
  }

  return {
    sendMessage: async ({ messages, signal }) => toMuiStream(answer(messages, signal)) as never,
    async addToolApprovalResponse(said) {
      given.set(said.id, said)
      waiting.get(said.id)?.(said)
    },
  }
}

function questions(message: Message | undefined): ToolInvocation[] {
  return message === undefined ? [] : toolCalls(message).filter(({ state }) => state === 'approval-requested')
}
