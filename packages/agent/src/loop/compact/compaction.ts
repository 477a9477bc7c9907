import type { Chunk, ToolDefinition } from '@argot/core'
import { type GrowingPrompt, type ModelPrompt, type PromptTurn, readTurns } from '@argot/core/ai-sdk/internal'
import { english } from '@argot/core/stream'
import { defined, summaryType } from '@argot/core/stream/internal'
import { findContextWindow } from '../../model/context-window.ts'
import type { ModelFailure } from '../../model/model.ts'
import { LoggedWindow } from '../../store/logged-window.ts'
import { compactedMark, mark } from '../../store/marks.ts'
import { boundPrompt, countPrompt } from '../estimate-usage.ts'
import type { LoopIo, RunPlan } from '../plan.ts'
import type { RunStream } from '../run-stream.ts'
import type { SpendingMeter } from '../spending.ts'
import { estimateTurnTokens } from './describe-turn.ts'
import { type CutSources, describeRoom, findTask, planCut, type RoomUse } from './plan-cut.ts'
import { writeSummary } from './write-summary.ts'

/** In tokens. A shorter prompt fits every model, so there is no need to ask a server for its limit. */
const SMALLEST_WINDOW = 3000

/** The share of the prompt that remains if a user requests a summary now. */
const REQUESTED_SHARE = 0.25

export interface CompactionContext {
  plan: Pick<RunPlan, 'messages' | 'continued' | 'resumed' | 'talk' | 'answer'>
  io: Omit<LoopIo, 'people'>
  stream: Pick<RunStream, 'earlier' | 'message' | 'push' | 'stepSynced'>
  spending: SpendingMeter
  definitions: () => readonly ToolDefinition[]
  prompt: () => GrowingPrompt
}

export type FitResult = { type: 'fits' } | { type: 'stopped' } | { type: 'failed'; failure: ModelFailure }

/** Estimated tokens: of the whole prompt, and of the part that a summary can't replace. */
interface PromptSize {
  tokens: number
  fixed: number
}

/** How many tokens a prompt may have: the model's limit, and the requested one. */
interface PromptRoom {
  modelLimit: number
  requestedLimit: number
}

const fits: FitResult = { type: 'fits' }

/**
 * Keeps a run's prompt within its model's window by replacing older turns with a summary, in the prompt only. The
 * summary is part of the message, so the log, the document and every later prompt include it.
 */
export class Compaction {
  readonly #context: CompactionContext
  readonly #window: LoggedWindow
  /** Requested once. */
  #serverWindow: { tokens: number | undefined } | undefined
  #isRequested: boolean
  /** Approximate tokens of the last prompt. Undefined if they weren't needed. */
  promptTokens: number | undefined

  constructor(context: CompactionContext) {
    const { talk, resumed } = context.plan
    this.#context = context
    this.#window = resumed?.window ?? new LoggedWindow()
    this.#isRequested = talk.compact === 'now' && resumed?.hasSummary !== true
  }

  /** Takes a step's mark, which holds the provider's count of the tokens it was sent. */
  learn(step: Chunk): void {
    this.#window.push(step)
  }

  async fit(): Promise<FitResult> {
    const { talk } = this.#context.plan
    const isRequested = this.#isRequested
    const mayHaveLimit = isRequested || this.#hasLimit || talk.model.askWindow !== undefined
    if (talk.compact === 'never' || !mayHaveLimit) return fits
    const modelPrompt = await this.#build()
    if (modelPrompt === undefined) return fits
    const { rate } = this.#window
    this.#isRequested = false
    this.promptTokens = undefined
    if (!isRequested && !(await this.#mayBeFull(modelPrompt))) return fits
    const size = measure(modelPrompt)
    const room = await this.#findRoom(size.tokens)
    this.promptTokens = Number.isFinite(room.requestedLimit) ? size.tokens : undefined
    if (!isRequested && size.tokens * rate <= room.requestedLimit) return fits
    return this.#compact(size, room, isRequested ? REQUESTED_SHARE : undefined)
  }

  /** False if the prompt is so short that there is no need to count. */
  async #mayBeFull({ prompt, tools }: ModelPrompt): Promise<boolean> {
    const bound = boundPrompt(prompt, tools)
    const tokens = this.#hasLimit || bound < SMALLEST_WINDOW ? bound : countPrompt(prompt, tools)
    return bound * this.#window.rate > (await this.#findRoom(tokens)).requestedLimit
  }

  async handleRefusal(failure: ModelFailure): Promise<FitResult> {
    const { compact } = this.#context.plan.talk
    const modelPrompt = compact === 'never' ? undefined : await this.#build()
    if (modelPrompt === undefined) return { type: 'failed', failure }
    const size = measure(modelPrompt)
    const room = await this.#findRoom(size.tokens)
    // A prompt that the provider refuses is too long, whatever a table says.
    const refusedLimit = Math.floor(size.tokens * this.#window.rate * 0.75)
    const limit = Math.min(room.modelLimit, refusedLimit)
    return this.#compact(
      size,
      { modelLimit: limit, requestedLimit: Math.min(room.requestedLimit, limit) },
      undefined,
      failure,
    )
  }

  /** Undefined if the prompt can't be built; the model call then gives the reason. */
  async #build(): Promise<ModelPrompt | undefined> {
    const { plan, definitions, prompt } = this.#context
    const { model, syntax } = plan.talk
    const language = model.for?.({ syntax, tools: definitions(), answerSchema: plan.answer?.schema }) ?? model.language
    return prompt()
      .build(language)
      .catch(() => undefined)
  }

  async #findRoom(tokens: number): Promise<PromptRoom> {
    const { compact } = this.#context.plan.talk
    const window = this.#configuredWindow ?? (tokens < SMALLEST_WINDOW ? undefined : await this.#askWindow())
    const { maxTokens = Number.POSITIVE_INFINITY } = this.#window
    const limit = Math.min(window === undefined ? Number.POSITIVE_INFINITY : this.#roomIn(window), maxTokens)
    return { modelLimit: limit, requestedLimit: typeof compact === 'number' ? Math.min(compact, limit) : limit }
  }

  get #hasLimit(): boolean {
    const { compact } = this.#context.plan.talk
    return typeof compact === 'number' || this.#configuredWindow !== undefined || this.#window.maxTokens !== undefined
  }

  get #configuredWindow(): number | undefined {
    const { context, model } = this.#context.plan.talk
    return context ?? findContextWindow(model.name)
  }

  /** The part of a window that is left for the prompt: the reply needs some of it, and estimates aren't exact. */
  #roomIn(window: number): number {
    const { maxTokens = Math.min(8192, window / 8) } = this.#context.plan.talk.settings
    return Math.floor((window - Math.min(maxTokens, window / 2)) * 0.95)
  }

  async #askWindow(): Promise<number | undefined> {
    this.#serverWindow ??= { tokens: await this.#context.plan.talk.model.askWindow?.().catch(() => undefined) }
    return this.#serverWindow.tokens
  }

  /** `share`: the largest share of the prompt to keep. */
  async #compact(
    size: PromptSize,
    room: PromptRoom,
    share: number | undefined,
    refusal?: ModelFailure,
  ): Promise<FitResult> {
    const { plan, io, stream, spending } = this.#context
    const sources = this.#sources(size, room)
    const { turns, from } = sources
    const maxTokens = share === undefined ? undefined : Math.ceil(size.tokens * this.#window.rate * share)
    const cut = planCut(sources, maxTokens)
    const mustFit = size.tokens * this.#window.rate > room.modelLimit
    if (cut.type === 'nothing') return mustFit ? this.#failFull(cut.room, room, refusal) : fits
    const { to, tokens } = cut
    const requestTokens = room.modelLimit / this.#window.rate
    const earlierSummary = from === 0 ? undefined : this.#turns().cut?.text
    const request = { turns: turns.slice(from, to), turnsBefore: from, earlierSummary, tokens, requestTokens }
    const summary = await writeSummary(plan.talk, request, io)
    if (summary.type !== 'written') return summary
    const { usage, text } = summary
    spending.addOther(usage)
    const compactedChunk = mark(compactedMark, { usage, ...defined({ most: refusal && room.modelLimit }) })
    this.#window.push(compactedChunk)
    stream.push(compactedChunk)
    stream.push({ type: summaryType, data: { text, replaces: to } })
    // What the model is sent must be on disk, so that the next process sends the same.
    await stream.stepSynced()
    return this.#checkFit(room, refusal)
  }

  async #checkFit(room: PromptRoom, refusal: ModelFailure | undefined): Promise<FitResult> {
    const modelPrompt = await this.#build()
    if (modelPrompt === undefined) return fits
    const size = measure(modelPrompt)
    if (this.promptTokens !== undefined) this.promptTokens = size.tokens
    if (size.tokens * this.#window.rate <= room.modelLimit) return fits
    const sources = this.#sources(size, room)
    return this.#failFull(describeRoom(sources, sources.turns.length - 1), room, refusal)
  }

  /** What can be cut. If the window is unknown, half of the prompt stays. */
  #sources(size: PromptSize, { requestedLimit }: PromptRoom): CutSources {
    const { turns, cut } = this.#turns()
    const { rate } = this.#window
    const room = Math.min(requestedLimit, Math.ceil(size.tokens * rate))
    const from = cut?.turns ?? 0
    const task = findTask(turns)
    // A turn that a summary already replaces weighs nothing.
    const weights = turns.map((turn, index) =>
      index < from && index !== task ? 0 : Math.ceil(estimateTurnTokens(turn) * rate),
    )
    return { turns, weights, from, fixed: Math.ceil(size.fixed * rate), room }
  }

  #turns(): { turns: PromptTurn[]; cut: ReturnType<typeof readTurns>['cut'] } {
    const { plan, stream } = this.#context
    const { message, earlier } = stream
    const messages = [...plan.messages, ...earlier, ...(message === undefined ? [] : [message])]
    return readTurns(messages, plan.continued?.isCut === true && earlier.length === 0)
  }

  #failFull(usage: RoomUse[], { modelLimit }: PromptRoom, refusal: ModelFailure | undefined): FitResult {
    const { name } = this.#context.plan.talk.model
    const about = (tokens: number): string => english.number(Math.round(tokens))
    const list = usage
      .filter(({ tokens }) => tokens > 0)
      .sort((a, b) => b.tokens - a.tokens)
      .map(({ what, tokens }) => `${what} about ${about(tokens)}`)
    // A refusal is better evidence than our estimate of the window.
    const limit = refusal === undefined ? ` There is room for about ${about(modelLimit)} tokens.` : ''
    const quoted = / It says: .*$/s.exec(refusal?.message ?? '')?.[0] ?? ''
    const message = `The conversation doesn't fit the context window of ${name}, and nothing more can be summarised.${limit} The tokens are used by: ${list.join(', ')}. Shorten the longest part, or use a model with a larger window. If you run the server, start it with a larger window and pass its size with --context.${quoted}`
    return { type: 'failed', failure: { code: 'MODEL_CONTEXT_EXCEEDED', message, retryable: false } }
  }
}

function measure({ prompt, tools }: ModelPrompt): PromptSize {
  const system = prompt.filter(({ role }) => role === 'system')
  return { tokens: countPrompt(prompt, tools), fixed: countPrompt(system, tools) }
}
