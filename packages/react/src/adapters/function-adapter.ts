import type { Chunk } from '@argot/core'
import type { Envelope } from '@argot/core/stream/internal'
import type { ChatAdapter, ChatAddToolApproveResponseInput, ChatSendMessageInput, ChatStream } from '../types/index.ts'
import { AnswerWriter } from './answer-writer.ts'

export interface AnswerContext {
  /** The answer to an approval, by the approval's id (the call's id if the request had none). */
  approval(id: string): Promise<Omit<ChatAddToolApproveResponseInput, 'messages' | 'signal'>>
  /** The output of a tool that the page runs, such as `ask_user`. */
  output(toolCallId: string): Promise<unknown>
}

/** The answer to a message: chunks, pieces of text, or a text. */
export type Answer =
  | ChatStream
  | AsyncIterable<Chunk | Envelope | string>
  | Promise<ChatStream | AsyncIterable<Chunk | Envelope | string> | string>

/** An adapter for a plain function, such as an async generator of chunks. Strings become the answer's text. */
export function functionAdapter(answer: (input: ChatSendMessageInput, context: AnswerContext) => Answer): ChatAdapter {
  const approvals = new AwaitedValues<Omit<ChatAddToolApproveResponseInput, 'messages' | 'signal'>>()
  const outputs = new AwaitedValues<unknown>()
  const context: AnswerContext = {
    approval: id => approvals.wait(id),
    output: id => outputs.wait(id),
  }
  return {
    sendMessage: async input => {
      const reply = await answer(input, context)
      if (reply instanceof ReadableStream) return reply
      const chunks = typeof reply === 'string' ? [reply] : reply
      return toStream(toChunks(chunks, `re-${input.message.id}`), input.signal)
    },
    addToolApprovalResponse: async ({ messages: _, signal: __, ...input }) => approvals.give(input.id, input),
    addToolOutput: async ({ toolCallId, output }) => outputs.give(toolCallId, output),
  }
}

/** Either side may come first. Each value goes to one receiver. */
class AwaitedValues<T> {
  readonly #waiting: Map<string, (value: T) => void> = new Map()
  readonly #early: Map<string, T> = new Map()

  wait(id: string): Promise<T> {
    const answer = this.#early.get(id)
    if (answer !== undefined) {
      this.#early.delete(id)
      return Promise.resolve(answer)
    }
    return new Promise(resolve => {
      this.#waiting.set(id, resolve)
    })
  }

  give(id: string, value: T): void {
    const resolve = this.#waiting.get(id)
    if (resolve === undefined) this.#early.set(id, value)
    else {
      this.#waiting.delete(id)
      resolve(value)
    }
  }
}

async function* toChunks(
  items: AsyncIterable<Chunk | Envelope | string> | Iterable<string>,
  messageId: string,
): AsyncGenerator<Chunk | Envelope> {
  const writer = new AnswerWriter(messageId)
  for await (const item of items) {
    if (typeof item === 'string') yield* writer.text(item)
    else {
      yield* writer.before('chunk' in item ? item.chunk : item)
      yield item
    }
  }
  yield* writer.end()
}

function toStream(chunks: AsyncGenerator<Chunk | Envelope>, signal: AbortSignal): ChatStream {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done === true || signal.aborted) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await chunks.return(undefined)
    },
  })
}
