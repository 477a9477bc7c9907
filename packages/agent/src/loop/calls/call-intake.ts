import type { Chunk } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import { type CallKeys, type ShortCallIds, withArgotMetadata } from '@argot/core/stream/internal'
import type { RunStream } from '../run-stream.ts'
import type { LoopCall } from './loop-call.ts'
import { RepeatedCalls } from './repeated-calls.ts'
import type { StepCalls } from './step-calls.ts'

/**
 * Takes the model's chunks. Assigns ids to its calls, drops repeated calls and results that aren't the model's to give,
 * and passes each call with complete input to the step.
 */
export class CallIntake {
  readonly #stream: RunStream
  readonly #keys: CallKeys
  readonly #ids: ShortCallIds
  readonly #idsByModelId: Map<string, string> = new Map()
  readonly #unchangedIds: Set<string> = new Set()
  readonly #keysByCallId: Map<string, string> = new Map()
  /** Calls that the provider runs itself. Only their results may come from the provider. */
  readonly #providerCallIds: Set<string> = new Set()
  #repeated: RepeatedCalls = new RepeatedCalls()
  #calls: StepCalls | undefined
  #unreadable = 0

  constructor(stream: RunStream, keys: CallKeys, ids: ShortCallIds) {
    this.#stream = stream
    this.#keys = keys
    this.#ids = ids
  }

  begin(calls: StepCalls): void {
    this.#calls = calls
    this.#repeated = new RepeatedCalls()
    this.#idsByModelId.clear()
    this.#unreadable = 0
  }

  take(chunk: Chunk, runnable: boolean): void {
    for (const one of this.#repeated.push(chunk)) this.#takeOne(this.#withCallId(one), runnable)
  }

  /** Ends the model's part of the step. Returns the number of calls that couldn't be read. */
  end(): number {
    for (const chunk of this.#repeated.end()) this.#stream.push(this.#withCallId(chunk))
    return this.#unreadable
  }

  /** The chunk with the call's id in this conversation. The model's own id is kept for its provider. */
  #withCallId(chunk: Chunk): Chunk {
    if (!('toolCallId' in chunk) || chunk.toolCallId === undefined) return chunk
    const { toolCallId: modelId } = chunk
    const isNew = chunk.type === 'tool-input-start' || !this.#idsByModelId.has(modelId)
    if (isNew && this.#ids.isFree(modelId)) this.#unchangedIds.add(modelId)
    const toolCallId = isNew ? this.#ids.take(modelId) : this.#idsByModelId.get(modelId)!
    if (isNew) this.#idsByModelId.set(modelId, toolCallId)
    if (this.#unchangedIds.has(toolCallId)) return chunk
    return isInput(chunk)
      ? {
          ...chunk,
          toolCallId,
          providerMetadata: withArgotMetadata(chunk.providerMetadata, { callId: modelId }),
        }
      : { ...chunk, toolCallId }
  }

  #takeOne(chunk: Chunk, runnable: boolean): void {
    if (!this.#isExpected(chunk)) return
    this.#stream.push(chunk)
    if (chunk.type === 'tool-input-start') this.#keysByCallId.set(chunk.toolCallId, this.#keys.take(chunk.toolCallId))
    if (!runnable) return
    if (chunk.type === 'tool-input-error') this.#unreadable++
    if (chunk.type !== 'tool-input-available' || chunk.providerExecuted === true) return
    // If the message omits a call because it exceeds a limit, the call doesn't run either.
    if (this.#stream.getState(chunk.toolCallId) === 'input-available') this.#calls?.add(this.#toCall(chunk))
    else this.#unreadable++
  }

  /** False for the result of a call that the provider doesn't run. */
  #isExpected(chunk: Chunk): boolean {
    switch (chunk.type) {
      case 'tool-input-start':
      case 'tool-input-available':
        if (chunk.providerExecuted === true) this.#providerCallIds.add(chunk.toolCallId)
        else this.#providerCallIds.delete(chunk.toolCallId)
        return true
      case 'tool-output-available':
      case 'tool-output-error':
        return this.#providerCallIds.has(chunk.toolCallId)
      default:
        return true
    }
  }

  #toCall(chunk: Extract<Chunk, { type: 'tool-input-available' }>): LoopCall {
    const { toolCallId, toolName, input, title } = chunk
    const key = this.#keysByCallId.get(toolCallId) ?? toolCallId
    return { toolCallId, toolName, input, title, key, inReasoning: argotMetadata(chunk)?.inReasoning }
  }
}

/** Later metadata of a call replaces earlier metadata in readers, so every chunk with metadata carries the id. */
function isInput(chunk: Chunk): chunk is Extract<Chunk, { type: `tool-input-${string}` }> {
  if (chunk.type === 'tool-input-delta') return chunk.providerMetadata !== undefined
  return chunk.type === 'tool-input-start' || chunk.type === 'tool-input-available' || chunk.type === 'tool-input-error'
}
