import { type Accumulator, accumulate, type Chunk, type ToolInvocation, toolCalls } from 'argot'
import { Value } from './topic.ts'

/** The chunk with which a run tells what the agent does that a call runs: `{ toolCallId, chunk }`. */
export const subMark = 'data-argot-sub'

/** What an agent does that a call runs: its own calls, and the newest line of what it says. */
export interface SubRunState {
  calls: readonly ToolInvocation[]
  line?: string | undefined
}

interface SubRunFold {
  fold: Accumulator
  isEmpty: boolean
}

/** The runs inside calls, each folded from its own chunks as they come. */
export class SubRuns {
  readonly #folds: Map<string, SubRunFold> = new Map()
  readonly #values: Map<string, Value<SubRunState | undefined>> = new Map()
  readonly #dirty: Set<string> = new Set()

  /** Takes what a chunk or a part says. Anything else than `{ toolCallId, chunk }` is passed over. */
  take(messageId: string, data: unknown): void {
    const { toolCallId, chunk } = (data ?? {}) as { toolCallId?: unknown; chunk?: { type?: unknown } | null }
    if (typeof toolCallId !== 'string' || typeof chunk?.type !== 'string') return
    const key = keyOf(messageId, toolCallId)
    let run = this.#folds.get(key)
    // A stream that is read again begins at its beginning.
    if (run === undefined || (chunk.type === 'start' && !run.isEmpty)) {
      run = { fold: accumulate(), isEmpty: true }
      this.#folds.set(key, run)
    }
    run.fold.push(chunk as Chunk)
    if (chunk.type !== 'start') run.isEmpty = false
    this.#dirty.add(key)
  }

  /** The run inside a call; undefined until something is known of it. */
  follow(messageId: string, toolCallId: string): Value<SubRunState | undefined> {
    const key = keyOf(messageId, toolCallId)
    let value = this.#values.get(key)
    if (value === undefined) {
      value = new Value<SubRunState | undefined>(undefined)
      this.#values.set(key, value)
      if (this.#folds.has(key)) this.#update(key)
    }
    return value
  }

  /** Tells those who look at a run that changed. */
  flush(): void {
    for (const key of this.#dirty) if (this.#values.has(key)) this.#update(key)
    this.#dirty.clear()
  }

  #update(key: string): void {
    const message = this.#folds.get(key)?.fold.message
    if (message === undefined) return
    const text = message.parts.findLast(part => part.type === 'text')
    const line = text?.type === 'text' ? lastLine(text.text) : undefined
    this.#values.get(key)?.set({ calls: toolCalls(message), line })
  }
}

function keyOf(messageId: string, toolCallId: string): string {
  return JSON.stringify([messageId, toolCallId])
}

function lastLine(text: string): string | undefined {
  return text.slice(-400).trimEnd().split('\n').at(-1)?.trim() || undefined
}
