import { type Accumulator, accumulate, type Chunk, isSettled, isToolPart, type ToolInvocation } from 'argot'
import { oneLine } from '../io/safe-text.ts'

/** A call as the fold has it, and what a screen adds to that. */
export interface ShownCall {
  /** The newest snapshot. */
  call: ToolInvocation
  /** Its place among the calls of the stream. */
  order: number
  /** When it began to run, as far as the stream tells. */
  since?: number
  /** What an agent that runs inside it is busy with. */
  inside?: string
}

const none: readonly ShownCall[] = []

/** Follows the calls of a stream through a fold. The stream's texts have their phases already. */
export class Calls {
  readonly #now: () => number
  #fold: Accumulator
  #messageId: string | undefined
  /** Those that are not over, by key, in the order in which they were made. */
  #open: Map<string, ShownCall> = new Map()
  /** Those that an earlier message left open. */
  #left: ShownCall[] = []
  #changed: ShownCall[] = []
  #begun = 0

  constructor(now: () => number) {
    this.#now = now
    this.#fold = this.#newFold()
  }

  /** The calls that are not over, as they are now. */
  get open(): readonly ShownCall[] {
    this.#refresh()
    return [...this.#left, ...this.#open.values()]
  }

  get count(): number {
    return this.#left.length + this.#open.size
  }

  /** Reads a chunk; gives the calls that have another state with it. */
  push(chunk: Chunk): readonly ShownCall[] {
    if (chunk.type === 'start') this.#startMessage(chunk.messageId)
    this.#fold.push(chunk)
    if (chunk.type === 'reset-step') this.#forgetMissing()
    if (chunk.type === 'data-argot-sub' && 'data' in chunk) this.#lookInside(chunk.data)
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
      this.#fold = this.#newFold()
    }
    this.#messageId = messageId
  }

  #newFold(): Accumulator {
    const onToolCall = ({ toolCall }: { toolCall: ToolInvocation }): void => this.#note(toolCall)
    return accumulate({ own: true, commentary: 'given', now: this.#now, onToolCall })
  }

  #note(call: ToolInvocation): void {
    const shown = this.#open.get(call.key) ?? { call, order: this.#begun++ }
    shown.call = call
    if (call.state === 'input-available' || call.state === 'approval-responded') shown.since = this.#now()
    if (isSettled(call)) this.#open.delete(call.key)
    else this.#open.set(call.key, shown)
    this.#changed.push(shown)
  }

  /** Input that grew and previews that were replaced change no state: the message has them. */
  #refresh(): void {
    const parts = this.#fold.message?.parts ?? []
    for (let at = parts.length - 1, left = this.#open.size; at >= 0 && left > 0; at--) {
      const part = parts[at]!
      const shown = isToolPart(part) ? this.#open.get(part.toolInvocation.key) : undefined
      if (shown === undefined || !isToolPart(part)) continue
      shown.call = part.toolInvocation
      left--
    }
  }

  /** A reset took calls back. */
  #forgetMissing(): void {
    const parts = this.#fold.message?.parts ?? []
    const keys = new Set(parts.filter(isToolPart).map(part => part.toolInvocation.key))
    this.#open = new Map([...this.#open].filter(([key]) => keys.has(key)))
  }

  /** The newest call of an agent inside a call is what that call is busy with. */
  #lookInside(data: unknown): void {
    const { toolCallId, chunk } = (data ?? {}) as { toolCallId?: unknown; chunk?: Partial<Chunk> }
    if (chunk?.type !== 'tool-input-start') return
    for (const shown of this.#open.values()) {
      if (shown.call.toolCallId === toolCallId) shown.inside = oneLine(String(chunk.toolName), 128)
    }
  }
}
