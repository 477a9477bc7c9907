import type { ReasoningPart, TextPart, TextPhase } from '../../message/message.ts'
import type { ProviderMetadata } from '../../message/tool-invocation.ts'
import { argotMetadata, withArgotMetadata } from '../chunk.ts'
import type { Slot } from './part-list.ts'
import { SurrogateJoiner } from './payload.ts'

export interface TextState {
  fields: TextPart | ReasoningPart
  held: string
}

/** A text or reasoning part that grows by appending; nothing here ever reads what was appended. */
export class TextBuilder implements Slot {
  index = 0
  readonly #fields: TextPart | ReasoningPart
  readonly #joiner: SurrogateJoiner
  #part: TextPart | ReasoningPart | undefined

  constructor(fields: TextPart | ReasoningPart, onLone: () => void, held = '') {
    this.#fields = fields
    this.#joiner = new SurrogateJoiner(onLone, held)
    this.describe(fields.providerMetadata)
  }

  get key(): string {
    return textKey(this.#fields.type, this.#fields.id)
  }

  get open(): boolean {
    return this.#fields.state === 'streaming'
  }

  append(delta: string): void {
    this.#fields.text += this.#joiner.push(delta)
    this.#part = undefined
  }

  /** Takes over the provider's metadata, and from Argot's own what the text is for. */
  describe(metadata: ProviderMetadata | undefined): void {
    if (metadata === undefined) return
    this.#fields.providerMetadata = metadata
    this.#part = undefined
    const own = argotMetadata({ providerMetadata: metadata })
    if (own === undefined || this.#fields.type !== 'text') return
    if (isPhase(own.phase)) this.#fields.phase = own.phase
    if (typeof own.toolCallId === 'string') this.#fields.toolCallId = own.toolCallId
  }

  end(state: 'done' | 'aborted'): void {
    this.#fields.text += this.#joiner.end()
    this.#fields.state = state
    if (state === 'aborted') {
      this.#fields.providerMetadata = withArgotMetadata(this.#fields.providerMetadata, { state })
    }
    this.#part = undefined
  }

  part(): TextPart | ReasoningPart {
    this.#part ??= { ...this.#fields }
    return this.#part
  }

  toJSON(): TextState {
    return { fields: { ...this.#fields }, held: this.#joiner.held }
  }
}

/** Texts and reasonings may share an id. */
export function textKey(type: 'text' | 'reasoning', id: string): string {
  return `${type}\u0000${id}`
}

function isPhase(value: unknown): value is TextPhase {
  return value === 'pending' || value === 'commentary' || value === 'final' || value === 'remainder'
}
