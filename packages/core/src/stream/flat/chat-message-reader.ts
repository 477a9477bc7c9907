import { isToolPart, type Message, type MessagePart } from '../../message/message.ts'
import { isSettled } from '../../message/tool-invocation.ts'
import type { MessageChange } from '../reader/message-change.ts'
import type { MessageReader } from '../reader/message-reader.ts'
import type { FlatChatMessage, FlatToolCall, ToolActivity } from './flat-chat-message.ts'
import { flatRecord } from './flat-record.ts'
import { FlatStep, toFlatCall } from './flat-step.ts'

/** Follows the newest message of an accumulator as one flat record. */
export interface ChatMessageReader {
  /**
   * What `toChatMessage` gives for the message now, from what has changed since it was last asked; the same object while
   * nothing has. What it gives never changes. Undefined before the first message.
   */
  read(): FlatChatMessage | undefined
}

/** Makes flat records of what a reader of an accumulator is told, for somebody who wants one after every chunk. */
export function chatMessageReader(reader: MessageReader): ChatMessageReader {
  return new RecordReader(reader)
}

/** One step of the message: what is certain of it up to its last call, and where that is. */
interface Step {
  /** The index of its first part. */
  from: number
  flat: FlatStep
  /** The index after its last call: what follows is not in `flat`. */
  tail: number
  /** The place of each call in `flat.calls`, by its index. */
  places: Map<number, number>
  /** `flat` with what follows; undefined once something of the step has changed. */
  whole: FlatStep | undefined
}

class RecordReader implements ChatMessageReader {
  readonly #reader: MessageReader
  #message: Omit<Message, 'parts'> | undefined
  readonly #parts: MessagePart[] = []
  readonly #steps: Step[] = []
  /** The content of all steps but the last. */
  #before: string | undefined
  /** The calls that are not settled, by their indexes. */
  readonly #open: Set<number> = new Set()
  /** All calls, which a record has and which is never changed; undefined once there are others. */
  #calls: FlatToolCall[] | undefined
  #record: FlatChatMessage | undefined

  constructor(reader: MessageReader) {
    this.#reader = reader
  }

  read(): FlatChatMessage | undefined {
    for (const change of this.#reader.changes()) {
      this.#record = undefined
      this.#apply(change)
    }
    if (this.#message === undefined) return undefined
    this.#record ??= this.#build(this.#message)
    return this.#record
  }

  #apply(change: MessageChange): void {
    switch (change.type) {
      case 'message':
        if (change.begins) this.#removeFrom(0)
        this.#message = change.message
        return
      case 'added':
        this.#parts.push(change.part)
        return this.#add(change.part, change.index)
      case 'removed':
        return this.#removeFrom(change.from)
      case 'changed':
        this.#parts[change.index] = change.part
        return this.#change(change.part, change.index)
      case 'appended': {
        const part = { ...this.#parts[change.index]! } as { text: string }
        part.text += change.text
        this.#parts[change.index] = part as MessagePart
        return this.#change(part as MessagePart, change.index)
      }
    }
  }

  #add(part: MessagePart, index: number): void {
    if (part.type === 'step-start') {
      this.#steps.push(emptyStep(index + 1))
      if (this.#before !== undefined) this.#before += this.#whole(this.#steps.length - 2).content(false)
      return
    }
    const step = this.#steps.at(-1)!
    step.whole = undefined
    if (isToolPart(part)) this.#addCall(step, index)
    else if (part.type === 'text' && part.phase === 'commentary') this.#calls = undefined
  }

  /** What comes before a call is certain once the call is there. */
  #addCall(step: Step, index: number): void {
    for (; step.tail <= index; step.tail++) step.flat.add(this.#parts[step.tail]!)
    step.places.set(index, step.flat.calls.length - 1)
    this.#calls = undefined
    this.#noteOpen(index)
  }

  #change(part: MessagePart, index: number): void {
    const step = this.#steps.findLast(({ from }) => from <= index)
    if (step === undefined) return
    if (isToolPart(part)) return this.#changeCall(step, part, index)
    if (part.type !== 'text') return
    step.whole = undefined
    if (step !== this.#steps.at(-1)) this.#before = undefined
    if (part.phase === 'commentary') this.#calls = undefined
    if (index < step.tail) this.#readAgain(step)
  }

  #changeCall(step: Step, part: Extract<MessagePart, { toolInvocation: unknown }>, index: number): void {
    const place = step.places.get(index)
    if (place === undefined) return
    const commentary = step.flat.calls[place]?.commentary ?? ''
    step.flat.calls[place] = toFlatCall(part.toolInvocation, commentary)
    step.whole = undefined
    this.#calls = undefined
    this.#noteOpen(index)
  }

  #noteOpen(index: number): void {
    const part = this.#parts[index]
    if (part !== undefined && isToolPart(part) && !isSettled(part.toolInvocation)) this.#open.add(index)
    else this.#open.delete(index)
  }

  /** A text before a call has changed. */
  #readAgain(step: Step): void {
    const { tail } = step
    Object.assign(step, emptyStep(step.from))
    for (let index = step.from; index < tail; index++) {
      if (isToolPart(this.#parts[index]!)) this.#addCall(step, index)
    }
    this.#calls = undefined
  }

  #removeFrom(index: number): void {
    this.#parts.length = index
    while (this.#steps.length > 0 && this.#steps.at(-1)!.from > index) this.#steps.pop()
    if (this.#steps.length === 0) this.#steps.push(emptyStep(0))
    for (const open of this.#open) if (open >= index) this.#open.delete(open)
    const step = this.#steps.at(-1)!
    step.tail = Math.min(step.tail, index)
    this.#readAgain(step)
    this.#before = undefined
  }

  #build(message: Omit<Message, 'parts'>): FlatChatMessage {
    this.#before ??= this.#steps
      .slice(0, -1)
      .map((_, number) => this.#whole(number).content(false))
      .join('')
    const content = this.#before + this.#whole(this.#steps.length - 1).content(true)
    this.#calls ??= this.#steps.flatMap((_, number) => this.#whole(number).allCalls())
    return flatRecord(message, content, this.#calls, this.#activity(message))
  }

  /** The step with what follows its last call. */
  #whole(number: number): FlatStep {
    const step = this.#steps[number]!
    if (step.whole === undefined) {
      const end = (this.#steps[number + 1]?.from ?? this.#parts.length + 1) - 1
      step.whole = new FlatStep(step.flat)
      for (let index = step.tail; index < end; index++) step.whole.add(this.#parts[index]!)
    }
    return step.whole
  }

  #activity({ status }: Omit<Message, 'parts'>): ToolActivity {
    if (status !== 'streaming') return { isActive: false }
    let newest = -1
    for (const index of this.#open) newest = Math.max(newest, index)
    const last = this.#parts[newest]
    return last !== undefined && isToolPart(last)
      ? { isActive: true, currentStep: last.toolInvocation.toolName }
      : { isActive: true }
  }
}

function emptyStep(from: number): Step {
  return { from, flat: new FlatStep(), tail: from, places: new Map(), whole: undefined }
}
