import type { Chunk, ToolDefinition } from '@argot/core'
import { type GrowingPrompt, type ModelPrompt, type PromptTurn, readTurns } from '@argot/core/ai-sdk/internal'
import { english } from '@argot/core/stream'
import { defined, summaryType } from '@argot/core/stream/internal'
import { findContextWindow } from '../../model/context-window.ts'
import type { ModelFailure } from '../../model/model.ts'
import { LoggedWindow } from '../../store/logged-window.ts'
import { compactedMark, mark } from '../../store/marks.ts'
import { boundPrompt, countPrompt } from '../estimate-usage.ts'
import type { LoopIo, Plan } from '../plan.ts'
import type { RunStream } from '../run-stream.ts'
import type { Spending } from '../spending.ts'
import { weighTurn } from './describe-turn.ts'
import { type CutSources, describeRoom, findTask, planCut, type RoomTaken } from './plan-cut.ts'
import { writeSummary } from './write-summary.ts'

/** A prompt that is shorter fits every model, so nobody asks a server how long one may be. */
const SMALLEST_WINDOW = 3000

/** What is left of a prompt if somebody asks for a summary now. */
const WANTED = 0.25

export interface CompactionContext {
  plan: Pick<Plan, 'messages' | 'continued' | 'resumed' | 'talk' | 'answer'>
  io: Omit<LoopIo, 'people'>
  stream: Pick<RunStream, 'earlier' | 'message' | 'push' | 'stepSynced'>
  spending: Spending
  definitions: () => readonly ToolDefinition[]
  prompt: () => GrowingPrompt
}

/** What became of the prompt: it fits, or the run ends. */
export type Fitted = { type: 'fits' } | { type: 'stopped' } | { type: 'failed'; failure: ModelFailure }

/** In tokens, by our estimate: all of a prompt, and what no summary can stand for. */
interface PromptSize {
  tokens: number
  fixed: number
}

/** How many tokens a prompt may have: as the model has it, and as it was asked for. */
interface Room {
  given: number
  asked: number
}

const fits: Fitted = { type: 'fits' }

/**
 * Keeps the prompt of a run within its model's window: older turns are replaced by a summary, in the prompt only. The
 * summary is a part of the message, so the log, the document and every later prompt have it.
 */
export class Compaction {
  readonly #context: CompactionContext
  readonly #window: LoggedWindow
  /** What the table or the server says; asked once. */
  #known: { tokens: number | undefined } | undefined
  #isWanted: boolean
  /** About how many tokens the last prompt had; undefined if nobody has to know. */
  sent: number | undefined

  constructor(context: CompactionContext) {
    const { talk, resumed } = context.plan
    this.#context = context
    this.#window = resumed?.window ?? new LoggedWindow()
    this.#isWanted = talk.compact === 'now' && resumed?.hasSummary !== true
  }

  /** Takes the mark of a step: the provider has counted what it was sent. */
  learn(step: Chunk): void {
    this.#window.push(step)
  }

  /** Makes the next prompt fit, if it is known how long it may be. */
  async fit(): Promise<Fitted> {
    const { talk } = this.#context.plan
    const isWanted = this.#isWanted
    const mayKnow = isWanted || this.#hasLimit || talk.model.askWindow !== undefined
    if (talk.compact === 'never' || !mayKnow) return fits
    const built = await this.#build()
    if (built === undefined) return fits
    const { rate } = this.#window
    this.#isWanted = false
    this.sent = undefined
    if (!isWanted && !(await this.#mayBeFull(built))) return fits
    const size = measure(built)
    const room = await this.#findRoom(size.tokens)
    this.sent = Number.isFinite(room.asked) ? size.tokens : undefined
    if (!isWanted && size.tokens * rate <= room.asked) return fits
    return this.#compact(size, room, isWanted ? WANTED : undefined)
  }

  /** False if the prompt is so short that nothing has to be counted. */
  async #mayBeFull({ prompt, tools }: ModelPrompt): Promise<boolean> {
    const bound = boundPrompt(prompt, tools)
    const tokens = this.#hasLimit || bound < SMALLEST_WINDOW ? bound : countPrompt(prompt, tools)
    return bound * this.#window.rate > (await this.#findRoom(tokens)).asked
  }

  /** The provider says that the prompt is too long. */
  async refuse(failure: ModelFailure): Promise<Fitted> {
    const { compact } = this.#context.plan.talk
    const built = compact === 'never' ? undefined : await this.#build()
    if (built === undefined) return { type: 'failed', failure }
    const size = measure(built)
    const room = await this.#findRoom(size.tokens)
    // What the provider refuses is too long, whatever a table says.
    const refused = Math.floor(size.tokens * this.#window.rate * 0.75)
    const limit = Math.min(room.given, refused)
    return this.#compact(size, { given: limit, asked: Math.min(room.asked, limit) }, undefined, failure)
  }

  /** Undefined if the prompt cannot be built: asking the model says why. */
  async #build(): Promise<ModelPrompt | undefined> {
    const { plan, definitions, prompt } = this.#context
    const { model, syntax } = plan.talk
    const language = model.for?.({ syntax, tools: definitions(), answerSchema: plan.answer?.schema }) ?? model.language
    return prompt()
      .build(language)
      .catch(() => undefined)
  }

  /** How many tokens the prompt may have. */
  async #findRoom(tokens: number): Promise<Room> {
    const { compact } = this.#context.plan.talk
    const window = this.#ownWindow ?? (tokens < SMALLEST_WINDOW ? undefined : await this.#askWindow())
    const { most = Number.POSITIVE_INFINITY } = this.#window
    const limit = Math.min(window === undefined ? Number.POSITIVE_INFINITY : this.#roomIn(window), most)
    return { given: limit, asked: typeof compact === 'number' ? Math.min(compact, limit) : limit }
  }

  /** Something is known without asking a server. */
  get #hasLimit(): boolean {
    const { compact } = this.#context.plan.talk
    return typeof compact === 'number' || this.#ownWindow !== undefined || this.#window.most !== undefined
  }

  get #ownWindow(): number | undefined {
    const { context, model } = this.#context.plan.talk
    return context ?? findContextWindow(model.name)
  }

  /** What is left of a window for the prompt: the reply needs some of it, and estimates are only estimates. */
  #roomIn(window: number): number {
    const { maxTokens = Math.min(8192, window / 8) } = this.#context.plan.talk.settings
    return Math.floor((window - Math.min(maxTokens, window / 2)) * 0.95)
  }

  async #askWindow(): Promise<number | undefined> {
    this.#known ??= { tokens: await this.#context.plan.talk.model.askWindow?.().catch(() => undefined) }
    return this.#known.tokens
  }

  /** `share`: how much of the prompt is to be left at most. */
  async #compact(size: PromptSize, room: Room, share: number | undefined, refusal?: ModelFailure): Promise<Fitted> {
    const { plan, io, stream, spending } = this.#context
    const sources = this.#sources(size, room)
    const { turns, from } = sources
    const most = share === undefined ? undefined : Math.ceil(size.tokens * this.#window.rate * share)
    const planned = planCut(sources, most)
    const mustFit = size.tokens * this.#window.rate > room.given
    if (planned.type === 'nothing') return mustFit ? this.#full(planned.room, room, refusal) : fits
    const { to, tokens } = planned
    const requestTokens = room.given / this.#window.rate
    const earlier = from === 0 ? undefined : this.#turns().cut?.text
    const request = { turns: turns.slice(from, to), before: from, earlier, tokens, requestTokens }
    const summary = await writeSummary(plan.talk, request, io)
    if (summary.type !== 'written') return summary
    const { usage, text } = summary
    spending.addOther(usage)
    const learned = mark(compactedMark, { usage, ...defined({ most: refusal && room.given }) })
    this.#window.push(learned)
    stream.push(learned)
    stream.push({ type: summaryType, data: { text, replaces: to } })
    // What a model is sent is on the disk, so that the next process sends the same.
    await stream.stepSynced()
    return this.#checkFit(room, refusal)
  }

  async #checkFit(room: Room, refusal: ModelFailure | undefined): Promise<Fitted> {
    const built = await this.#build()
    if (built === undefined) return fits
    const size = measure(built)
    if (this.sent !== undefined) this.sent = size.tokens
    if (size.tokens * this.#window.rate <= room.given) return fits
    const sources = this.#sources(size, room)
    return this.#full(describeRoom(sources, sources.turns.length - 1), room, refusal)
  }

  /** What can be cut. If nobody knows the window, half of what there is stays. */
  #sources(size: PromptSize, { asked }: Room): CutSources {
    const { turns, cut } = this.#turns()
    const { rate } = this.#window
    const room = Math.min(asked, Math.ceil(size.tokens * rate))
    const from = cut?.turns ?? 0
    const task = findTask(turns)
    // A turn that a summary stands for weighs nothing.
    const weights = turns.map((turn, index) => (index < from && index !== task ? 0 : Math.ceil(weighTurn(turn) * rate)))
    return { turns, weights, from, fixed: Math.ceil(size.fixed * rate), room }
  }

  #turns(): { turns: PromptTurn[]; cut: ReturnType<typeof readTurns>['cut'] } {
    const { plan, stream } = this.#context
    const { message, earlier } = stream
    const messages = [...plan.messages, ...earlier, ...(message === undefined ? [] : [message])]
    return readTurns(messages, plan.continued?.isCut === true && earlier.length === 0)
  }

  /** Nothing more can be taken out. */
  #full(taken: RoomTaken[], { given }: Room, refusal: ModelFailure | undefined): Fitted {
    const { name } = this.#context.plan.talk.model
    const about = (tokens: number): string => english.number(Math.round(tokens))
    const list = taken
      .filter(({ tokens }) => tokens > 0)
      .sort((a, b) => b.tokens - a.tokens)
      .map(({ what, tokens }) => `${what} about ${about(tokens)}`)
    // What the provider refused says more than our estimate of its window.
    const limit = refusal === undefined ? ` There is room for about ${about(given)} tokens.` : ''
    const quoted = / It says: .*$/s.exec(refusal?.message ?? '')?.[0] ?? ''
    const message = `The conversation doesn't fit the context window of ${name}, and nothing more can be summarised.${limit} These take the room, in tokens: ${list.join(', ')}. Shorten what is longest, or use a model with a larger window. A server of your own may be started with a larger one; --context says how large it is.${quoted}`
    return { type: 'failed', failure: { code: 'MODEL_CONTEXT_EXCEEDED', message, retryable: false } }
  }
}

function measure({ prompt, tools }: ModelPrompt): PromptSize {
  const system = prompt.filter(({ role }) => role === 'system')
  return { tokens: countPrompt(prompt, tools), fixed: countPrompt(system, tools) }
}
