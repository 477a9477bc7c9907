import { type Accumulator, accumulate, type Chunk, isToolPart, type ToolInvocation } from '@argot/core'
import { chunkFacts, isSettled } from '@argot/core/stream'
import type { MessageReader } from '@argot/core/stream/internal'
import { oneLine } from './safe-pieces.ts'

export interface ShownCall {
  call: ToolInvocation
  order: number
  /** When the model finished writing its input. */
  completeAt?: number
  /** When it started to run, if the stream says so. Later than `completeAt` if a person had to approve it. */
  since?: number
  innerCall?: string
}

const none: readonly ShownCall[] = []

/**
 * Follows a stream's calls with a fold of call chunks only, and reports what is new. Text chunks, which are most of a
 * stream, are skipped.
 */
export class Calls {
  readonly #now: () => number
  #fold!: Accumulator
  #reader!: MessageReader
  #messageId: string | undefined
  /** Open calls with their positions in the message, by key, in the order of their creation. */
  readonly #open: Map<string, { shown: ShownCall; index: number }> = new Map()
  /** Calls that an earlier message left open. */
  #earlierOpen: ShownCall[] = []
  #changed: ShownCall[] = []
  #nextOrder = 0

  constructor(now: () => number) {
    this.#now = now
    this.#beginFold()
  }

  get open(): readonly ShownCall[] {
    this.#readChanges()
    return [...this.#earlierOpen, ...Array.from(this.#open.values(), ({ shown }) => shown)]
  }

  get count(): number {
    return this.#earlierOpen.length + this.#open.size
  }

  /** Returns the calls whose state changed. */
  push(chunk: Chunk): readonly ShownCall[] {
    const { on, does } = chunkFacts(chunk)
    if (on === 'text' || on === 'reasoning' || on === 'part') return none
    if (chunk.type === 'start') this.#startMessage(chunk.messageId)
    if (on === 'data') {
      if (chunk.type === 'data-argot-sub' && 'data' in chunk) this.#noteInnerCall(chunk.data)
      return none
    }
    this.#fold.push(chunk)
    // Growing input doesn't change the state. The view takes it when it draws the call.
    if (does !== 'grows') this.#readChanges()
    if (this.#changed.length === 0) return none
    const changed = this.#changed
    this.#changed = []
    return changed
  }

  /** Calls of a finished message stay unchanged, whatever the next message contains. */
  #startMessage(messageId: string | undefined): void {
    if (messageId === undefined || messageId === this.#messageId) return
    if (this.#messageId !== undefined) {
      this.#earlierOpen = [...this.open]
      this.#open.clear()
      this.#beginFold()
    }
    this.#messageId = messageId
  }

  #beginFold(): void {
    this.#fold = accumulate({ own: true, commentary: 'given', now: this.#now })
    this.#reader = this.#fold.reader()
  }

  #readChanges(): void {
    for (const change of this.#reader.changes()) {
      if (change.type === 'removed') this.#forgetFrom(change.from)
      else if ((change.type === 'added' || change.type === 'changed') && isToolPart(change.part)) {
        this.#note(change.part.toolInvocation, change.index, change.type === 'added')
      }
    }
  }

  #note(call: ToolInvocation, index: number, isNew: boolean): void {
    const shownCall: ShownCall | undefined = isNew
      ? { call, order: this.#nextOrder++ }
      : this.#open.get(call.key)?.shown
    // Nothing after a call's end changes its display.
    if (shownCall === undefined) return
    const { state } = call
    const hasNewState = isNew || shownCall.call.state !== state
    if (hasNewState && (state === 'input-available' || state === 'approval-responded')) {
      shownCall.since = this.#now()
      shownCall.completeAt ??= shownCall.since
    }
    if (hasNewState || isSettled(call)) this.#changed.push(shownCall)
    shownCall.call = call
    if (isSettled(call)) this.#open.delete(call.key)
    else this.#open.set(call.key, { shown: shownCall, index })
  }

  #forgetFrom(from: number): void {
    for (const [key, { index }] of this.#open) if (index >= from) this.#open.delete(key)
  }

  /** A call with an agent inside shows that agent's newest call. */
  #noteInnerCall(data: unknown): void {
    const { toolCallId, chunk } = (data ?? {}) as { toolCallId?: unknown; chunk?: Partial<Chunk> }
    if (chunk?.type !== 'tool-input-start') return
    this.#readChanges()
    for (const { shown } of this.#open.values()) {
      if (shown.call.toolCallId === toolCallId) shown.innerCall = oneLine(String(chunk.toolName), 128)
    }
  }
}
