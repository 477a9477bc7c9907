import type { DataPart, Message, MessagePart, ReasoningPart, TextPart } from '../../message/message.ts'
import type { ProviderMetadata, SettledBy } from '../../message/tool-invocation.ts'
import type { ErrorCode } from '../../source/error.ts'
import { argotMetadata, type Chunk, type DataChunk, finishReasons, isDataChunk } from '../chunk.ts'
import type { ChunkOn } from '../chunk-table.ts'
import * as limits from '../limits.ts'
import { isParkReason } from '../parking.ts'
import { toSteeredMetadata } from '../user-message-chunk.ts'
import { CallBuilder, type CallBuilderState } from './call-builder.ts'
import { CallTable, type CallTableContext, type CallTableState } from './call-table.ts'
import { type MessageFields, MessageHeadBuilder } from './message-head-builder.ts'
import type { Metadata } from './metadata.ts'
import { PartList, PlainSlot, type Slot } from './part-list.ts'
import { inspectPayload } from './payload.ts'
import { dataKey, plainPart } from './plain-part.ts'
import { settlementTexts } from './settlement.ts'
import { TextBuilder, type TextBuilderState, textKey } from './text-builder.ts'

export interface MessageContext {
  now(): number
  report(code: ErrorCode, message: string): void
  onStateChange(call: CallBuilder): void
}

export interface MessageState {
  fields: MessageFields
  slots: ({ text: TextBuilderState } | { call: CallBuilderState } | { part: MessagePart })[]
  calls: CallTableState
  superseded: string[]
  step: number
  stepStart: number
  reset: boolean
  length: number
  full: boolean
  finished: boolean
}

/** Another builder's state, or a complete message. */
export type MessageBeginning = Pick<MessageState, 'fields' | 'slots'> & Partial<MessageState>

/** The cost of a chunk doesn't depend on earlier ones: parts are looked up by id, never by a search. */
export class MessageBuilder implements CallTableContext {
  readonly #context: MessageContext
  readonly head: MessageHeadBuilder
  readonly parts: PartList = new PartList()
  readonly #calls: CallTable
  readonly #texts: Map<string, TextBuilder> = new Map()
  readonly #dataSlots: Map<string, PlainSlot> = new Map()
  readonly #superseded: Set<string>
  step: number
  #stepStart: number
  /** The step was taken back and starts again, so its `step-start` part is reused. */
  #reset: boolean
  #length: number
  #full: boolean
  #finished: boolean
  #message: Message | undefined
  next: MessageBuilder | undefined

  constructor(context: MessageContext, start: string | MessageBeginning) {
    const state = typeof start === 'string' ? undefined : start
    this.#context = context
    this.head = state ? new MessageHeadBuilder(state.fields) : MessageHeadBuilder.begin(start as string, context.now())
    this.#calls = new CallTable(this, state?.calls)
    this.#superseded = new Set(state?.superseded)
    this.step = state?.step ?? 0
    this.#stepStart = state?.stepStart ?? 0
    this.#reset = state?.reset ?? false
    for (const slot of state?.slots ?? []) this.#restore(slot)
    this.#length = state?.length ?? 0
    this.#full = state?.full ?? false
    this.#finished = state?.finished ?? false
  }

  /** `finish` or `abort` has arrived, so any later chunk is late. */
  get finished(): boolean {
    return this.#finished
  }

  /** The returned message never changes. Unchanged parts are the same objects as before. */
  message(): Message {
    if (this.#message === undefined || this.parts.hasChanged) {
      this.#message = this.head.message(this.parts.snapshot())
    }
    return this.#message
  }

  push(chunk: Chunk): void {
    switch (chunk.type) {
      case 'start':
        return this.#setMetadata(chunk.messageMetadata)
      case 'message-metadata':
        return this.#setMetadata(chunk.messageMetadata ?? chunk.metadata)
      case 'user-message':
        return this.#finish({ type: 'finish', messageMetadata: toSteeredMetadata(chunk) })
      case 'start-step':
        return this.#startStep()
      case 'finish-step':
        this.#reset = false
        return this.#endTexts('done')
      case 'reset-step':
        return this.#resetStep()
      case 'finish':
        return this.#finish(chunk)
      case 'abort':
        this.#stop('cancelled', 'abort', typeof chunk.reason === 'string' ? chunk.reason : undefined)
        return this.#close()
      case 'error':
        return this.#stop('error', 'error', chunk.errorText)
      default:
        if (this.#full) return
        this.#addContent(chunk)
        if (this.#length > limits.messageLength) this.#markFull()
    }
  }

  /** Call it when the stream is over, with or without `finish` or `abort`. */
  end(): void {
    if (this.#finished) return
    if (this.head.status === 'streaming') {
      this.report('STREAM_UNFINISHED', 'The stream ended without `finish` or `abort`.')
      this.head.errorText = 'The stream ended before the message was finished.'
    }
    this.#stop('error', 'end', undefined)
    this.#close()
  }

  /** Continues a message that finished while a call waited for someone outside. False if no call waits. */
  resume(): boolean {
    if (!isParkReason(this.head.finishReason) || this.#calls.openCalls().length === 0) return false
    this.head.finishReason = undefined
    this.#finished = false
    this.#setStatus('streaming')
    return true
  }

  #addContent(chunk: Exclude<Chunk, ChunkOn<'message' | 'step'>>): void {
    switch (chunk.type) {
      case 'text-start':
      case 'reasoning-start': {
        const type = chunk.type === 'text-start' ? 'text' : 'reasoning'
        this.#superseded.delete(textKey(type, chunk.id))
        this.#openText(type, chunk.id, chunk.providerMetadata)
        return
      }
      case 'text-delta':
        return this.#appendText('text', chunk.id, chunk.delta, chunk.providerMetadata)
      case 'reasoning-delta':
        return this.#appendText('reasoning', chunk.id, chunk.delta, chunk.providerMetadata)
      case 'text-end':
        return this.#endText('text', chunk.id, chunk.providerMetadata)
      case 'reasoning-end':
        return this.#endText('reasoning', chunk.id, chunk.providerMetadata)
      case 'source-url':
      case 'source-document':
      case 'file':
        return this.parts.add(new PlainSlot(plainPart(chunk, text => this.#inspect(text) as string)))
      default:
        if (isDataChunk(chunk)) this.#addData(chunk)
        else this.#calls.push(chunk)
    }
  }

  #openText(type: 'text' | 'reasoning', id: string, metadata: ProviderMetadata | undefined): TextBuilder {
    const reused = this.#texts.get(textKey(type, id))
    if (reused !== undefined) this.#closeText(reused, 'done')
    const fields: TextPart | ReasoningPart = { type, id, text: '', state: 'streaming' }
    if (fields.type === 'text') fields.phase = 'pending'
    if (metadata !== undefined) fields.providerMetadata = metadata
    const text = new TextBuilder(fields, this.reportLoneSurrogate)
    this.#texts.set(text.key, text)
    this.parts.add(text)
    return text
  }

  #appendText(type: 'text' | 'reasoning', id: string, delta: string, metadata: ProviderMetadata | undefined): void {
    const text = this.#texts.get(textKey(type, id)) ?? this.#openImplicitly(type, id)
    if (text === undefined) return
    text.append(delta)
    text.setMetadata(metadata)
    if (metadata === undefined) this.parts.grow(text)
    else this.parts.touch(text)
    this.addLength(delta.length)
  }

  #endText(type: 'text' | 'reasoning', id: string, metadata: ProviderMetadata | undefined): void {
    const text = this.#texts.get(textKey(type, id)) ?? this.#openImplicitly(type, id)
    if (text === undefined) return
    text.setMetadata(metadata)
    const aborted = metadata !== undefined && argotMetadata({ providerMetadata: metadata })?.state === 'aborted'
    this.#closeText(text, aborted ? 'aborted' : 'done')
  }

  #openImplicitly(type: 'text' | 'reasoning', id: string): TextBuilder | undefined {
    if (this.#superseded.has(textKey(type, id))) {
      this.report('STREAM_LATE_CHUNK', 'A chunk for a text that a reset removed was ignored.')
      return undefined
    }
    this.report('STREAM_NO_OPENING', `A chunk came without its \`${type}-start\`; the part was opened anyway.`)
    return this.#openText(type, id, undefined)
  }

  #closeText(text: TextBuilder, state: 'done' | 'aborted'): void {
    text.end(state)
    this.#texts.delete(text.key)
    this.parts.touch(text)
  }

  #endTexts(state: 'done' | 'aborted'): void {
    for (const text of this.#texts.values()) this.#closeText(text, state)
  }

  #addData(chunk: DataChunk): void {
    if (chunk.transient === true) return
    const part: DataPart = { type: chunk.type, data: this.#inspect(chunk.data) }
    if (chunk.id !== undefined) part.id = chunk.id
    const key = dataKey(part)
    const existing = key === undefined ? undefined : this.#dataSlots.get(key)
    if (existing !== undefined) {
      this.addLength(-inspectPayload((existing.value as DataPart).data).length)
      existing.value = part
      return this.parts.touch(existing)
    }
    const slot = new PlainSlot(part)
    if (key !== undefined) this.#dataSlots.set(key, slot)
    this.parts.add(slot)
  }

  #startStep(): void {
    this.#endTexts('done')
    this.step++
    const isStartReused = this.#reset && this.parts.length === this.#stepStart
    this.#reset = false
    if (isStartReused) return
    this.parts.add(new PlainSlot({ type: 'step-start' }))
    this.#stepStart = this.parts.length
  }

  #resetStep(): void {
    for (const slot of this.parts.truncate(this.#stepStart)) {
      if (slot instanceof CallBuilder) this.#calls.supersede(slot)
      else if (slot instanceof TextBuilder) this.#superseded.add(slot.key)
      else this.#dataSlots.delete(dataKey(slot.part() as DataPart) ?? '')
    }
    this.#texts.clear()
    this.#message = undefined
    this.#reset = this.step > 0
  }

  #finish(chunk: Extract<Chunk, { type: 'finish' }>): void {
    this.#setMetadata(chunk.messageMetadata)
    this.#endTexts('done')
    const reason = chunk.finishReason
    if (reason !== undefined) {
      this.head.finishReason = finishReasons.includes(reason) ? reason : 'other'
      if (!finishReasons.includes(reason)) this.report('STREAM_BAD_CHUNK', 'The finish reason is unknown.')
    }
    const parks = isParkReason(this.head.finishReason)
    for (const call of this.#calls.openCalls()) {
      if (!parks || call.state === 'input-streaming' || call.state === 'output-available') {
        call.settleUnanswered('end', settlementTexts.end)
      }
    }
    this.#setStatus(this.head.status === 'error' ? 'error' : 'sent')
    this.#close()
  }

  #close(): void {
    this.#calls.dropOrphans()
    this.#finished = true
  }

  #stop(status: 'cancelled' | 'error', by: SettledBy, reason: string | undefined): void {
    this.#settleCalls(by, reason)
    this.#endTexts('aborted')
    if (reason !== undefined) this.head.errorText = reason.toWellFormed()
    this.#setStatus(this.head.status === 'error' ? 'error' : status)
  }

  #settleCalls(by: SettledBy, reason?: string): void {
    const errorText = reason === undefined ? settlementTexts[by] : `${settlementTexts[by]} Reason: ${reason}`
    const calls = this.#calls.openCalls().sort((a, b) => a.index - b.index)
    for (const call of calls) call.settleUnanswered(by, errorText.toWellFormed())
  }

  #setStatus(status: Message['status']): void {
    this.head.status = status
    this.#touchHead()
  }

  #setMetadata(metadata: unknown): void {
    if (metadata === undefined || metadata === null) return
    if (typeof metadata !== 'object' || Array.isArray(metadata)) {
      return this.report('STREAM_BAD_CHUNK', 'The metadata of a message must be an object; it was ignored.')
    }
    const wellFormed = this.#inspect(metadata)
    if (typeof wellFormed !== 'object' || wellFormed === null) return
    this.head.addMetadata(wellFormed as Metadata)
    this.#touchHead()
  }

  #touchHead(): void {
    this.#message = undefined
    this.head.changedVersion = ++this.parts.version
  }

  /** Repairs a value from outside if needed, and adds its length to the message's. */
  #inspect(value: unknown): unknown {
    const payload = inspectPayload(value)
    if (payload.repaired) this.reportLoneSurrogate()
    if (payload.tooDeep) this.report('STREAM_TOO_DEEP', 'A value is nested too deeply; its JSON text is kept.')
    this.addLength(payload.length)
    return payload.value
  }

  readonly reportLoneSurrogate = (): void => {
    this.report('STREAM_LONE_SURROGATE', 'An unpaired surrogate was replaced by U+FFFD.')
  }

  now(): number {
    return this.#context.now()
  }

  report(code: ErrorCode, message: string): void {
    this.#context.report(code, message)
  }

  onOpen(call: CallBuilder): void {
    this.parts.add(call)
  }

  onChange(call: CallBuilder): void {
    this.parts.touch(call)
  }

  onInputGrowth(call: CallBuilder): void {
    this.parts.grow(call)
  }

  onStateChange(call: CallBuilder): void {
    this.#context.onStateChange(call)
  }

  addLength(length: number): void {
    this.#length += length
  }

  #markFull(): void {
    this.#full = true
    this.report(
      'STREAM_MESSAGE_TOO_LONG',
      `The message is longer than ${limits.messageLength} characters; the rest is ignored.`,
    )
    this.#settleCalls('limit')
    this.#endTexts('aborted')
  }

  #restore(slot: MessageState['slots'][number]): void {
    if ('text' in slot) {
      const text = new TextBuilder({ ...slot.text.fields }, this.reportLoneSurrogate, slot.text.held)
      if (text.isOpen) this.#texts.set(text.key, text)
      this.parts.add(text)
    } else if ('call' in slot) {
      this.parts.add(this.#calls.restore(slot.call))
    } else {
      const plain = new PlainSlot(slot.part)
      const key = dataKey(slot.part as DataPart)
      if (key !== undefined) this.#dataSlots.set(key, plain)
      this.parts.add(plain)
    }
  }

  toJSON(): MessageState {
    return {
      fields: this.head.fields(),
      slots: this.parts.slots.map(slotState),
      calls: this.#calls.toJSON(),
      superseded: [...this.#superseded],
      step: this.step,
      stepStart: this.#stepStart,
      reset: this.#reset,
      length: this.#length,
      full: this.#full,
      finished: this.#finished,
    }
  }
}

function slotState(slot: Slot): MessageState['slots'][number] {
  if (slot instanceof TextBuilder) return { text: slot.toJSON() }
  if (slot instanceof CallBuilder) return { call: slot.toJSON() }
  return { part: slot.part() }
}
