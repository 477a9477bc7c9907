import { type Accumulator, accumulate, type Chunk, isToolPart, type ToolInvocation } from '@argot/core'
import { chunkFacts, isSettled } from '@argot/core/stream'
import type { MessageReader } from '@argot/core/stream/internal'
import { oneLine } from './safe-pieces.ts'

/** A call as the fold has it, and what a screen adds to that. */
export interface ShownCall {
  /** The newest snapshot. */
  call: ToolInvocation
  /** Its place among the calls of the stream. */
  order: number
  /** When its input was complete: the model has written it then. */
  completeAt?: number
  /** When it began to run, as far as the stream tells; later than `completeAt` where a person was asked. */
  since?: number
  /** What an agent that runs inside it is busy with. */
  inside?: string
}

const none: readonly ShownCall[] = []

/**
 * Follows the calls of a stream: a fold of what is about calls and nothing else, of which it takes what is new. Texts,
 * which are most of a stream, pass it by.
 */
export class Calls {
  readonly #now: () => number
  #fold!: Accumulator
  #reader!: MessageReader
  #messageId: string | undefined
  /** Those that are not over and their places in the message, by key, in the order in which they were made. */
  readonly #open: Map<string, { shown: ShownCall; index: number }> = new Map()
  /** Those that an earlier message left open. */
  #left: ShownCall[] = []
  #changed: ShownCall[] = []
  #begun = 0

  constructor(now: () => number) {
    this.#now = now
    this.#beginFold()
  }

  /** The calls that are not over, as they are now. */
  get open(): readonly ShownCall[] {
    this.#take()
    return [...this.#left, ...Array.from(this.#open.values(), ({ shown }) => shown)]
  }

  get count(): number {
    return this.#left.length + this.#open.size
  }

  /** Reads a chunk; gives the calls that have another state with it. */
  push(chunk: Chunk): readonly ShownCall[] {
    const { on, does } = chunkFacts(chunk)
    if (on === 'text' || on === 'reasoning' || on === 'part') return none
    if (chunk.type === 'start') this.#startMessage(chunk.messageId)
    if (on === 'data') {
      if (chunk.type === 'data-argot-sub' && 'data' in chunk) this.#lookInside(chunk.data)
      return none
    }
    this.#fold.push(chunk)
    // Input that grows changes no state: whoever draws the call takes it then.
    if (does !== 'grows') this.#take()
    if (this.#changed.length === 0) return none
    const changed = this.#changed
    this.#changed = []
    return changed
  }

  /** The calls of a message that is over stay as they are, whatever another one says. */
  #startMessage(messageId: string | undefined): void {
    if (messageId === undefined || messageId === this.#messageId) return
    if (this.#messageId !== undefined) {
      this.#left = [...this.open]
      this.#open.clear()
      this.#beginFold()
    }
    this.#messageId = messageId
  }

  #beginFold(): void {
    this.#fold = accumulate({ own: true, commentary: 'given', now: this.#now })
    this.#reader = this.#fold.reader()
  }

  #take(): void {
    for (const change of this.#reader.changes()) {
      if (change.type === 'removed') this.#forgetFrom(change.from)
      else if ((change.type === 'added' || change.type === 'changed') && isToolPart(change.part)) {
        this.#note(change.part.toolInvocation, change.index, change.type === 'added')
      }
    }
  }

  #note(call: ToolInvocation, index: number, isNew: boolean): void {
    const shownCall: ShownCall | undefined = isNew ? { call, order: this.#begun++ } : this.#open.get(call.key)?.shown
    // What becomes of a call after its end changes nothing that is shown.
    if (shownCall === undefined) return
    const { state } = call
    const moved = isNew || shownCall.call.state !== state
    if (moved && (state === 'input-available' || state === 'approval-responded')) {
      shownCall.since = this.#now()
      shownCall.completeAt ??= shownCall.since
    }
    if (moved || isSettled(call)) this.#changed.push(shownCall)
    shownCall.call = call
    if (isSettled(call)) this.#open.delete(call.key)
    else this.#open.set(call.key, { shown: shownCall, index })
  }

  /** A reset took calls back. */
  #forgetFrom(from: number): void {
    for (const [key, { index }] of this.#open) if (index >= from) this.#open.delete(key)
  }

  /** The newest call of an agent inside a call is what that call is busy with. */
  #lookInside(data: unknown): void {
    const { toolCallId, chunk } = (data ?? {}) as { toolCallId?: unknown; chunk?: Partial<Chunk> }
    if (chunk?.type !== 'tool-input-start') return
    this.#take()
    for (const { shown } of this.#open.values()) {
      if (shown.call.toolCallId === toolCallId) shown.inside = oneLine(String(chunk.toolName), 128)
    }
  }
}
