import { type Accumulator, accumulate, type Chunk, type ToolInvocation, toolCalls } from '@argot/core'
import { toCallKey } from '../call-key.ts'
import { Value } from '../topic.ts'

/** The chunk with which a run reports the work of an agent that a call runs: `{ toolCallId, chunk }`. */
export const subMark = 'data-argot-sub'

/** Agents that run agents are followed to this depth; a question is found at any depth up to it. */
const DEEPEST = 32

/** The work of an agent that a call runs: its own calls, and the newest line of its text. */
export interface SubRunState {
  /** The run's key, unique in the conversation; `toCallKey(key, call)` is the key of one of its calls. */
  key: string
  calls: readonly ToolInvocation[]
  line?: string | undefined
}

/** A call inside a call that waits for the person. */
export interface SubQuestion {
  callKey: string
  call: ToolInvocation
  /** The outermost message, and the call in it. */
  messageId: string
  toolCallId: string
}

interface SubRunFold {
  fold: Accumulator
  isEmpty: boolean
  /** The outermost message, and the call in it. */
  messageId: string
  toolCallId: string
  mayAsk: boolean
}

/** The runs inside calls, and inside the calls of those, each folded from its own chunks as they arrive. */
export class SubRuns {
  readonly #folds: Map<string, SubRunFold> = new Map()
  readonly #values: Map<string, Value<SubRunState | undefined>> = new Map()
  readonly #dirty: Set<string> = new Set()
  /** By call key, for each call that was shown or asked. */
  readonly #runKeys: Map<string, string> = new Map()
  #questions: readonly SubQuestion[] = []

  /** Takes a chunk's or a part's data. Anything other than `{ toolCallId, chunk }` is skipped. */
  take(messageId: string, data: unknown): void {
    let scope = messageId
    let subData = data
    let root: string | undefined
    for (let depth = 0; depth < DEEPEST; depth++) {
      const { toolCallId, chunk } = (subData ?? {}) as { toolCallId?: unknown; chunk?: { type?: unknown } | null }
      if (typeof toolCallId !== 'string' || typeof chunk?.type !== 'string') return
      root ??= toolCallId
      scope = subRunKey(scope, toolCallId)
      if (chunk.type !== subMark) {
        this.#push(scope, { messageId, toolCallId: root }, chunk as Chunk)
        return
      }
      subData = (chunk as { data?: unknown }).data
    }
  }

  /** The run inside a call of a message, or of another run; undefined until something is known about it. */
  follow(scope: string, toolCallId: string): Value<SubRunState | undefined> {
    return this.#follow(subRunKey(scope, toolCallId))
  }

  /** The run that made a call, and the run's message; undefined for a message's own calls. */
  findRun(callKey: string): { run: Value<SubRunState | undefined>; messageId: string } | undefined {
    const key = this.#runKeys.get(callKey)
    const fold = key === undefined ? undefined : this.#folds.get(key)
    return key === undefined || fold === undefined ? undefined : { run: this.#follow(key), messageId: fold.messageId }
  }

  call(callKey: string): ToolInvocation | undefined {
    const key = this.#runKeys.get(callKey)
    const message = key === undefined ? undefined : this.#folds.get(key)?.fold.message
    return message && toolCalls(message).find(call => toCallKey(key!, call) === callKey)
  }

  /** The calls inside calls that wait for the person, as of the last flush. */
  get questions(): readonly SubQuestion[] {
    return this.#questions
  }

  /** Notifies the subscribers of changed runs; true if the set of waiting calls has changed. */
  flush(): boolean {
    if (this.#dirty.size === 0) return false
    let mayAsk = false
    for (const key of this.#dirty) {
      if (this.#values.has(key)) this.#update(key)
      mayAsk ||= this.#folds.get(key)!.mayAsk
    }
    this.#dirty.clear()
    return mayAsk && this.#lookForQuestions()
  }

  #push(key: string, { messageId, toolCallId }: Pick<SubRunFold, 'messageId' | 'toolCallId'>, chunk: Chunk): void {
    let run = this.#folds.get(key)
    // A stream that is read again begins at its beginning.
    if (run === undefined || (chunk.type === 'start' && !run.isEmpty)) {
      run = { fold: accumulate(), isEmpty: true, messageId, toolCallId, mayAsk: run?.mayAsk === true }
      this.#folds.set(key, run)
    }
    run.fold.push(chunk)
    if (chunk.type !== 'start') run.isEmpty = false
    if (chunk.type === 'tool-approval-request') run.mayAsk = true
    this.#dirty.add(key)
  }

  #follow(key: string): Value<SubRunState | undefined> {
    let value = this.#values.get(key)
    if (value === undefined) {
      value = new Value<SubRunState | undefined>(undefined)
      this.#values.set(key, value)
      if (this.#folds.has(key)) this.#update(key)
    }
    return value
  }

  #update(key: string): void {
    const message = this.#folds.get(key)?.fold.message
    if (message === undefined) return
    const calls = toolCalls(message)
    for (const call of calls) this.#runKeys.set(toCallKey(key, call), key)
    const text = message.parts.findLast(part => part.type === 'text')
    const line = text?.type === 'text' ? lastLine(text.text) : undefined
    this.#values.get(key)?.set({ key, calls, line })
  }

  #lookForQuestions(): boolean {
    const questions: SubQuestion[] = []
    for (const [key, { fold, mayAsk, messageId, toolCallId }] of this.#folds) {
      const { message } = fold
      if (!mayAsk || message === undefined) continue
      for (const call of toolCalls(message)) {
        if (call.state !== 'approval-requested') continue
        const callKey = toCallKey(key, call)
        this.#runKeys.set(callKey, key)
        questions.push({ callKey, call, messageId, toolCallId })
      }
    }
    const isSame =
      questions.length === this.#questions.length &&
      questions.every(({ callKey, call }, at) => {
        const before = this.#questions[at]!
        return before.callKey === callKey && before.call === call
      })
    this.#questions = questions
    return !isSame
  }
}

/**
 * The key of the run inside a call. Lengths separate the parts, because call ids may contain anything, and the key
 * grows by the id only.
 */
export function subRunKey(scope: string, toolCallId: string): string {
  return `${scope}/${toolCallId.length}:${toolCallId}`
}

function lastLine(text: string): string | undefined {
  return text.slice(-400).trimEnd().split('\n').at(-1)?.trim() || undefined
}
