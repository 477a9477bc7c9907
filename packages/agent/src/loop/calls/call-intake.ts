import type { Chunk } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import { type CallKeys, type ShortCallIds, withArgotMetadata } from '@argot/core/stream/internal'
import type { RunStream } from '../run-stream.ts'
import type { LoopCall } from './loop-call.ts'
import { RepeatedCalls } from './repeated-calls.ts'
import type { StepCalls } from './step-calls.ts'

/**
 * Takes the chunks of the model: gives its calls their ids, leaves out calls that it said twice and results that are not its to give, and hands
 * each call whose input is complete to the step.
 */
export class CallIntake {
  readonly #stream: RunStream
  /** Gives the calls of the message their keys. */
  readonly #keys: CallKeys
  readonly #ids: ShortCallIds
  /** The ids of this step's calls, by those that the model gave them. */
  readonly #short: Map<string, string> = new Map()
  /** Calls that the model gave no id. */
  readonly #unnamed: Set<string> = new Set()
  /** The key of the newest call of each id. */
  readonly #newest: Map<string, string> = new Map()
  /** The calls that the provider runs itself, by id: only their results are its to give. */
  readonly #provided: Set<string> = new Set()
  #repeated: RepeatedCalls = new RepeatedCalls()
  #calls: StepCalls | undefined
  #unreadable = 0

  constructor(stream: RunStream, keys: CallKeys, ids: ShortCallIds) {
    this.#stream = stream
    this.#keys = keys
    this.#ids = ids
  }

  /** A step begins, with these calls. */
  begin(calls: StepCalls): void {
    this.#calls = calls
    this.#repeated = new RepeatedCalls()
    this.#short.clear()
    this.#unreadable = 0
  }

  /** Takes a chunk; a call is `runnable` unless the model failed or was stopped in the middle. */
  take(chunk: Chunk, runnable: boolean): void {
    for (const one of this.#repeated.push(chunk)) this.#takeOne(this.#withOwnId(one), runnable)
  }

  /** The model's part of the step is over. Gives the number of calls that could not be read. */
  end(): number {
    for (const chunk of this.#repeated.end()) this.#stream.push(this.#withOwnId(chunk))
    return this.#unreadable
  }

  /** The chunk under the id that its call has in this conversation. The model's own goes back to its provider. */
  #withOwnId(chunk: Chunk): Chunk {
    if (!('toolCallId' in chunk) || chunk.toolCallId === undefined) return chunk
    const { toolCallId: given } = chunk
    const isNew = chunk.type === 'tool-input-start' || !this.#short.has(given)
    if (isNew && this.#ids.isFree(given)) this.#unnamed.add(given)
    const toolCallId = isNew ? this.#ids.take(given) : this.#short.get(given)!
    if (isNew) this.#short.set(given, toolCallId)
    if (this.#unnamed.has(toolCallId)) return chunk
    return isInput(chunk)
      ? {
          ...chunk,
          toolCallId,
          providerMetadata: withArgotMetadata(chunk.providerMetadata, { callId: given }),
        }
      : { ...chunk, toolCallId }
  }

  #takeOne(chunk: Chunk, runnable: boolean): void {
    if (!this.#isOwed(chunk)) return
    this.#stream.push(chunk)
    if (chunk.type === 'tool-input-start') this.#newest.set(chunk.toolCallId, this.#keys.take(chunk.toolCallId))
    if (!runnable) return
    if (chunk.type === 'tool-input-error') this.#unreadable++
    if (chunk.type !== 'tool-input-available' || chunk.providerExecuted === true) return
    // What the message does not show, because it goes past a limit, is not run either.
    if (this.#stream.stateOf(chunk.toolCallId) === 'input-available') this.#calls?.add(this.#toCall(chunk))
    else this.#unreadable++
  }

  /** False for the result of a call that the provider does not run. */
  #isOwed(chunk: Chunk): boolean {
    switch (chunk.type) {
      case 'tool-input-start':
      case 'tool-input-available':
        if (chunk.providerExecuted === true) this.#provided.add(chunk.toolCallId)
        else this.#provided.delete(chunk.toolCallId)
        return true
      case 'tool-output-available':
      case 'tool-output-error':
        return this.#provided.has(chunk.toolCallId)
      default:
        return true
    }
  }

  #toCall(chunk: Extract<Chunk, { type: 'tool-input-available' }>): LoopCall {
    const { toolCallId, toolName, input, title } = chunk
    const key = this.#newest.get(toolCallId) ?? toolCallId
    return { toolCallId, toolName, input, title, key, inReasoning: argotMetadata(chunk)?.inReasoning }
  }
}

/** Readers replace a call's metadata by what comes later, so each chunk with metadata has the id. */
function isInput(chunk: Chunk): chunk is Extract<Chunk, { type: `tool-input-${string}` }> {
  if (chunk.type === 'tool-input-delta') return chunk.providerMetadata !== undefined
  return chunk.type === 'tool-input-start' || chunk.type === 'tool-input-available' || chunk.type === 'tool-input-error'
}
