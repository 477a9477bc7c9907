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

/** One element that is complete and belongs at the end of the document. */
export interface RunElement {
  /** What it is, as `elementName` reads it from the document; the same for elements of one kind without an id. */
  name: string
  /** The document shows something of it. */
  isShown: boolean
  records: TranscriptRecord[]
}

/** A call whose element is in the document and that has no response there. */
interface UnfinishedCall {
  index: number
  /** The call as its element shows it. */
  written: ToolInvocation
  /** An earlier run wrote the element. */
  earlier: boolean
}

const nothing: readonly RunElement[] = []

/**
 * Watches the chunks of a run and says, at each, which elements are complete with it, in the order of the model. The
 * same chunks give the same elements, live and from the log.
 *
 * Nothing of a step comes before the model's part of it is over. A call waits for its next chunk, so that an open
 * question is on its element.
 */
export class RunElements {
  readonly #run: string
  /** What the document already has of the message. */
  #before: Message | undefined
  /** Calls of `#before` that have no response and that the stream has not shown again yet, by id. */
  readonly #earlier: Map<string, ToolInvocation[]> = new Map()
  /** Calls without a response by id, oldest first. */
  readonly #open: Map<string, UnfinishedCall[]> = new Map()
  /** Calls of this step whose tool has been started. */
  readonly #started: Set<string> = new Set()
  /** How many parts of the message are in the document. */
  #written = 0
  /** Not all parts that there may be are written: looking at them costs time for each part of the message. */
  #isBehind = true
  /** A step is open and the model may still be writing it. */
  #held = false
  /** Responses that came before the last call of their row: they follow it, so that a reader sees one step. */
  #late: RunElement[] = []
  /** The last element says that the run is parked. */
  #isParked = false

  constructor(run: string, before?: Message) {
    this.#run = run
    this.#before = before
    for (const part of before?.parts ?? []) {
      if (!isToolPart(part) || isSettled(part.toolInvocation)) continue
      addTo(this.#earlier, part.toolInvocation.toolCallId, part.toolInvocation)
    }
  }

  /** What is complete with this chunk, which `fold` has just taken. */
  take(chunk: Chunk, offset: number, fold: Pick<Accumulator, 'live' | 'messages'>): readonly RunElement[] {
    switch (chunk.type) {
      case 'start-step':
        this.#held = true
        this.#isBehind = true
        this.#started.clear()
        this.#earlier.clear()
        return nothing
      case 'reset-step':
        this.#isBehind = true
        this.#forget(fold.live?.length ?? 0)
        this.#late = []
        return nothing
      case 'user-message':
        return this.#join(offset, fold)
      case stepMark:
      case 'finish-step':
      case 'error':
      case 'finish':
      case 'abort':
        this.#held = false
        break
      case callMark:
        this.#started.add(startedCall(chunk) ?? '')
        break
      default:
        this.#isBehind ||= this.#held || !isAnswer(chunk)
        if (!completes(chunk)) return nothing
    }
    if (chunk.type === 'finish-step' && !this.#isBehind) return nothing
    const message = this.#held ? undefined : fold.live
    return message === undefined ? nothing : this.#collect(chunk, offset, message)
  }

  /** A user joins in: the message before is complete, and what follows is another. */
  #join(offset: number, { messages }: Pick<Accumulator, 'messages'>): RunElement[] {
    const message = messages.at(-1)!
    const { parts: _, ...ended } = messages.at(-2) ?? message
    const batch = new Batch({ run: this.#run, offset }, ended.id)
    if (ended.role === 'assistant') batch.end(this.#withEarlier(ended))
    batch.user(message)
    this.#before = undefined
    this.#earlier.clear()
    this.#open.clear()
    this.#started.clear()
    this.#late = []
    this.#written = 0
    this.#isBehind = true
    this.#isParked = false
    return batch.elements
  }

  #collect(chunk: Chunk, offset: number, message: LiveMessage): RunElement[] {
    const batch = new Batch({ run: this.#run, offset }, message.id)
    const { type } = chunk
    if (this.#failedInSilence(type, message)) return []
    if (type === stepMark || isEnd(type)) {
      for (const id of [...this.#open.keys()]) this.#respond(batch, message, id)
    } else if ('toolCallId' in chunk) {
      this.#respond(batch, message, chunk.toolCallId)
    }
    this.#advance(batch, message, type)
    this.#holdResponses(batch, message.part(this.#written), isEnd(type))
    const ending = toEnding(chunk)
    if (ending !== undefined) this.#end(batch, message, ending === 'parked')
    if (batch.elements.length > 0 && ending !== 'parked') this.#isParked = false
    return batch.elements
  }

  #holdResponses(batch: Batch, next: MessagePart | undefined, isOver: boolean): void {
    const isOpen = next !== undefined && isToolPart(next) && !isOver
    if (isOpen) this.#late.push(...batch.takeResponses())
    else if (this.#late.length > 0) batch.addResponses(this.#late.splice(0))
  }

  /** A run that is parked again without a word in between has said so already. */
  #end(batch: Batch, message: LiveMessage, isParking: boolean): void {
    if (isParking && this.#isParked && batch.elements.length === 0) return
    this.#isParked = isParking
    batch.end(this.#withEarlier(message.fields()))
  }

  /** Nothing was said before it went wrong or ended: the document stays as it is, and the next run tries again. */
  #failedInSilence(type: Chunk['type'], message: LiveMessage): boolean {
    const isOver = message.status === 'error' || type === 'abort' || type === 'finish' || type === 'finish-step'
    if (this.#before !== undefined || !isOver) return false
    let index = 0
    while (message.part(index)?.type === 'step-start') index++
    return index === message.length
  }

  /** Takes the parts that are complete, up to the first that is not. At an end nothing of them is waited for any more. */
  #advance(batch: Batch, message: LiveMessage, type: Chunk['type']): void {
    while (this.#written < message.length && this.#take(batch, message, type)) this.#written++
    batch.respond()
    this.#isBehind = this.#written < message.length
  }

  /** Takes the next part; false where it is not complete. */
  #take(batch: Batch, message: LiveMessage, type: Chunk['type']): boolean {
    const part = message.part(this.#written)!
    const all = isEnd(type)
    if (part.type === 'step-start') return this.#takeStep(batch, part, message.part(this.#written + 1), type)
    if (isToolPart(part)) return this.#takeCall(batch, part, all)
    if (!this.#isComplete(part, all)) return false
    batch.part(part)
    return true
  }

  /** The start of a step is complete with what follows it, or where nothing will. */
  #takeStep(batch: Batch, part: MessagePart, next: MessagePart | undefined, type: Chunk['type']): boolean {
    const all = isEnd(type)
    const alone = next === undefined ? all && type !== 'finish-step' : next.type === 'step-start'
    if (!alone && (next === undefined || !this.#isComplete(next, all))) return false
    batch.step(part, alone)
    return true
  }

  /** A call that the document has from an earlier run needs only its response. */
  #takeCall(batch: Batch, part: MessagePart & { toolInvocation: ToolInvocation }, all: boolean): boolean {
    const call = part.toolInvocation
    const earlier = this.#earlier.get(call.toolCallId)?.shift()
    if (earlier === undefined && !this.#isComplete(part, all)) return false
    const written = earlier ?? shownOpen(call)
    if (earlier === undefined) batch.call({ ...part, toolInvocation: written } as MessagePart)
    if (!isSettled(call)) addTo(this.#open, call.toolCallId, { index: this.#written, written, earlier: !!earlier })
    else if (earlier === undefined) batch.settled(call)
    else batch.response(ofEarlier(call, earlier), earlier)
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

  /** The responses of the calls of this id that are settled by now. */
  #respond(batch: Batch, message: LiveMessage, id: string): void {
    const calls = this.#open.get(id)
    if (calls === undefined) return
    const left = calls.filter(({ index, written, earlier }) => {
      const part = message.part(index)
      if (part === undefined || !isToolPart(part) || !isSettled(part.toolInvocation)) return true
      const call: ToolInvocation = part.toolInvocation
      batch.response(earlier ? ofEarlier(call, written) : call, written)
      return false
    })
    if (left.length === 0) this.#open.delete(id)
    else this.#open.set(id, left)
  }

  /** A reset took back the parts from this index on. */
  #forget(length: number): void {
    if (this.#written <= length) return
    this.#written = length
    for (const [id, calls] of this.#open) {
      const left = calls.filter(call => call.index < length)
      if (left.length === 0) this.#open.delete(id)
      else this.#open.set(id, left)
    }
  }

  /** The end of a message that several runs wrote: when it began, and what each said about it. */
  #withEarlier(message: Omit<Message, 'parts'>): Omit<Message, 'parts'> {
    const { createdAt, metadata } = this.#before ?? {}
    return {
      ...message,
      ...defined({ createdAt, metadata: metadata && { ...metadata, ...message.metadata } }),
    }
  }
}

/** The elements that one chunk completes. */
class Batch {
  readonly elements: RunElement[] = []
  readonly #place: { run: string; offset: number }
  readonly #messageId: string
  /** The start of a step, which is a flag on the element that follows. */
  #step: TranscriptRecord[] = []
  /** Calls that are settled: their responses follow the last of a row of calls. */
  #settled: ToolInvocation[] = []

  constructor(place: { run: string; offset: number }, messageId: string) {
    this.#place = place
    this.#messageId = messageId
  }

  step(part: MessagePart, alone: boolean): void {
    this.respond()
    this.#step = [this.#partRecord(part)]
    if (alone) this.#add('part step-start', false)
  }

  /** A part that is no call. */
  part(part: MessagePart): void {
    this.respond()
    this.call(part)
  }

  call(part: MessagePart): void {
    this.#add(partName(part), true, this.#partRecord(part))
  }

  /** A call of this batch has its response already; it is added by `respond`. */
  settled(call: ToolInvocation): void {
    this.#settled.push(call)
  }

  /** The row of calls has ended. */
  respond(): void {
    for (const call of this.#settled.splice(0)) this.response(call, call)
  }

  response(call: ToolInvocation, written: ToolInvocation): void {
    const messageId = this.#messageId
    const { run, offset } = this.#place
    this.#add(`response ${call.key}`, true, { run, offset, type: 'response', messageId, call, written })
  }

  /** The responses so far; they are no elements of this batch any more. */
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

  /** A message of the user. */
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
  if (isToolPart(part)) return `call ${part.toolInvocation.key}`
  return part.type === 'text' || part.type === 'reasoning' ? part.type : `part ${part.type}`
}

/** True for chunks that can make a part complete. */
function completes(chunk: Chunk): boolean {
  return chunkFacts(chunk).completes === true
}

/** True for chunks that add nothing to a message but an answer to one of its calls. */
function isAnswer(chunk: Chunk): boolean {
  const facts = chunkFacts(chunk)
  return facts.on === 'call' && facts.answers === true
}

function isEnd(type: Chunk['type']): boolean {
  const { on, does } = findFacts(type) ?? {}
  return does === 'fails' || (does === 'ends' && (on === 'message' || on === 'step'))
}

/** The call without an output that a later one replaces: its element must not look answered. */
function shownOpen(call: ToolInvocation): ToolInvocation {
  if (call.state !== 'output-available' || isSettled(call)) return call
  const { output: _, preliminary: _p, details: _d, resultProviderMetadata: _r, ...open } = call
  return { ...open, state: call.approval === undefined ? 'input-available' : 'approval-responded' }
}

/** The call as its response settles the one that the document has. */
function ofEarlier(call: ToolInvocation, written: ToolInvocation): ToolInvocation {
  const { key, startedAt } = written
  const approval = call.approval ?? written.approval
  return { ...call, key, ...defined({ startedAt, approval }) }
}

function addTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
