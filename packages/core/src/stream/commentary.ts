import { toUseKey } from '../message/call-keys.ts'
import { correctionType } from '../message/correction.ts'
import type { TextPhase } from '../message/message.ts'
import type { ProviderMetadata } from '../message/tool-invocation.ts'
import { defined } from '../source/defined.ts'
import { endsInHalf } from '../source/surrogates.ts'
import {
  type ArgotMetadata,
  argotMetadata,
  type Chunk,
  type DataChunk,
  stepMark,
  type ToolInputDelta,
  withArgotMetadata,
} from './chunk.ts'
import type { CallAnswer } from './chunk-table.ts'

/**
 * `provisional`: text streams immediately and gets its phase once that is known. Nothing is hidden, nothing jumps.
 * `defer`: text waits until its phase is known, and starts with it.
 */
export type CommentaryPolicy = 'provisional' | 'defer'

export interface CommentaryOptions {
  policy?: CommentaryPolicy
  state?: CommentaryState
}

export interface CommentaryState {
  messageId?: string
  texts: TextTrack[]
  /** The calls of this step, and those that the loop runs (calls that a provider runs itself are excluded). */
  calls: string[]
  loopCalls: string[]
  lastCall?: string
  renames: number
}

/** Chunks that pass unchanged. A new chunk type must be here or in `push`. */
interface PassingChunks {
  type:
    | (TextStart | TextDelta | TextEnd | CallAnswer | ToolInputDelta | DataChunk)['type']
    | 'message-metadata'
    | 'source-url'
    | 'source-document'
    | 'file'
}

interface TextTrack {
  /** The sender's id. `out` is the id that the text is sent under. */
  id: string
  out: string
  /** `cut`: decided while the sender still writes it. `passed`: it carried its phase from the start. */
  fate: 'undecided' | 'decided' | 'cut' | 'passed'
  /** The sender now uses the id for another text. */
  aside?: boolean
  /** The phase that the provider gave. Only the call is still unknown. */
  given?: TextPhase
  /** Its `text-end` has arrived and waits for the decision. */
  ended?: boolean
  metadata?: ProviderMetadata
  decision?: ArgotMetadata
  /** The text so far under the policy `defer`. */
  waiting?: string
  /** It never had a `text-start`. */
  unopened?: boolean
  /** The first half of a surrogate pair. It stays with the other half. */
  half?: string
}

/**
 * Decides the purpose of each text in a step. Text before a call is that call's commentary. Text after the last call of
 * a step that the loop continues from is commentary after that call. Text in a step without calls is the answer.
 *
 * The decision is `argot: { phase, toolCallId? }` on the part's `text-end`, which is held back until the decision is
 * made and is sent just before the chunk that decides it. A text that already carries its phase passes unchanged, so a
 * stream may pass through twice.
 */
export class Commentary {
  readonly #emit: (chunk: Chunk) => void
  readonly #defer: boolean
  #messageId: string | undefined
  /** The newest text with each id in the open step. */
  readonly #texts: Map<string, TextTrack> = new Map()
  /** Texts that wait for a decision, in order of arrival. Decided ones may still be among them. */
  #undecided: TextTrack[] = []
  readonly #usedIds: Set<string> = new Set()
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
      case correctionType:
        // The text led to no call, and is not the answer either.
        this.#decide('commentary')
        return this.#emit(chunk)
      case 'start-step':
      case 'finish-step':
      case stepMark:
        if (this.#loopCalls.size > 0) this.#endStep('commentary', this.#lastCall)
        else this.#endStep('final')
        return this.#emit(chunk)
      case 'start':
        this.#startMessage(chunk.messageId)
        return this.#emit(chunk)
      case 'user-message':
      case 'finish':
        this.#endStep('final')
        return this.#emit(chunk)
      case 'error':
      case 'abort':
        this.#endStep(undefined)
        return this.#emit(chunk)
      case 'reset-step':
        this.#dropUndecided()
        this.#forgetStep()
        return this.#emit(chunk)
      default:
        return this.#emit(chunk satisfies PassingChunks)
    }
  }

  /** Ends the stream: text that waits for a decision is kept and marked as aborted. */
  end(): void {
    this.#endStep(undefined)
  }

  /** The step is taken back. A waiting text is only named, so that readers know whose late chunks to ignore. */
  #dropUndecided(): void {
    for (const { fate, waiting, unopened, out: id } of this.#undecided) {
      if (fate !== 'undecided' || waiting === undefined || unopened === true) continue
      this.#emit({ type: 'text-start', id })
      this.#emit({ type: 'text-end', id })
    }
    this.#undecided = []
    this.#usedIds.clear()
  }

  #startMessage(messageId: string | undefined): void {
    if (messageId === undefined || messageId === this.#messageId) return
    this.#messageId = messageId
    this.end()
  }

  #start(chunk: TextStart, half?: string): void {
    const previous = this.#texts.get(chunk.id)
    if (previous?.fate === 'undecided') {
      previous.aside = true
      previous.ended = true
    }
    const text: TextTrack = { id: chunk.id, out: this.#freeId(chunk.id), fate: 'undecided' }
    const phase = readPhase(chunk)
    if (phase !== undefined) text.given = phase
    if (chunk.providerMetadata !== undefined) text.metadata = chunk.providerMetadata
    const mustWait = this.#defer && this.#undecided.length > 0
    if (half !== undefined) text.half = half
    if (belongsToNoCall(phase) && !mustWait && half === undefined) text.fate = 'passed'
    else if (this.#defer) text.waiting = ''
    this.#track(text)
    if (text.waiting === undefined) this.#emit(withIdAndPhase(chunk, text.out, phase))
  }

  #delta(chunk: TextDelta): void {
    let text = this.#texts.get(chunk.id)
    if (text === undefined) {
      text = { id: chunk.id, out: this.#freeId(chunk.id), fate: 'undecided', unopened: true }
      if (this.#defer) text.waiting = ''
      this.#track(text)
    } else if (text.fate === 'cut') {
      text = this.#continue(text)
    }
    if (chunk.providerMetadata !== undefined) text.metadata = chunk.providerMetadata
    const delta = text.fate === 'passed' ? chunk.delta : withoutHalf(text, chunk.delta)
    if (text.waiting !== undefined) text.waiting += delta
    else if (delta === chunk.delta) this.#emit(withIdAndPhase(chunk, text.out, repeatedPhase(text, chunk)))
    else if (delta !== '') this.#emit({ ...chunk, id: text.out, delta })
  }

  /** More of a text that a call cut off: a separate text, with the phase that the provider gave to the whole. */
  #continue(cut: TextTrack): TextTrack {
    const phase = cut.given === undefined ? {} : { providerMetadata: { argot: { phase: cut.given } } }
    this.#start({ type: 'text-start', id: cut.id, ...phase }, cut.half)
    return this.#texts.get(cut.id)!
  }

  #end(chunk: TextEnd): void {
    let text = this.#texts.get(chunk.id)
    if (text === undefined || text.fate === 'passed') {
      this.#texts.delete(chunk.id)
      return this.#emit(text === undefined ? chunk : withIdAndPhase(chunk, text.out, repeatedPhase(text, chunk)))
    }
    if (text.fate === 'cut' && text.half !== undefined) text = this.#continue(text)
    if (text.fate !== 'undecided') {
      this.#texts.delete(chunk.id)
      return
    }
    if (chunk.providerMetadata !== undefined) text.metadata = chunk.providerMetadata
    text.ended = true
    const own = argotMetadata(chunk)
    if (own !== undefined && (isDecided(own.phase) || own.state === 'aborted')) {
      text.decision = text.given === undefined ? own : { phase: text.given, ...own }
    } else if (belongsToNoCall(text.given)) text.decision = { phase: text.given }
    if (text.decision !== undefined) this.#finishDecided(text, text.decision)
  }

  /** A text that states its own purpose. Under `defer` it still waits for the texts before it. */
  #finishDecided(text: TextTrack, decision: ArgotMetadata): void {
    if (!this.#defer) return this.#finish(text, decision, true)
    for (let first = this.#undecided[0]; first?.decision !== undefined; first = this.#undecided[0]) {
      this.#undecided.shift()
      this.#finish(first, first.decision, true)
    }
  }

  #track(text: TextTrack): void {
    if (text.aside !== true) this.#texts.set(text.id, text)
    if (text.fate !== 'undecided') return
    this.#undecided.push(text)
    this.#usedIds.add(text.out)
  }

  /** The id itself, or a new one while another text is sent under it. */
  #freeId(id: string): string {
    let out = id
    while (this.#usedIds.has(out)) out = toUseKey(id, ++this.#renames + 1)
    return out
  }

  #noteCall(chunk: { toolCallId: string; providerExecuted?: boolean }): void {
    if (chunk.providerExecuted === true) this.#loopCalls.delete(chunk.toolCallId)
    if (this.#calls.has(chunk.toolCallId)) return
    this.#calls.add(chunk.toolCallId)
    this.#lastCall = chunk.toolCallId
    if (chunk.providerExecuted !== true) this.#loopCalls.add(chunk.toolCallId)
  }

  #endStep(phase: TextPhase | undefined, toolCallId?: string): void {
    for (const text of this.#texts.values()) if (text.fate === 'cut' && text.half !== undefined) this.#continue(text)
    this.#decide(phase, toolCallId, true)
    this.#forgetStep()
  }

  #forgetStep(): void {
    this.#calls.clear()
    this.#loopCalls.clear()
    this.#lastCall = undefined
    this.#texts.clear()
  }

  /** No phase means that the run stopped before there was one. */
  #decide(phase: TextPhase | undefined, toolCallId?: string, isStepEnd = false): void {
    if (this.#undecided.length === 0) return
    const texts = this.#undecided
    this.#undecided = []
    for (const text of texts) {
      if (text.fate !== 'undecided') continue
      this.#finish(text, text.decision ?? decisionFor(text, phase, toolCallId), isStepEnd || text.ended === true)
    }
  }

  /** `whole`: no more of the text comes. */
  #finish(text: TextTrack, decision: ArgotMetadata, whole: boolean): void {
    const providerMetadata = withArgotMetadata(text.metadata, decision)
    const id = text.out
    const rest = (text.waiting ?? '') + ((whole ? text.half : undefined) ?? '')
    if (text.waiting !== undefined && text.unopened !== true) this.#emit({ type: 'text-start', id, providerMetadata })
    if (rest !== '') this.#emit({ type: 'text-delta', id, delta: rest })
    this.#emit({ type: 'text-end', id, providerMetadata })
    this.#usedIds.delete(id)
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

/** No phase means that the run stopped. */
function decisionFor(text: TextTrack, phase: TextPhase | undefined, toolCallId: string | undefined): ArgotMetadata {
  if (phase === undefined) return { ...defined({ phase: text.given }), state: 'aborted' }
  const decision: ArgotMetadata = { phase: text.given ?? phase }
  if (decision.phase === 'commentary' && toolCallId !== undefined) decision.toolCallId = toolCallId
  return decision
}

/** Readers replace metadata with later metadata, so new metadata must repeat the phase that came with the start. */
function repeatedPhase(text: TextTrack, chunk: { providerMetadata?: ProviderMetadata }): TextPhase | undefined {
  return chunk.providerMetadata === undefined ? undefined : text.given
}

/** The first half of a pair at the end waits for the next delta. */
function withoutHalf(text: TextTrack, delta: string): string {
  const joined = text.half === undefined ? delta : text.half + delta
  if (text.half !== undefined) delete text.half
  if (!endsInHalf(joined)) return joined
  text.half = joined.slice(-1)
  return joined.slice(0, -1)
}

const decidedPhases: ReadonlySet<unknown> = new Set<TextPhase>(['commentary', 'final', 'remainder'])

function isDecided(phase: unknown): phase is TextPhase {
  return decidedPhases.has(phase)
}

/** There is nothing left to decide. A commentary still needs its call. */
function belongsToNoCall(phase: TextPhase | undefined): phase is 'final' | 'remainder' {
  return phase === 'final' || phase === 'remainder'
}

/** The phase that Argot or a provider knows when the text starts. */
function readPhase(chunk: TextStart): TextPhase | undefined {
  const own = argotMetadata(chunk)?.phase
  if (isDecided(own)) return own
  const openai = chunk.providerMetadata?.openai?.phase
  if (openai === 'commentary') return 'commentary'
  return openai === 'final_answer' ? 'final' : undefined
}

/** Returns the same object if nothing changes. */
function withIdAndPhase<T extends { id: string; providerMetadata?: ProviderMetadata }>(
  chunk: T,
  id: string,
  phase?: TextPhase,
): T {
  if (phase !== undefined)
    return { ...chunk, id, providerMetadata: withArgotMetadata(chunk.providerMetadata, { phase }) }
  return chunk.id === id ? chunk : { ...chunk, id }
}
