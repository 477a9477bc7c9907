import {
  type Accumulator,
  type Chunk,
  isToolPart,
  type Message,
  type MessagePart,
  type ToolInvocation,
} from '@argot/core'
import { describeEnding, type TranscriptRecord } from '@argot/core/chatmd/internal'
import { chunkFacts, isSettled, toEnding } from '@argot/core/stream'
import { defined, findFacts, type LiveMessage } from '@argot/core/stream/internal'
import { callMark, startedCall, stepMark } from '../store/marks.ts'

/** A complete element that belongs at the end of the document. */
export interface RunElement {
  /** The name that `elementName` reads from the document; the same for all elements of one kind without an id. */
  name: string
  /** False for the start of a step and other elements that the document doesn't show. */
  isShown: boolean
  records: TranscriptRecord[]
}

/** A call whose element is in the document, but not its response. */
interface UnansweredCall {
  index: number
  /** The call as its element shows it. */
  written: ToolInvocation
  /** An earlier run wrote the element. */
  earlier: boolean
}

const nothing: readonly RunElement[] = []

/**
 * Watches the chunks of a run and returns, for each, the elements that it completes, in the model's order. The same
 * chunks give the same elements, live and from the log.
 *
 * No element of a step is complete before the model's part of the step is over. A call waits for its next chunk, so
 * that an open question is part of its element.
 */
export class RunElements {
  readonly #run: string
  /** The part of the message that the document already has. */
  #before: Message | undefined
  /** Calls in `#before` without a response that the stream has not repeated yet, by id. */
  readonly #earlier: Map<string, ToolInvocation[]> = new Map()
  /** Calls without a response by id, oldest first. */
  readonly #open: Map<string, UnansweredCall[]> = new Map()
  readonly #started: Set<string> = new Set()
  #writtenParts = 0
  /** Some parts may not be written yet. Avoids checking every part of the message for each chunk. */
  #isBehind = true
  /** A step is open and the model may still be writing it. */
  #isHeld = false
  /** Responses that came before the last call of their row. They are written after it, so that readers see one step. */
  #heldResponses: RunElement[] = []
  #isParked = false

  constructor(run: string, before?: Message) {
    this.#run = run
    this.#before = before
    for (const part of before?.parts ?? []) {
      if (!isToolPart(part) || isSettled(part.toolInvocation)) continue
      addTo(this.#earlier, part.toolInvocation.toolCallId, part.toolInvocation)
    }
  }

  /** The elements that this chunk completes. `fold` must have just taken it. */
  take(chunk: Chunk, offset: number, fold: Pick<Accumulator, 'live' | 'messages'>): readonly RunElement[] {
    switch (chunk.type) {
      case 'start-step':
        this.#isHeld = true
        this.#isBehind = true
        this.#started.clear()
        this.#earlier.clear()
        return nothing
      case 'reset-step':
        this.#isBehind = true
        this.#forget(fold.live?.length ?? 0)
        this.#heldResponses = []
        return nothing
      case 'user-message':
        return this.#join(offset, fold)
      case stepMark:
      case 'finish-step':
      case 'error':
      case 'finish':
      case 'abort':
        this.#isHeld = false
        break
      case callMark:
        this.#started.add(startedCall(chunk) ?? '')
        break
      default:
        this.#isBehind ||= this.#isHeld || !isAnswer(chunk)
        if (!completes(chunk)) return nothing
    }
    if (chunk.type === 'finish-step' && !this.#isBehind) return nothing
    const message = this.#isHeld ? undefined : fold.live
    return message === undefined ? nothing : this.#collect(chunk, offset, message)
  }

  #join(offset: number, { messages }: Pick<Accumulator, 'messages'>): RunElement[] {
    const message = messages.at(-1)!
    const { parts: _, ...ended } = messages.at(-2) ?? message
    const batch = new ElementBatch({ run: this.#run, offset }, ended.id)
    if (ended.role === 'assistant') batch.end(this.#withEarlier(ended))
    batch.user(message)
    this.#before = undefined
    this.#earlier.clear()
    this.#open.clear()
    this.#started.clear()
    this.#heldResponses = []
    this.#writtenParts = 0
    this.#isBehind = true
    this.#isParked = false
    return batch.elements
  }

  #collect(chunk: Chunk, offset: number, message: LiveMessage): RunElement[] {
    const batch = new ElementBatch({ run: this.#run, offset }, message.id)
    const { type } = chunk
    if (this.#endedWithoutOutput(type, message)) return []
    if (type === stepMark || isEnd(type)) {
      for (const id of [...this.#open.keys()]) this.#respond(batch, message, id)
    } else if ('toolCallId' in chunk) {
      this.#respond(batch, message, chunk.toolCallId)
    }
    this.#advance(batch, message, type)
    this.#holdResponses(batch, message.part(this.#writtenParts), isEnd(type))
    const ending = toEnding(chunk)
    if (ending !== undefined) this.#end(batch, message, ending === 'parked')
    if (batch.elements.length > 0 && ending !== 'parked') this.#isParked = false
    return batch.elements
  }

  #holdResponses(batch: ElementBatch, next: MessagePart | undefined, isOver: boolean): void {
    const isOpen = next !== undefined && isToolPart(next) && !isOver
    if (isOpen) this.#heldResponses.push(...batch.takeResponses())
    else if (this.#heldResponses.length > 0) batch.addResponses(this.#heldResponses.splice(0))
  }

  /** If a run is parked again without any output in between, the document already says so. */
  #end(batch: ElementBatch, message: LiveMessage, isParking: boolean): void {
    if (isParking && this.#isParked && batch.elements.length === 0) return
    this.#isParked = isParking
    batch.end(this.#withEarlier(message.fields()))
  }

  /** The run failed or ended before any output: the document stays unchanged, and the next run tries again. */
  #endedWithoutOutput(type: Chunk['type'], message: LiveMessage): boolean {
    const isOver = message.status === 'error' || type === 'abort' || type === 'finish' || type === 'finish-step'
    if (this.#before !== undefined || !isOver) return false
    let index = 0
    while (message.part(index)?.type === 'step-start') index++
    return index === message.length
  }

  /** Takes the complete parts, up to the first incomplete one. At an end, it no longer waits for any part. */
  #advance(batch: ElementBatch, message: LiveMessage, type: Chunk['type']): void {
    while (this.#writtenParts < message.length && this.#take(batch, message, type)) this.#writtenParts++
    batch.respond()
    this.#isBehind = this.#writtenParts < message.length
  }

  /** Takes the next part; false if it isn't complete. */
  #take(batch: ElementBatch, message: LiveMessage, type: Chunk['type']): boolean {
    const part = message.part(this.#writtenParts)!
    const all = isEnd(type)
    if (part.type === 'step-start') return this.#takeStep(batch, part, message.part(this.#writtenParts + 1), type)
    if (isToolPart(part)) return this.#takeCall(batch, part, all)
    if (!this.#isComplete(part, all)) return false
    batch.part(part)
    return true
  }

  /** The start of a step is complete with the part that follows it, or if nothing will follow. */
  #takeStep(batch: ElementBatch, part: MessagePart, next: MessagePart | undefined, type: Chunk['type']): boolean {
    const all = isEnd(type)
    const isAlone = next === undefined ? all && type !== 'finish-step' : next.type === 'step-start'
    if (!isAlone && (next === undefined || !this.#isComplete(next, all))) return false
    batch.step(part, isAlone)
    return true
  }

  /** If an earlier run already wrote the call, only its response is needed. */
  #takeCall(batch: ElementBatch, part: MessagePart & { toolInvocation: ToolInvocation }, all: boolean): boolean {
    const call = part.toolInvocation
    const earlier = this.#earlier.get(call.toolCallId)?.shift()
    if (earlier === undefined && !this.#isComplete(part, all)) return false
    const element = earlier ?? toOpenCall(call)
    if (earlier === undefined) batch.call({ ...part, toolInvocation: element } as MessagePart)
    if (!isSettled(call))
      addTo(this.#open, call.toolCallId, { index: this.#writtenParts, written: element, earlier: !!earlier })
    else if (earlier === undefined) batch.settled(call)
    else batch.response(settleEarlier(call, earlier), earlier)
    return true
  }

  #isComplete(part: MessagePart, all: boolean): boolean {
    if (all) return true
    if (part.type === 'text' || part.type === 'reasoning') return part.state !== 'streaming'
    if (!isToolPart(part)) return true
    const { state, toolCallId } = part.toolInvocation
    const waits = state === 'input-available' || state === 'input-streaming'
    return !waits || this.#started.has(toolCallId)
  }

  #respond(batch: ElementBatch, message: LiveMessage, id: string): void {
    const calls = this.#open.get(id)
    if (calls === undefined) return
    const unsettled = calls.filter(({ index, written, earlier }) => {
      const part = message.part(index)
      if (part === undefined || !isToolPart(part) || !isSettled(part.toolInvocation)) return true
      const call: ToolInvocation = part.toolInvocation
      batch.response(earlier ? settleEarlier(call, written) : call, written)
      return false
    })
    if (unsettled.length === 0) this.#open.delete(id)
    else this.#open.set(id, unsettled)
  }

  /** A reset removed the parts from this index on. */
  #forget(length: number): void {
    if (this.#writtenParts <= length) return
    this.#writtenParts = length
    for (const [id, calls] of this.#open) {
      const remaining = calls.filter(call => call.index < length)
      if (remaining.length === 0) this.#open.delete(id)
      else this.#open.set(id, remaining)
    }
  }

  /** The end of a message that several runs wrote: when it began, and each run's metadata. */
  #withEarlier(message: Omit<Message, 'parts'>): Omit<Message, 'parts'> {
    const { createdAt, metadata } = this.#before ?? {}
    return {
      ...message,
      ...defined({ createdAt, metadata: metadata && { ...metadata, ...message.metadata } }),
    }
  }
}

class ElementBatch {
  readonly elements: RunElement[] = []
  readonly #place: { run: string; offset: number }
  readonly #messageId: string
  /** The start of a step, which becomes a flag on the next element. */
  #step: TranscriptRecord[] = []
  /** Settled calls. Their responses follow the last call of the row. */
  #settled: ToolInvocation[] = []

  constructor(place: { run: string; offset: number }, messageId: string) {
    this.#place = place
    this.#messageId = messageId
  }

  step(part: MessagePart, isAlone: boolean): void {
    this.respond()
    this.#step = [this.#partRecord(part)]
    if (isAlone) this.#add('part step-start', false)
  }

  part(part: MessagePart): void {
    this.respond()
    this.call(part)
  }

  call(part: MessagePart): void {
    this.#add(partName(part), true, this.#partRecord(part))
  }

  /** This batch's call already has its response; `respond` adds it. */
  settled(call: ToolInvocation): void {
    this.#settled.push(call)
  }

  /** Call this at the end of a row of calls. */
  respond(): void {
    for (const call of this.#settled.splice(0)) this.response(call, call)
  }

  response(call: ToolInvocation, written: ToolInvocation): void {
    const messageId = this.#messageId
    const { run, offset } = this.#place
    this.#add(`response ${call.toolCallId}`, true, { run, offset, type: 'response', messageId, call, written })
  }

  takeResponses(): RunElement[] {
    const responses = this.elements.filter(isResponse)
    this.elements.splice(0, this.elements.length, ...this.elements.filter(element => !isResponse(element)))
    return responses
  }

  /** Adds responses after the calls that the batch begins with. */
  addResponses(responses: readonly RunElement[]): void {
    const at = this.elements.findIndex(({ name }) => !name.startsWith('call '))
    this.elements.splice(at === -1 ? this.elements.length : at, 0, ...responses)
  }

  user(message: Message): void {
    this.#add('prompt user', true, { ...this.#place, type: 'message', message })
  }

  end(message: Omit<Message, 'parts'>): void {
    this.#add('part end', describeEnding(message) !== undefined, { ...this.#place, type: 'end', message })
  }

  #partRecord(part: MessagePart): TranscriptRecord {
    const { run, offset } = this.#place
    return { run, offset, type: 'part', messageId: this.#messageId, part }
  }

  #add(name: string, isShown: boolean, ...records: TranscriptRecord[]): void {
    this.elements.push({ name, isShown, records: [...this.#step, ...records] })
    this.#step = []
  }
}

function isResponse({ name }: RunElement): boolean {
  return name.startsWith('response ')
}

function partName(part: MessagePart): string {
  if (isToolPart(part)) return `call ${part.toolInvocation.toolCallId}`
  return part.type === 'text' || part.type === 'reasoning' ? part.type : `part ${part.type}`
}

function completes(chunk: Chunk): boolean {
  return chunkFacts(chunk).completes === true
}

/** True for chunks that add nothing to a message except an answer to one of its calls. */
function isAnswer(chunk: Chunk): boolean {
  const facts = chunkFacts(chunk)
  return facts.on === 'call' && facts.answers === true
}

function isEnd(type: Chunk['type']): boolean {
  const { on, does } = findFacts(type) ?? {}
  return does === 'fails' || (does === 'ends' && (on === 'message' || on === 'step'))
}

/** The call without a preliminary output that a later one replaces: its element must not look answered. */
function toOpenCall(call: ToolInvocation): ToolInvocation {
  if (call.state !== 'output-available' || isSettled(call)) return call
  const { output: _, preliminary: _p, details: _d, resultProviderMetadata: _r, ...open } = call
  return { ...open, state: call.approval === undefined ? 'input-available' : 'approval-responded' }
}

function settleEarlier(call: ToolInvocation, written: ToolInvocation): ToolInvocation {
  const { key, startedAt } = written
  const approval = call.approval ?? written.approval
  return { ...call, key, ...defined({ startedAt, approval }) }
}

function addTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
