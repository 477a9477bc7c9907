import type { FinishReason } from '../message/message.ts'
import type { ProviderMetadata, SettledBy } from '../message/tool-invocation.ts'
import { type Chunk, withArgotMetadata } from './chunk.ts'

/** How a stream ends. */
export type Ending =
  | { type: 'finish'; finishReason?: FinishReason; messageMetadata?: unknown }
  | { type: 'abort'; reason?: string }
  | { type: 'error'; errorText: string }

/**
 * Watches a stream and knows what is open in it, so that it can be ended at any chunk in the one right order: a
 * settlement for each open call, `text-end` for open text, `error`, `finish-step`, then `finish` or `abort`.
 */
export class OpenParts {
  #messageId: string | undefined
  #step = false
  #ended = false
  /** The calls that are not settled, and whether each could wait for someone outside: its input is whole. */
  readonly #calls: Map<string, boolean> = new Map()
  /** The open texts, with the newest metadata of each: a client replaces it by that of the end. */
  readonly #texts: Map<string, { type: 'text-end' | 'reasoning-end'; id: string; metadata?: ProviderMetadata }> =
    new Map()

  /** `finish` or `abort` has passed. */
  get ended(): boolean {
    return this.#ended
  }

  watch(chunk: Chunk): void {
    switch (chunk.type) {
      case 'start':
        this.#messageId = chunk.messageId ?? this.#messageId
        return
      case 'start-step':
        this.#step = true
        return
      case 'finish-step':
        this.#step = false
        return
      case 'reset-step':
        this.#calls.clear()
        this.#texts.clear()
        return
      case 'text-start':
      case 'reasoning-start':
      case 'text-delta':
      case 'reasoning-delta':
        return this.#watchText(chunk)
      case 'text-end':
      case 'reasoning-end':
        this.#texts.delete(`${chunk.type} ${chunk.id}`)
        return
      case 'tool-input-start':
        this.#calls.set(chunk.toolCallId, false)
        return
      case 'tool-input-available':
        this.#calls.set(chunk.toolCallId, true)
        return
      case 'tool-output-available':
        if (chunk.preliminary === true) this.#calls.set(chunk.toolCallId, false)
        else this.#calls.delete(chunk.toolCallId)
        return
      case 'tool-input-error':
      case 'tool-output-error':
      case 'tool-output-denied':
        this.#calls.delete(chunk.toolCallId)
        return
      case 'finish':
      case 'abort':
        this.#ended = true
        return
      default:
        return
    }
  }

  #watchText(chunk: Extract<Chunk, { type: `${'text' | 'reasoning'}-${'start' | 'delta'}` }>): void {
    const type = chunk.type.startsWith('text') ? 'text-end' : 'reasoning-end'
    const { id, providerMetadata } = chunk
    const isStart = chunk.type.endsWith('start')
    if (!isStart && providerMetadata === undefined) return
    const metadata = providerMetadata === undefined ? {} : { metadata: providerMetadata }
    this.#texts.set(`${type} ${id}`, { type, id, ...metadata })
  }

  /**
   * The chunks that end the stream; none when it has ended already. A run that finishes for `tool-calls` leaves calls
   * open that wait for someone outside: an approval, or a client that runs the tool.
   */
  end(ending: Ending): Chunk[] {
    if (this.#ended) return []
    const chunks: Chunk[] = []
    const settledBy: SettledBy = ending.type === 'finish' ? 'end' : ending.type
    const errorText = reasonOf(ending)
    const parks = ending.type === 'finish' && ending.finishReason === 'tool-calls'
    for (const [toolCallId, waits] of this.#calls) {
      if (parks && waits) continue
      chunks.push({ type: 'tool-output-error', toolCallId, errorText, providerMetadata: { argot: { settledBy } } })
    }
    for (const { type, id, metadata } of this.#texts.values()) {
      if (ending.type === 'finish') chunks.push({ type, id })
      else chunks.push({ type, id, providerMetadata: withArgotMetadata(metadata, { state: 'aborted' }) })
    }
    if (ending.type === 'error') chunks.push({ type: 'error', errorText: ending.errorText })
    if (this.#step) chunks.push({ type: 'finish-step' })
    chunks.push(this.#last(ending))
    for (const chunk of chunks) this.watch(chunk)
    return chunks
  }

  #last(ending: Ending): Chunk {
    const id = this.#messageId === undefined ? {} : { messageId: this.#messageId }
    if (ending.type === 'error') return { type: 'finish', ...id, finishReason: 'error' }
    return { ...ending, ...id }
  }
}

function reasonOf(ending: Ending): string {
  switch (ending.type) {
    case 'finish':
      return 'The run ended before this call finished.'
    case 'abort':
      return `The run was stopped before this call finished.${ending.reason === undefined ? '' : ` Reason: ${ending.reason}`}`
    case 'error':
      return `The run failed before this call finished. Reason: ${ending.errorText}`
  }
}
