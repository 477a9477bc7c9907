import { defined, type ErrorCode } from 'argot'
import type { ApprovalAnswer, ApprovalPolicy, ApprovalRequest, Ask } from './approval.ts'
import { decide } from './decide.ts'
import { notAllowed, notAnswered, sayDenied } from './refusal-text.ts'

/** What becomes of a call. */
export type Verdict =
  /** It runs; nobody was asked about it. */
  | { kind: 'run' }
  /** It does not run; nobody has answered. */
  | { kind: 'refuse'; code: ErrorCode; reason: string }
  /** It was asked about, and this is the answer. An `input` in it has still to be validated. */
  | { kind: 'answer'; answer: ApprovalAnswer }
  /** Nobody answers now: the run stops, and the question stays in the transcript. */
  | { kind: 'park' }

export interface ApprovalsOptions {
  policy: ApprovalPolicy
  /**
   * Asks a person. It is called for one question at a time, and its signal is aborted as soon as the answer is no longer
   * wanted, so it may wait for ever where the answers come through `answer`.
   */
  ask?: Ask | undefined
  /** Questions of an earlier process that are to be asked again: their answers may come first. */
  awaited?: ReadonlySet<string> | undefined
}

/** A question that waits for its answer. */
interface Question {
  request: ApprovalRequest
  resolve(verdict: Verdict): void
  /** The question is in the transcript: it may be shown. */
  isReady: boolean
  /** Ends the question because the run was stopped. */
  stop(): void
  /** Aborted when the question is over, however it ended. */
  over: AbortController
}

/** The approvals of one run: what the policy allows, and what a person says about the rest. */
export class Approvals {
  readonly #policy: ApprovalPolicy
  readonly #ask: Ask | undefined
  /** By approval id, in the order in which they are asked. */
  readonly #waiting = new Map<string, Question>()
  /** Every approval id that was asked about: a late answer must not meet another question of the same id. */
  readonly #used = new Set<string>()
  /** By tool name: the answers that hold for the rest of the run. */
  readonly #always = new Map<string, ApprovalAnswer>()
  /** The question that `ask` is busy with. */
  #shown: Question | undefined
  readonly #awaited: ReadonlySet<string>
  /** Answers that came before their question was asked again. */
  readonly #early = new Map<string, ApprovalAnswer>()

  constructor({ policy, ask, awaited = new Set() }: ApprovalsOptions) {
    this.#policy = policy
    this.#ask = ask
    this.#awaited = awaited
  }

  /** The questions without an answer, in the order in which they are asked. */
  get pending(): readonly ApprovalRequest[] {
    return Array.from(this.#waiting.values(), ({ request }) => request)
  }

  /**
   * Decides about a call, and waits for a person if need be. `asking` is called before a person is asked, and waited for;
   * an answer is already accepted then. Never rejects.
   */
  async check(request: ApprovalRequest, asking?: () => void | Promise<void>): Promise<Verdict> {
    const { toolName, effect, approvalId, signal } = request
    const decision = decide(this.#policy, { name: toolName, effect })
    if (decision === 'refuse') return refuse('TOOL_NOT_ALLOWED', notAllowed(this.#policy, request))
    const always = this.#always.get(toolName)
    if (always?.approved === false) return refuse('TOOL_NOT_ALLOWED', sayDenied(toolName, always.reason))
    if (!mustAsk(request) && (decision === 'run' || always !== undefined)) return { kind: 'run' }
    const early = this.#early.get(approvalId)
    if (this.#ask === undefined && early === undefined) return unanswered(request, 'nobody')
    if (signal.aborted) return unanswered(request, 'stopped')
    if (this.#used.has(approvalId)) return unanswered(request, 'repeated')
    this.#used.add(approvalId)
    return await this.#wait(request, asking, early)
  }

  /** Answers a question that is waiting. False for any other, for the second answer, and for what is no answer. */
  answer(approvalId: string, answer: ApprovalAnswer): boolean {
    const question = this.#waiting.get(approvalId)
    const own = readAnswer(answer)
    if (own === undefined) return false
    if (question === undefined) return this.#keepEarly(approvalId, own)
    this.#settle(question, { kind: 'answer', answer: own })
    return true
  }

  #keepEarly(approvalId: string, answer: ApprovalAnswer): boolean {
    if (!this.#awaited.has(approvalId) || this.#used.has(approvalId) || this.#early.has(approvalId)) return false
    this.#early.set(approvalId, answer)
    return true
  }

  #wait(
    request: ApprovalRequest,
    asking: (() => void | Promise<void>) | undefined,
    early: ApprovalAnswer | undefined,
  ): Promise<Verdict> {
    return new Promise(resolve => {
      const stop = () => this.#settle(question, unanswered(request, 'stopped'))
      const question: Question = { request, resolve, isReady: false, stop, over: new AbortController() }
      this.#waiting.set(request.approvalId, question)
      request.signal.addEventListener('abort', stop, { once: true })
      const fail = (error: unknown) => this.#settle(question, unanswered(request, 'failed', error))
      const show = () => {
        if (early !== undefined) this.#settle(question, { kind: 'answer', answer: early })
        question.isReady = true
        this.#showNext()
      }
      try {
        const told = asking?.()
        if (told === undefined) show()
        else told.then(show, fail)
      } catch (error) {
        fail(error)
      }
    })
  }

  /** Gives a question its verdict and goes on to the next. The first verdict counts. */
  #settle(question: Question, verdict: Verdict): void {
    if (!this.#close(question, verdict)) return
    const { toolName } = question.request
    if (verdict.kind === 'answer' && verdict.answer.always) this.#remember(toolName, verdict.answer)
    this.#showNext()
  }

  #close(question: Question, verdict: Verdict): boolean {
    const { request, resolve, stop, over } = question
    if (!this.#waiting.delete(request.approvalId)) return false
    if (this.#shown === question) this.#shown = undefined
    request.signal.removeEventListener('abort', stop)
    resolve(verdict)
    over.abort()
    return true
  }

  /** Keeps the answer for the rest of the run, and gives it to what is waiting for the same tool. */
  #remember(toolName: string, { input: _, ...answer }: ApprovalAnswer): void {
    this.#always.set(toolName, answer)
    for (const question of [...this.#waiting.values()]) {
      const { request } = question
      const covered = request.toolName === toolName && !(answer.approved && mustAsk(request))
      if (covered) this.#close(question, { kind: 'answer', answer })
    }
  }

  #showNext(): void {
    if (this.#shown !== undefined || this.#ask === undefined) return
    // When a run is stopped its questions end one after the other, and none of them is shown in between.
    const next = Array.from(this.#waiting.values()).find(({ request }) => !request.signal.aborted)
    if (next?.isReady !== true) return
    this.#shown = next
    void this.#put(next, this.#ask).then(verdict => this.#settle(next, verdict))
  }

  /** Puts the question to a person. */
  async #put({ request, over }: Question, ask: Ask): Promise<Verdict> {
    try {
      const answer: unknown = await ask({ ...request, signal: over.signal })
      if (answer === undefined) return { kind: 'park' }
      const own = readAnswer(answer)
      return own === undefined ? unanswered(request, 'unclear') : { kind: 'answer', answer: own }
    } catch (error) {
      return unanswered(request, 'failed', error)
    }
  }
}

/** The approvals of one run. */
export function createApprovals(options: ApprovalsOptions): Approvals {
  return new Approvals(options)
}

/** Only a person can say that something whose effect is not known is done again, or that a call which no model made runs. */
function mustAsk({ interrupted, foreign, effect, mustAsk: reason }: ApprovalRequest): boolean {
  return foreign === true || reason !== undefined || (interrupted === true && effect !== 'read')
}

function refuse(code: ErrorCode, reason: string): Verdict {
  return { kind: 'refuse', code, reason }
}

function unanswered(request: ApprovalRequest, why: Parameters<typeof notAnswered>[1], error?: unknown): Verdict {
  return refuse('TOOL_NEEDS_APPROVAL', notAnswered(request, why, error))
}

/** The answer as far as it is one: answers come over the network too. Input counts only with a yes. */
function readAnswer(value: unknown): ApprovalAnswer | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { approved, reason, always, by }: { [Key in keyof ApprovalAnswer]?: unknown } = value
  if (typeof approved !== 'boolean') return undefined
  if (reason !== undefined && typeof reason !== 'string') return undefined
  if (always !== undefined && typeof always !== 'boolean') return undefined
  if (by !== undefined && typeof by !== 'string') return undefined
  // An input may be edited to `null`.
  const input = approved && 'input' in value ? value.input : undefined
  return { approved, ...defined({ reason, input, always, by }) }
}
