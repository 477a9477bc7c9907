import type { FinishReason } from '../message/message.ts'
import type { ProviderMetadata, SettledBy } from '../message/tool-invocation.ts'
import { settlementTexts } from './builder/settlement.ts'
import { type Chunk, withArgotMetadata } from './chunk.ts'
import { type ChunkFacts, type ChunkOn, chunkFacts, settledState } from './chunk-table.ts'
import { isParkReason } from './parking.ts'

export type StreamEnding =
  | { type: 'finish'; finishReason?: FinishReason; messageMetadata?: unknown }
  | { type: 'abort'; reason?: string }
  /** `finishReason` defaults to `error`. */
  | { type: 'error'; errorText: string; finishReason?: FinishReason; messageMetadata?: unknown }

/**
 * Watches a stream and tracks what is open, so that the stream can be ended after any chunk in the right order: a
 * settlement for each open call, `text-end` for open text, `error`, `finish-step`, then `finish` or `abort`.
 */
export class OpenParts {
  #messageId: string | undefined
  #isStepOpen = false
  #ended = false
  /** True for a call that could wait for someone outside: its input is complete. */
  readonly #calls: Map<string, boolean> = new Map()
  /** With each text's newest metadata: clients replace it with the metadata at the end. */
  readonly #texts: Map<string, { type: 'text-end' | 'reasoning-end'; id: string; metadata?: ProviderMetadata }> =
    new Map()

  get ended(): boolean {
    return this.#ended
  }

  watch(chunk: Chunk): void {
    const { on, does } = chunkFacts(chunk)
    switch (on) {
      case 'message':
        if (does === 'opens')
          this.#messageId = (chunk as Extract<Chunk, { type: 'start' }>).messageId ?? this.#messageId
        else if (does === 'ends') this.#ended = true
        return
      case 'step':
        return this.#watchStep(does)
      case 'text':
      case 'reasoning':
        return this.#watchText(chunk as ChunkOn<'text' | 'reasoning'>, `${on}-end`, does)
      case 'call':
        return this.#watchCall(chunk as ChunkOn<'call'>, does)
      default:
        return
    }
  }

  #watchStep(does: ChunkFacts['does']): void {
    if (does === 'resets') {
      this.#calls.clear()
      this.#texts.clear()
    } else {
      this.#isStepOpen = does === 'opens'
    }
  }

  #watchText(
    { id, providerMetadata }: ChunkOn<'text' | 'reasoning'>,
    type: 'text-end' | 'reasoning-end',
    does: ChunkFacts['does'],
  ): void {
    if (does === 'ends') {
      this.#texts.delete(`${type} ${id}`)
    } else if (does === 'opens' || providerMetadata !== undefined) {
      const metadata = providerMetadata === undefined ? {} : { metadata: providerMetadata }
      this.#texts.set(`${type} ${id}`, { type, id, ...metadata })
    }
  }

  /** A call with preliminary output is running, so it doesn't wait for anyone outside. */
  #watchCall(chunk: ChunkOn<'call'>, does: ChunkFacts['does']): void {
    const { toolCallId } = chunk
    if (does === 'opens') this.#calls.set(toolCallId, false)
    else if (does === 'readies') this.#calls.set(toolCallId, true)
    else if (does !== 'settles') return
    else if (settledState(chunk) === undefined) this.#calls.set(toolCallId, false)
    else this.#calls.delete(toolCallId)
  }

  /**
   * Returns the chunks that end the stream; none if it has already ended. A run that finishes with `tool-calls` leaves
   * calls open that wait for someone outside: an approval, or a client that runs the tool.
   */
  end(ending: StreamEnding): Chunk[] {
    if (this.#ended) return []
    const chunks: Chunk[] = []
    const settledBy: SettledBy = ending.type === 'finish' ? 'end' : ending.type
    const errorText = getReason(ending)
    const parks = ending.type !== 'abort' && isParkReason(ending.finishReason)
    for (const [toolCallId, waits] of this.#calls) {
      if (parks && waits) continue
      chunks.push({ type: 'tool-output-error', toolCallId, errorText, providerMetadata: { argot: { settledBy } } })
    }
    chunks.push(...this.#textEnds(ending.type !== 'finish'))
    if (ending.type === 'error') chunks.push({ type: 'error', errorText: ending.errorText })
    if (this.#isStepOpen) chunks.push({ type: 'finish-step' })
    chunks.push(this.#lastChunk(ending))
    for (const chunk of chunks) this.watch(chunk)
    return chunks
  }

  /** For the end of a step: no text continues in the next one. */
  endTexts(isAborted: boolean): Chunk[] {
    const chunks = this.#textEnds(isAborted)
    for (const chunk of chunks) this.watch(chunk)
    return chunks
  }

  #textEnds(isAborted: boolean): Chunk[] {
    return Array.from(this.#texts.values(), ({ type, id, metadata }) => {
      if (!isAborted) return { type, id }
      return { type, id, providerMetadata: withArgotMetadata(metadata, { state: 'aborted' }) }
    })
  }

  #lastChunk(ending: StreamEnding): Chunk {
    const id = this.#messageId === undefined ? {} : { messageId: this.#messageId }
    if (ending.type !== 'error') return { ...ending, ...id }
    const { errorText: _, finishReason = 'error', ...rest } = ending
    return { ...rest, type: 'finish', ...id, finishReason }
  }
}

function getReason(ending: StreamEnding): string {
  switch (ending.type) {
    case 'finish':
      return settlementTexts.finish
    case 'abort':
      return `${settlementTexts.abort}${ending.reason === undefined ? '' : ` Reason: ${ending.reason}`}`
    case 'error':
      return `${settlementTexts.error} Reason: ${ending.errorText}`
  }
}
