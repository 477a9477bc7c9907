import type { TextPhase } from '../message/message.ts'
import type { ProviderMetadata } from '../message/tool-invocation.ts'
import { type ArgotMetadata, argotMetadata, type Chunk, withArgotMetadata } from './chunk.ts'

/**
 * `provisional`: text streams at once and is given its phase when that is known; nothing is hidden, nothing jumps.
 * `defer`: text waits until its phase is known, and starts with it.
 */
export type CommentaryPolicy = 'provisional' | 'defer'

export interface CommentaryOptions {
  policy?: CommentaryPolicy
  state?: CommentaryState
}

/** What a `Commentary` knows, as plain data. */
export interface CommentaryState {
  messageId?: string
  texts: TextTrack[]
  /** The calls of this step, and those of them that the loop runs: a provider's own do not count. */
  calls: string[]
  loopCalls: string[]
  lastCall?: string
  renames: number
}

/** One text on its way through. */
interface TextTrack {
  /** The sender's id, and the one it goes out under. */
  id: string
  out: string
  /** `cut`: decided while the sender still writes it; `passed`: it carried its phase from the start. */
  fate: 'undecided' | 'decided' | 'cut' | 'passed'
  /** The sender uses the id for another text by now. */
  aside?: boolean
  /** The phase that the provider gave; only the call is still unknown. */
  given?: TextPhase
  /** Its `text-end` has come and waits for the decision. */
  ended?: boolean
  metadata?: ProviderMetadata
  /** The text so far under the policy `defer`. */
  waiting?: string
}

/**
 * Decides what each text of a step is for. Text before a call is that call's commentary; text after the last call of
 * a step that the loop goes on from is commentary after that call; text of a step without calls is the answer.
 *
 * The decision is `argot: { phase, toolCallId? }` on the part's `text-end`, which is held back until it is known and
 * goes out just before the chunk that decides it. A text that already carries its phase passes untouched, so a stream
 * may go through twice.
 */
export class Commentary {
  readonly #emit: (chunk: Chunk) => void
  readonly #defer: boolean
  #messageId: string | undefined
  /** The newest text of each id in this step. */
  readonly #texts: Map<string, TextTrack> = new Map()
  /** Texts that wait for a decision, in the order in which they came; decided ones may still stand between them. */
  #undecided: TextTrack[] = []
  readonly #calls: Set<string>
  readonly #loopCalls: Set<string>
  #lastCall: string | undefined
  #renames: number

  constructor(emit: (chunk: Chunk) => void, options: CommentaryOptions = {}) {
    const { state } = options
    this.#emit = emit
    this.#defer = options.policy === 'defer'
    this.#messageId = state?.messageId
    for (const text of state?.texts ?? []) this.#track({ ...text })
    this.#calls = new Set(state?.calls)
    this.#loopCalls = new Set(state?.loopCalls)
    this.#lastCall = state?.lastCall
    this.#renames = state?.renames ?? 0
  }

  push(chunk: Chunk): void {
    switch (chunk.type) {
      case 'text-start':
        return this.#start(chunk)
      case 'text-delta':
        return this.#delta(chunk)
      case 'text-end':
        return this.#end(chunk)
      case 'tool-input-start':
        this.#decide('commentary', chunk.toolCallId)
        this.#noteCall(chunk)
        return this.#emit(chunk)
      case 'tool-input-available':
      case 'tool-input-error':
        if (!this.#calls.has(chunk.toolCallId)) this.#decide('commentary', chunk.toolCallId)
        this.#noteCall(chunk)
        return this.#emit(chunk)
      case 'start-step':
      case 'finish-step':
        if (this.#loopCalls.size > 0) this.#decide('commentary', this.#lastCall)
        else this.#decide('final')
        this.#forgetStep()
        return this.#emit(chunk)
      case 'start':
        this.#startMessage(chunk.messageId)
        return this.#emit(chunk)
      case 'finish':
        this.#decide('final')
        this.#forgetStep()
        return this.#emit(chunk)
      case 'error':
      case 'abort':
        this.#decide(undefined)
        this.#forgetStep()
        return this.#emit(chunk)
      case 'reset-step':
        this.#undecided = []
        this.#forgetStep()
        return this.#emit(chunk)
      default:
        return this.#emit(chunk)
    }
  }

  /** The stream is over: text that waits for a decision is kept, marked as aborted. */
  end(): void {
    this.#decide(undefined)
    this.#forgetStep()
  }

  #startMessage(messageId: string | undefined): void {
    if (messageId === undefined || messageId === this.#messageId) return
    this.#messageId = messageId
    this.end()
  }

  #start(chunk: TextStart): void {
    const previous = this.#texts.get(chunk.id)
    const text: TextTrack = { id: chunk.id, out: chunk.id, fate: 'undecided' }
    if (previous?.fate === 'undecided') {
      previous.aside = true
      previous.ended = true
      text.out = `${chunk.id}#${++this.#renames + 1}`
    }
    const given = givenPhase(chunk)
    if (given !== undefined) text.given = given
    if (chunk.providerMetadata !== undefined) text.metadata = chunk.providerMetadata
    if (given === 'final' || given === 'remainder') text.fate = 'passed'
    else if (this.#defer) text.waiting = ''
    this.#track(text)
    if (text.waiting === undefined) this.#emit(renamed(chunk, text.out, given))
  }

  #delta(chunk: TextDelta): void {
    let text = this.#texts.get(chunk.id)
    if (text === undefined) {
      text = { id: chunk.id, out: chunk.id, fate: 'undecided' }
      if (this.#defer) text.waiting = ''
      this.#track(text)
    } else if (text.fate === 'cut') {
      this.#start({ type: 'text-start', id: chunk.id })
      text = this.#texts.get(chunk.id)!
    }
    if (chunk.providerMetadata !== undefined) text.metadata = chunk.providerMetadata
    if (text.waiting !== undefined) text.waiting += chunk.delta
    else this.#emit(renamed(chunk, text.out))
  }

  #end(chunk: TextEnd): void {
    const text = this.#texts.get(chunk.id)
    if (text === undefined || text.fate === 'passed') {
      this.#texts.delete(chunk.id)
      return this.#emit(renamed(chunk, text?.out ?? chunk.id))
    }
    if (text.fate !== 'undecided') {
      this.#texts.delete(chunk.id)
      return
    }
    if (chunk.providerMetadata !== undefined) text.metadata = chunk.providerMetadata
    text.ended = true
    const own = argotMetadata(chunk)
    if (own?.phase !== undefined || own?.state === 'aborted') this.#finish(text, own)
  }

  #track(text: TextTrack): void {
    if (text.aside !== true) this.#texts.set(text.id, text)
    if (text.fate === 'undecided') this.#undecided.push(text)
  }

  #noteCall(chunk: { toolCallId: string; providerExecuted?: boolean }): void {
    if (chunk.providerExecuted === true) this.#loopCalls.delete(chunk.toolCallId)
    if (this.#calls.has(chunk.toolCallId)) return
    this.#calls.add(chunk.toolCallId)
    this.#lastCall = chunk.toolCallId
    if (chunk.providerExecuted !== true) this.#loopCalls.add(chunk.toolCallId)
  }

  #forgetStep(): void {
    this.#calls.clear()
    this.#loopCalls.clear()
    this.#lastCall = undefined
    this.#texts.clear()
  }

  /** Gives every undecided text its phase; none means that the run stopped before there was one. */
  #decide(phase: TextPhase | undefined, toolCallId?: string): void {
    if (this.#undecided.length === 0) return
    const texts = this.#undecided
    this.#undecided = []
    for (const text of texts) {
      if (text.fate !== 'undecided') continue
      const decision: ArgotMetadata = phase === undefined ? { state: 'aborted' } : { phase: text.given ?? phase }
      if (decision.phase === 'commentary' && toolCallId !== undefined) decision.toolCallId = toolCallId
      this.#finish(text, decision)
    }
  }

  #finish(text: TextTrack, decision: ArgotMetadata): void {
    const providerMetadata = withArgotMetadata(text.metadata, decision)
    if (text.waiting !== undefined) {
      this.#emit({ type: 'text-start', id: text.out, providerMetadata })
      if (text.waiting !== '') this.#emit({ type: 'text-delta', id: text.out, delta: text.waiting })
    }
    this.#emit({ type: 'text-end', id: text.out, providerMetadata })
    text.fate = text.ended === true ? 'decided' : 'cut'
    if (text.ended === true && text.aside !== true) this.#texts.delete(text.id)
  }

  toJSON(): CommentaryState {
    const undecided = this.#undecided.filter(text => text.fate === 'undecided')
    const others = [...this.#texts.values()].filter(text => text.fate !== 'undecided')
    const state: CommentaryState = {
      texts: [...undecided, ...others].map(text => ({ ...text })),
      calls: [...this.#calls],
      loopCalls: [...this.#loopCalls],
      renames: this.#renames,
    }
    if (this.#messageId !== undefined) state.messageId = this.#messageId
    if (this.#lastCall !== undefined) state.lastCall = this.#lastCall
    return state
  }
}

type TextStart = { type: 'text-start' | 'reasoning-start'; id: string; providerMetadata?: ProviderMetadata }
type TextDelta = {
  type: 'text-delta' | 'reasoning-delta'
  id: string
  delta: string
  providerMetadata?: ProviderMetadata
}
type TextEnd = { type: 'text-end' | 'reasoning-end'; id: string; providerMetadata?: ProviderMetadata }

const phases: ReadonlySet<unknown> = new Set<TextPhase>(['pending', 'commentary', 'final', 'remainder'])

/** The phase that Argot or a provider already knows when the text starts. */
function givenPhase(chunk: TextStart): TextPhase | undefined {
  const own = argotMetadata(chunk)?.phase
  if (own !== undefined && own !== 'pending' && phases.has(own)) return own
  const openai = chunk.providerMetadata?.openai?.phase
  if (openai === 'commentary') return 'commentary'
  return openai === 'final_answer' ? 'final' : undefined
}

/** The chunk under another id, and with its phase where that is known; the same object where nothing changes. */
function renamed<T extends { id: string; providerMetadata?: ProviderMetadata }>(
  chunk: T,
  id: string,
  phase?: TextPhase,
): T {
  if (phase !== undefined)
    return { ...chunk, id, providerMetadata: withArgotMetadata(chunk.providerMetadata, { phase }) }
  return chunk.id === id ? chunk : { ...chunk, id }
}
