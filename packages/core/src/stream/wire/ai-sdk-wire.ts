import { pickAnswer } from '../../message/approval-answer.ts'
import type { ToolApproval } from '../../message/tool-invocation.ts'
import { defined } from '../../source/defined.ts'
import { toApprovalAnswer } from '../approval-response.ts'
import { type Chunk, type DataChunk, type ToolOutputDenied, withArgotMetadata } from '../chunk.ts'
import { chunkFacts } from '../chunk-table.ts'

/** The transient chunk that shows a question immediately to clients that get the request itself only at the end. */
export const questionFact = 'data-argot-question'

/**
 * Adapts chunks about calls to AI SDK clients, which have three limits. Their messages are valid only if a result comes
 * with the answer that led to it. No v6 chunk can give a call its answer. A repeated question erases the client's
 * answer.
 *
 * So a question is sent when the stream ends without its answer, and content that the client has from an earlier stream
 * of the message is not repeated. An undefined input or output has no JSON and would be missing in the message, which
 * makes it invalid: it is sent as null.
 */
export class AiSdkWire {
  readonly #opened: Set<string> = new Set()
  readonly #earlierCalls: Set<string> = new Set()
  readonly #openQuestions: Map<string, Chunk> = new Map()
  readonly #answers: Map<string, ToolApproval> = new Map()

  push(chunk: Chunk): Chunk[] {
    switch (chunk.type) {
      case 'tool-input-start':
      case 'tool-input-available':
        return this.#input(chunk)
      case 'tool-approval-request':
        return this.#request(chunk)
      case 'tool-approval-response':
        return this.#response(chunk)
      case 'tool-output-denied':
        return this.#toDenial(chunk)
      case 'tool-output-available':
        this.#openQuestions.delete(chunk.toolCallId)
        return [chunk.output === undefined ? { ...chunk, output: null } : chunk]
      case 'tool-input-error':
      case 'tool-output-error':
        this.#openQuestions.delete(chunk.toolCallId)
        return [chunk]
      case 'reset-step':
        this.#openQuestions.clear()
        return [toFact(chunk)]
      case 'finish':
        return [...this.#openQuestions.values(), chunk]
      default:
        return [toFact(chunk)]
    }
  }

  #input(chunk: Extract<Chunk, { type: 'tool-input-start' | 'tool-input-available' }>): Chunk[] {
    const { toolCallId, known } = chunk
    if (known === true) this.#earlierCalls.add(toolCallId)
    // An edited input would move the call back to before its answer.
    if (this.#earlierCalls.has(toolCallId) && (known === true || chunk.type === 'tool-input-available')) return []
    this.#earlierCalls.delete(toolCallId)
    this.#opened.add(toolCallId)
    return [chunk.type === 'tool-input-available' && chunk.input === undefined ? { ...chunk, input: null } : chunk]
  }

  #request(chunk: Extract<Chunk, { type: 'tool-approval-request' }>): Chunk[] {
    if (chunk.known === true) return []
    this.#openQuestions.set(chunk.toolCallId, chunk)
    const { type: _, providerMetadata: __, ...data } = chunk
    return [{ type: questionFact, data, transient: true }]
  }

  #response(chunk: Extract<Chunk, { type: 'tool-approval-response' }>): Chunk[] {
    if (chunk.known === true) return []
    const { toolCallId, approvalId: id } = chunk
    this.#openQuestions.delete(toolCallId)
    this.#answers.set(toolCallId, { id, ...pickAnswer(toApprovalAnswer(chunk)) })
    return [toFact(chunk)]
  }

  /** A client accepts a denial only for a call that it denied itself. For other calls it gets an error that says so. */
  #toDenial(chunk: ToolOutputDenied): Chunk[] {
    const { toolCallId, providerMetadata } = chunk
    this.#openQuestions.delete(toolCallId)
    if (!this.#opened.has(toolCallId)) return [chunk]
    const answer = this.#answers.get(toolCallId)
    const reason = chunk.reason ?? answer?.reason
    const approval: ToolApproval = { id: toolCallId, ...answer, approved: false, ...defined({ reason }) }
    const errorText = reason === undefined ? 'The call was denied.' : `The call was denied. Reason: ${reason}`
    return [
      {
        type: 'tool-output-error',
        toolCallId,
        errorText,
        providerMetadata: withArgotMetadata(providerMetadata, { approval }),
      },
    ]
  }
}

/** Clients of `ai` 6 reject some types, so they get the fields as transient data. */
function toFact(chunk: Chunk): Chunk {
  const { fact: type } = chunkFacts(chunk)
  if (type === undefined) return chunk
  const { type: _, ...data } = chunk
  return { type, data, transient: true } satisfies DataChunk
}
