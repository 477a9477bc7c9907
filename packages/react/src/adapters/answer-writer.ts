import type { Chunk } from '@argot/core'
import { chunkFacts } from '@argot/core/stream'
import { UniqueIds } from '@argot/core/stream/internal'

/**
 * Writes strings into a stream of chunks. It begins and ends the strings' message, unless the chunks do so. A string
 * continues the text before it. After a chunk with its own place in the message, a string begins a new text, under a
 * unique id: readers keep texts and calls in their order.
 */
export class AnswerWriter {
  readonly #messages: UniqueIds = new UniqueIds()
  readonly #messageId: string
  readonly #texts: UniqueIds = new UniqueIds()
  /** Calls, and data with an id, that already have a place. */
  readonly #placedNames: Set<string> = new Set()
  #isOpen = false
  /** The open message has strings, so the function may leave its end to the adapter. */
  #hasStrings = false
  #openTextId: string | undefined

  constructor(messageId: string) {
    this.#messageId = messageId
  }

  *text(delta: string): Generator<Chunk> {
    yield* this.#begin()
    this.#hasStrings = true
    if (this.#openTextId === undefined) {
      this.#openTextId = this.#texts.free('argot-text')
      this.#texts.add(this.#openTextId)
      yield { type: 'text-start', id: this.#openTextId }
    }
    yield { type: 'text-delta', id: this.#openTextId, delta }
  }

  /** The chunks that must come before `chunk`, which the function itself wrote. */
  *before(chunk: Chunk): Generator<Chunk> {
    const { on, does } = chunkFacts(chunk)
    if (on === 'message' && does !== 'describes') {
      yield* this.#endText()
      if (chunk.type === 'start' && chunk.messageId !== undefined) this.#messages.add(chunk.messageId)
      this.#isOpen = does === 'opens'
      this.#hasStrings = false
    } else if (this.#takesPlace(chunk)) {
      yield* this.#endText()
      yield* this.#begin()
    }
    if (chunk.type === 'text-start') this.#texts.add(chunk.id)
  }

  *end(): Generator<Chunk> {
    yield* this.#endText()
    if (this.#isOpen && this.#hasStrings) yield { type: 'finish' }
  }

  *#begin(): Generator<Chunk> {
    if (this.#isOpen) return
    const messageId = this.#messages.free(this.#messageId)
    this.#messages.add(messageId)
    this.#isOpen = true
    yield { type: 'start', messageId }
  }

  *#endText(): Generator<Chunk> {
    if (this.#openTextId !== undefined) yield { type: 'text-end', id: this.#openTextId }
    this.#openTextId = undefined
  }

  /** Whether the chunk adds something to the message; others change existing parts, or describe the whole message. */
  #takesPlace(chunk: Chunk): boolean {
    const { on, does } = chunkFacts(chunk)
    switch (on) {
      case 'call':
        return this.#isNew('toolCallId' in chunk ? `call ${chunk.toolCallId}` : undefined)
      case 'data':
        if ('transient' in chunk && chunk.transient === true) return false
        return this.#isNew('id' in chunk && chunk.id !== undefined ? `${chunk.type} ${chunk.id}` : undefined)
      case 'text':
      case 'reasoning':
        return does === 'opens'
      default:
        return on === 'step' || on === 'part'
    }
  }

  #isNew(name: string | undefined): boolean {
    if (name === undefined) return true
    if (this.#placedNames.has(name)) return false
    this.#placedNames.add(name)
    return true
  }
}
