import type { ReasoningPart, TextPart, TextPhase } from '../../message/message.ts'
import { checkOptionalMetadata } from '../../message/own-metadata.ts'
import type { ProviderMetadata } from '../../message/tool-invocation.ts'
import { argotMetadata, withArgotMetadata } from '../chunk.ts'
import { GrowingText } from '../json/growing-text.ts'
import { Slot } from './part-list.ts'
import { SurrogateJoiner } from './payload.ts'

export interface TextBuilderState {
  fields: TextPart | ReasoningPart
  held: string
}

/** Appended text is never read here. */
export class TextBuilder extends Slot {
  readonly #fields: Omit<TextPart, 'type' | 'text'> & { type: 'text' | 'reasoning' }
  readonly #text: GrowingText
  readonly #joiner: SurrogateJoiner
  #part: TextPart | ReasoningPart | undefined

  constructor(start: TextPart | ReasoningPart, onLoneSurrogate: () => void, held = '') {
    super()
    const { text, ...fields } = start
    this.#fields = fields
    this.#text = new GrowingText(text)
    this.#joiner = new SurrogateJoiner(onLoneSurrogate, held)
    this.setMetadata(fields.providerMetadata)
  }

  get key(): string {
    return textKey(this.#fields.type, this.#fields.id)
  }

  get isOpen(): boolean {
    return this.#fields.state === 'streaming'
  }

  get length(): number {
    return this.#text.length
  }

  since(length: number): string {
    return this.#text.since(length)
  }

  append(delta: string): void {
    this.#text.append(this.#joiner.push(delta))
    this.#part = undefined
  }

  /** The text's phase comes from Argot's own fields in it. */
  setMetadata(metadata: ProviderMetadata | undefined): void {
    if (metadata === undefined) return
    const ownMetadata = checkOptionalMetadata(metadata, 'text')
    if (ownMetadata === undefined) delete this.#fields.providerMetadata
    else this.#fields.providerMetadata = ownMetadata
    this.#part = undefined
    const own = argotMetadata({ providerMetadata: ownMetadata })
    if (own === undefined || this.#fields.type !== 'text') return
    if (isPhase(own.phase)) this.#fields.phase = own.phase
    if (typeof own.toolCallId === 'string') this.#fields.toolCallId = own.toolCallId
  }

  end(state: 'done' | 'aborted'): void {
    this.#text.append(this.#joiner.end())
    this.#fields.state = state
    if (state === 'aborted') {
      this.#fields.providerMetadata = withArgotMetadata(this.#fields.providerMetadata, { state })
    }
    this.#part = undefined
  }

  part(): TextPart | ReasoningPart {
    if (this.#part === undefined) {
      const { type, id, state, phase, toolCallId, providerMetadata } = this.#fields
      const part = { type, id, text: this.#text.text, state } as TextPart
      if (phase !== undefined) part.phase = phase
      if (toolCallId !== undefined) part.toolCallId = toolCallId
      if (providerMetadata !== undefined) part.providerMetadata = providerMetadata
      this.#part = part
    }
    return this.#part
  }

  toJSON(): TextBuilderState {
    return { fields: { ...this.part() }, held: this.#joiner.held }
  }
}

/** Texts and reasonings may share an id. */
export function textKey(type: 'text' | 'reasoning', id: string): string {
  return `${type}\u0000${id}`
}

function isPhase(value: unknown): value is TextPhase {
  return value === 'pending' || value === 'commentary' || value === 'final' || value === 'remainder'
}
