import { isToolPart, type Message, type MessagePart, type ToolInvocation, type ToolPart } from '@argot/core'
import { isSettled, type MessageChange, waitsFor } from '@argot/core/stream'
import type { DataPart } from '@argot/core/stream/internal'
import type { ChatMessageInput } from '../types/index.ts'
import { toCallKey } from './call-key.ts'
import { CallUi } from './call-ui.ts'
import { MessageRecord, type PartRecord } from './message-record.ts'
import { readMessage } from './read-message.ts'
import { SubRuns, subMark } from './run/sub-runs.ts'
import { Thoughts } from './thoughts.ts'
import { type Topic, Value } from './topic.ts'

export interface PendingCall {
  callKey: string
  messageId: string
  index: number
  /** `question`: a call of `ask_user`, which needs an answer and not a yes. */
  kind: 'approval' | 'question'
  /** Identifies the question: a call may get a second question, and an answer applies to one of them. */
  approvalId?: string | undefined
}

export interface CallPlace {
  messageId: string
  index: number
}

/** Called for each call whose state has changed, never for history. */
export type CallListener = (call: ToolInvocation, place: CallPlace) => void

/**
 * A conversation's messages as a page follows them: a subscriber to one part is only notified about that part.
 * Subscribers are notified once per flush, after all of its changes were applied.
 */
export class Conversation {
  readonly ids: Value<readonly string[]> = new Value<readonly string[]>([])
  readonly pending: Value<readonly PendingCall[]> = new Value<readonly PendingCall[]>([])
  /** The work of agents that calls run. */
  readonly subs: SubRuns = new SubRuns()
  readonly thoughts: Thoughts
  readonly #records: Map<string, MessageRecord> = new Map()
  readonly #places: Map<string, CallPlace> = new Map()
  readonly #uis: Map<string, CallUi> = new Map()
  readonly #waiting: Map<string, PendingCall> = new Map()
  /** Whose subscribers to notify at the end of the flush. */
  readonly #dirty: Set<Topic> = new Set()
  readonly #onCall: CallListener
  readonly #now: () => number
  #pendingChanged = false

  constructor(onCall: CallListener = () => {}, now: () => number = Date.now) {
    this.#onCall = onCall
    this.#now = now
    this.thoughts = new Thoughts(now)
  }

  record(id: string): MessageRecord | undefined {
    const record = this.#records.get(id)
    return record?.isPresent === true ? record : undefined
  }

  /** The record to follow, even for a message that does not exist yet. */
  ensureRecord(id: string): MessageRecord {
    let record = this.#records.get(id)
    if (record === undefined) {
      record = MessageRecord.placeholder(id)
      this.#records.set(id, record)
    }
    return record
  }

  messages(): Message[] {
    return this.ids.get().map(id => this.#records.get(id)!.message())
  }

  place(callKey: string): CallPlace | undefined {
    return this.#places.get(callKey)
  }

  call(callKey: string): ToolInvocation | undefined {
    const place = this.#places.get(callKey)
    if (place === undefined) return this.subs.call(callKey)
    const part = this.#records.get(place.messageId)?.part(place.index)
    return part !== undefined && isToolPart(part) ? part.toolInvocation : undefined
  }

  /** Created when first requested. */
  ui(callKey: string): CallUi {
    let ui = this.#uis.get(callKey)
    if (ui === undefined) {
      ui = new CallUi()
      this.#uis.set(callKey, ui)
    }
    return ui
  }

  /** Open cards stay open. */
  replaceAll(inputs: readonly ChatMessageInput[]): void {
    const ids = new Set(inputs.map(input => this.#putMessage(readMessage(input))))
    for (const id of this.ids.get()) if (!ids.has(id)) this.#remove(this.#records.get(id)!)
    this.ids.set([...ids])
    this.flush()
  }

  prepend(inputs: readonly ChatMessageInput[]): void {
    const ids = inputs
      .filter(({ id }) => this.record(id) === undefined)
      .map(input => this.#putMessage(readMessage(input)))
    this.ids.set([...new Set(ids), ...this.ids.get()])
    this.flush()
  }

  /** Adds a message at the end, or replaces the one with its id. */
  put(message: Message): void {
    const isNew = this.record(message.id) === undefined
    this.#putMessage(message)
    if (isNew) this.ids.set([...this.ids.get(), message.id])
    this.flush()
  }

  /** Removes a message and everything after it. */
  truncateFrom(id: string): void {
    const ids = this.ids.get()
    const from = ids.indexOf(id)
    if (from < 0) return
    for (const removedId of ids.slice(from)) this.#remove(this.#records.get(removedId)!)
    this.ids.set(ids.slice(0, from))
    this.flush()
  }

  /** Applies the changes that a fold's reader found. `target` is the message that they are about. */
  apply(changes: readonly MessageChange[], target: MessageRecord | undefined): MessageRecord | undefined {
    let record = target
    for (const change of changes) {
      if (change.type === 'message' && (change.begins || record === undefined)) record = this.#begin(change.message)
      else if (record !== undefined) this.#applyTo(record, change)
    }
    return record
  }

  flush(): void {
    const askedBefore = new Set(this.subs.questions.map(({ callKey }) => callKey))
    if (this.subs.flush()) {
      this.#pendingChanged = true
      for (const { callKey, call } of this.subs.questions)
        if (!askedBefore.has(callKey)) this.#noteQuestion(callKey, call)
    }
    if (this.#pendingChanged) {
      this.#pendingChanged = false
      this.pending.set([...this.#waiting.values(), ...this.#pendingInside()])
    }
    const dirty = [...this.#dirty]
    this.#dirty.clear()
    for (const topic of dirty) topic.notify()
  }

  /**
   * This page answered the call, so that it no longer waits, whatever the stream says next. With `isWaiting`, the
   * answer was rejected, and the call may wait again.
   */
  settlePending(callKey: string, isWaiting: boolean): void {
    const place = this.#places.get(callKey)
    const part = place && this.#records.get(place.messageId)?.part(place.index)
    if (place === undefined) this.#pendingChanged = true
    else if (isWaiting && part !== undefined && isToolPart(part)) this.#wait(callKey, place, part)
    else if (this.#waiting.delete(callKey)) this.#pendingChanged = true
    this.flush()
  }

  /** A call inside a call waits: subscribers are notified as for any other. */
  #noteQuestion(callKey: string, call: ToolInvocation): void {
    const ui = this.ui(callKey)
    if (call.approval !== undefined) ui.ask(call.approval.id, this.#now())
    ui.visit(call.state, true, this.#now())
    this.#onCall(call, { messageId: callKey.slice(0, -1 - call.key.length), index: -1 })
  }

  /** The waiting calls inside calls, for as long as the outer call is not over. */
  #pendingInside(): PendingCall[] {
    return this.subs.questions.flatMap(({ callKey, messageId, toolCallId, call }) => {
      const record = this.record(messageId)
      const index = record === undefined ? -1 : record.message().parts.findIndex(part => isOpenCall(part, toolCallId))
      if (index < 0 || this.ui(callKey).isAnswered) return []
      return [{ callKey, messageId, index, kind: 'approval' as const, approvalId: call.approval?.id }]
    })
  }

  #begin(head: Omit<Message, 'parts'>): MessageRecord {
    const record = this.ensureRecord(head.id)
    if (!record.isPresent) {
      record.isPresent = true
      this.ids.set([...this.ids.get(), head.id])
    }
    this.#forget(record, 0)
    record.truncate(0)
    this.#setHead(record, head)
    this.#dirty.add(record.countTopic)
    return record
  }

  #applyTo(record: MessageRecord, change: MessageChange): void {
    switch (change.type) {
      case 'message':
        this.#setHead(record, change.message)
        break
      case 'added':
        record.put(change.index, change.part)
        this.#dirty.add(record.countTopic)
        this.#notePart(record, change.index)
        break
      case 'changed':
        record.put(change.index, change.part)
        this.#notePart(record, change.index)
        break
      case 'appended':
        record.append(change.index, change.text)
        this.#touch(record, record.at(change.index))
        break
      case 'removed':
        this.#forget(record, change.from)
        record.truncate(change.from)
        this.#dirty.add(record.countTopic).add(record.anyTopic)
        break
    }
  }

  #setHead(record: MessageRecord, head: Omit<Message, 'parts'>): void {
    const before = record.head().status
    record.setHead(head)
    this.#dirty.add(record.headTopic).add(record.anyTopic)
    if (before === head.status) return
    for (let index = 0; index < record.count(); index++) {
      const part = record.part(index)!
      if (!isToolPart(part)) continue
      this.#visit(record, part)
      this.#dirty.add(record.at(index))
    }
  }

  #touch(record: MessageRecord, place: PartRecord): void {
    this.#dirty.add(place).add(record.anyTopic)
  }

  #putMessage(message: Message): string {
    const { parts, ...head } = message
    const record = this.ensureRecord(message.id)
    record.isPresent = true
    this.#forget(record, parts.length)
    record.truncate(parts.length)
    this.#setHead(record, head)
    this.#dirty.add(record.countTopic)
    parts.forEach((part, index) => {
      if (part.type === subMark) this.subs.take(message.id, (part as DataPart).data)
      record.put(index, part)
      this.#notePart(record, index, true)
    })
    return message.id
  }

  #notePart(record: MessageRecord, index: number, isHistory = false): void {
    this.#touch(record, record.at(index))
    const part = record.part(index)
    if (part?.type === 'reasoning') this.thoughts.visit(record.id, index, part.state === 'streaming')
    if (part === undefined || !isToolPart(part)) return
    const call: ToolInvocation = part.toolInvocation
    const callKey = toCallKey(record.id, call)
    const place = { messageId: record.id, index }
    this.#places.set(callKey, place)
    const isOver = this.ui(callKey).settle(isSettled(call))
    const isNews = this.#visit(record, part) || isOver
    this.#wait(callKey, place, part)
    if (isNews && !isHistory) this.#onCall(call, place)
  }

  #visit(record: MessageRecord, part: ToolPart): boolean {
    const { head } = record
    const call: ToolInvocation = part.toolInvocation
    const ui = this.ui(toCallKey(record.id, call))
    if (call.approval !== undefined) ui.ask(call.approval.id, this.#now())
    return ui.visit(call.state, head().status === 'streaming', this.#now())
  }

  /** Notes whether a call waits for the person. A call with an answer on its way does not wait. */
  #wait(callKey: string, place: CallPlace, part: ToolPart): void {
    const need = waitsFor(part.toolInvocation)
    // A run inside a finished call asks nothing any more.
    if (this.subs.questions.length > 0) this.#pendingChanged = true
    if (need !== undefined && !this.ui(callKey).isAnswered) {
      const approvalId = part.toolInvocation.approval?.id
      const before = this.#waiting.get(callKey)
      if (before !== undefined && before.approvalId === approvalId) return
      this.#waiting.set(callKey, {
        callKey,
        ...place,
        kind: need === 'answer' ? 'question' : need,
        approvalId,
      })
    } else if (!this.#waiting.delete(callKey)) return
    this.#pendingChanged = true
  }

  #remove(record: MessageRecord): void {
    this.#forget(record, 0)
    record.truncate(0)
    record.isPresent = false
    this.#dirty.add(record.headTopic).add(record.countTopic).add(record.anyTopic)
  }

  /** The parts from `from` on are about to be removed. */
  #forget(record: MessageRecord, from: number): void {
    for (let index = from; index < record.count(); index++) {
      const part = record.part(index)!
      this.#touch(record, record.at(index))
      if (!isToolPart(part)) continue
      const callKey = toCallKey(record.id, part.toolInvocation)
      this.#places.delete(callKey)
      if (this.#waiting.delete(callKey)) this.#pendingChanged = true
    }
  }
}

function isOpenCall(part: MessagePart, toolCallId: string): boolean {
  return isToolPart(part) && part.toolInvocation.toolCallId === toolCallId && !isSettled(part.toolInvocation)
}
