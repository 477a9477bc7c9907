import { accumulate, type Chunk, isToolPart } from '@argot/core'
import { SeamFilter } from '@argot/core/stream'
import { defined, type Envelope } from '@argot/core/stream/internal'
import type { ChatMessage } from '@argot/core/types'
import type { ChatStream } from '../types/index.ts'

interface HeldAnswer {
  approved: boolean
  reason?: string | undefined
}

/**
 * A stream that stays open while its message asks something, for clients that don't read the stream that an answer
 * returns. Everything after the answer arrives in the same stream, as the same message.
 */
export class HeldStream {
  readonly stream: ChatStream
  readonly #before: readonly ChatMessage[]
  readonly #signal: AbortSignal
  readonly #fold = accumulate()
  readonly #answers: Map<string, HeldAnswer> = new Map()
  #reader: ReadableStreamDefaultReader<Chunk | Envelope>
  readonly #seams: SeamFilter = new SeamFilter()
  /** The end of a part of the message. It is the end of the message unless a question is open. */
  #ending: Chunk | undefined
  #resume: (() => void) | undefined
  #hasLeft = false

  constructor(before: readonly ChatMessage[], source: ChatStream, signal: AbortSignal) {
    this.#before = before
    this.#reader = source.getReader()
    this.#signal = signal
    signal.addEventListener('abort', this.#leave)
    this.stream = new ReadableStream({
      pull: controller => this.#pull(controller),
      cancel: reason => {
        this.#leave()
        return this.#reader.cancel(reason)
      },
    })
  }

  asks(approvalId: string): boolean {
    return this.#waiting().includes(approvalId)
  }

  /** Records an answer. Once nothing waits, it returns the conversation with all answers, for the server. */
  answer(approvalId: string, { approved, reason }: HeldAnswer): ChatMessage[] | undefined {
    this.#answers.set(approvalId, { approved, reason })
    if (this.#waiting().some(id => !this.#answers.has(id))) return undefined
    const message = this.#fold.message!
    const parts = message.parts.map(part => {
      const answer = isToolPart(part) ? this.#answers.get(getApprovalId(part)) : undefined
      if (!isToolPart(part) || answer === undefined || part.toolInvocation.state !== 'approval-requested') return part
      const approval = { id: getApprovalId(part), approved: answer.approved, ...defined({ reason: answer.reason }) }
      return { ...part, toolInvocation: { ...part.toolInvocation, state: 'approval-responded', approval } }
    })
    return [...this.#before, { ...message, parts } as ChatMessage]
  }

  /** The answer was not accepted: it may be given again. */
  takeBack(approvalId: string): void {
    this.#answers.delete(approvalId)
  }

  continueWith(stream: ChatStream): void {
    this.#answers.clear()
    this.#ending = undefined
    this.#reader = stream.getReader()
    this.#resume?.()
  }

  async #pull(controller: ReadableStreamDefaultController<Chunk | Envelope>): Promise<void> {
    for (;;) {
      const { done, value } = await this.#reader.read().catch((error: unknown) => {
        this.#leave()
        throw error
      })
      if (!done) {
        const chunk = this.#take('chunk' in value ? value.chunk : value)
        if (chunk === undefined) continue
        return controller.enqueue(chunk)
      }
      if (this.#waiting().length === 0 || this.#hasLeft) {
        if (this.#ending !== undefined) controller.enqueue(this.#ending)
        this.#leave()
        return controller.close()
      }
      await new Promise<void>(resolve => {
        this.#resume = resolve
      })
    }
  }

  /** Undefined for chunks that are useless to a client that sees one message. */
  #take(chunk: Chunk): Chunk | undefined {
    if (chunk.type === 'finish') {
      this.#ending = chunk
      return undefined
    }
    if (!this.#seams.keeps(chunk)) return undefined
    this.#fold.push(chunk)
    return chunk
  }

  #waiting(): string[] {
    const parts = this.#fold.message?.parts ?? []
    return parts.flatMap(part =>
      isToolPart(part) && part.toolInvocation.state === 'approval-requested' ? [getApprovalId(part)] : [],
    )
  }

  readonly #leave = (): void => {
    this.#signal.removeEventListener('abort', this.#leave)
    this.#hasLeft = true
    this.#resume?.()
  }
}

function getApprovalId(part: Extract<ChatMessage['parts'][number], { toolInvocation: unknown }>): string {
  const { approval, toolCallId } = part.toolInvocation
  return approval?.id ?? toolCallId
}
