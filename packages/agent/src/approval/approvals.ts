import type { ErrorCode } from '@argot/core'
import { defined, readAnswer } from '@argot/core/stream/internal'
import type { Subject } from '../tool/subject.ts'
import type { Tool, Validation } from '../tool/tool.ts'
import { getToolIdentity } from '../tool/tool-identity.ts'
import { quoted } from '../words/quoted.ts'
import { toMessage } from '../words/to-message.ts'
import type { ApprovalAnswer, ApprovalPolicy, ApprovalRequest, Ask } from './approval.ts'
import { checkChange } from './check-change.ts'
import { hashInput } from './hash-input.ts'
import { cannotAsk, deniedByRule, describeDenied, notAllowed, notAnswered } from './refusal-text.ts'
import type { FindRelaxation, Relaxation } from './relaxation.ts'
import type { Rule } from './rule.ts'
import { type JudgedCall, type Judgement, RuleBook } from './rule-book.ts'

/** What becomes of a call. */
export type Verdict =
  /** It runs; nobody was asked about it. With `relaxation`, somebody would have been. */
  | { kind: 'run'; relaxation?: Relaxation }
  /** It does not run; nobody has answered. */
  | { kind: 'refuse'; code: ErrorCode; reason: string }
  /** It was asked about, and this is the answer. An `input` in it has still to be validated. */
  | { kind: 'answer'; answer: ApprovalAnswer }
  /** Nobody answers now: the run stops, and the question stays in the transcript. */
  | { kind: 'park' }

export interface ApprovalsOptions {
  policy: ApprovalPolicy
  /** The policy together with rules by argument; it decides in place of `policy`. */
  rules?: RuleBook | undefined
  /**
   * Asks a person. It is called for one question at a time, and its signal is aborted as soon as the answer is no longer
   * wanted, so it may wait for ever where the answers come through `answer`.
   */
  ask?: Ask | undefined
  /** Questions of an earlier process that are to be asked again: their answers may come first. */
  awaited?: ReadonlySet<string> | undefined
  /** Lets calls run that only the policy would ask about; never others. */
  relax?: FindRelaxation | undefined
}

/** The tool of a call, and its input as the tool takes it. */
export interface CheckedCall {
  tool: Pick<Tool, 'validate' | 'subject' | 'foresee' | 'aliasOf'> & Partial<Tool>
  input: unknown
}

/** An answer that came before its question was asked again, and the hash of the input that it is about. */
interface EarlyAnswer {
  answer: ApprovalAnswer
  inputHash: string | undefined
}

/** A question that waits for its answer. */
interface Question {
  request: ApprovalRequest
  call: CheckedCall | undefined
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
  readonly #rules: RuleBook
  readonly #ask: Ask | undefined
  /** By approval id, in the order in which they are asked. */
  readonly #waiting = new Map<string, Question>()
  /** Every approval id that was asked about: a late answer must not meet another question of the same id. */
  readonly #used = new Set<string>()
  /** By tool name: every call of it is denied for the rest of the run, whatever tool has the name then. */
  readonly #denied = new Map<string, ApprovalAnswer>()
  /** The question that `ask` is busy with. */
  #shown: Question | undefined
  readonly #awaited: ReadonlySet<string>
  readonly #relax: FindRelaxation | undefined
  /** Answers that came before their question was asked again. */
  readonly #early = new Map<string, EarlyAnswer>()

  constructor({ policy, rules = new RuleBook({ policy }), ask, awaited = new Set(), relax }: ApprovalsOptions) {
    this.#rules = rules
    this.#relax = relax
    this.#ask = ask
    this.#awaited = awaited
  }

  /** The questions without an answer, in the order in which they are asked. */
  get pending(): readonly ApprovalRequest[] {
    return Array.from(this.#waiting.values(), ({ request }) => request)
  }

  /**
   * Decides about a call, and waits for a person if need be. `asking` is called before a person is asked, and waited for;
   * an answer is already accepted then. Without `call` rules see only the name of the tool. Never rejects.
   */
  async check(
    given: ApprovalRequest,
    asking?: (request: ApprovalRequest) => void | Promise<void>,
    call?: CheckedCall,
  ): Promise<Verdict> {
    const subject = getSubject(call, call?.input)
    const plain = { ...given, ...defined({ subject }) }
    const judged = toJudged(plain, call)
    const judging = this.#rules.judge(judged)
    const judgement = judging instanceof Promise ? await judging : judging
    const { decision, rule } = judgement
    const { toolName, approvalId, signal } = plain
    if (decision === 'refuse') return refuse('TOOL_NOT_ALLOWED', this.#sayRefused(judged, rule))
    const denied = this.#findDenied(judged)
    if (denied !== undefined) return refuse('TOOL_NOT_ALLOWED', describeDenied(toolName, denied.reason))
    if (decision === 'run' && !mustAsk(plain)) return { kind: 'run' }
    const relaxation = this.#relax && (await this.#findRelaxation(plain, judged, judgement, call))
    if (relaxation !== undefined) return { kind: 'run', relaxation }
    const always = subject === undefined ? toolName : await this.#rules.ruleToAllow(judged)
    const words = decision === 'ask' && rule !== undefined ? describeRule(rule) : undefined
    const request = { ...plain, ...defined({ always, rule: words }) }
    const early = this.takeEarly(approvalId, plain.input)
    if (this.#ask === undefined && early === undefined) {
      return refuse('TOOL_NEEDS_APPROVAL', cannotAsk(request, this.#rules.findProject(judged, 'ask')))
    }
    if (signal.aborted) return unanswered(request, 'stopped')
    if (this.#used.has(approvalId)) return unanswered(request, 'repeated')
    this.#used.add(approvalId)
    const verdict = await this.#wait(request, call, asking, early)
    return (await this.#refuseEdited(request, call, verdict)) ?? verdict
  }

  /**
   * Takes the answer that a person gave before this run. A no is a no; a yes does not open what the policy or a rule
   * refuses. Never rejects.
   */
  async accept(given: ApprovalRequest, said: ApprovalAnswer, call?: CheckedCall): Promise<Verdict> {
    const answer = readAnswer(said)
    const request = { ...given, ...defined({ subject: getSubject(call, call?.input) }) }
    if (answer === undefined) return unanswered(request, 'unclear')
    const { toolName, approvalId } = request
    if (this.#used.has(approvalId)) return unanswered(request, 'repeated')
    this.#used.add(approvalId)
    const judged = toJudged(request, call)
    if (answer.approved) {
      const { decision, rule } = await this.#rules.judge(judged)
      if (decision === 'refuse') return refuse('TOOL_NOT_ALLOWED', this.#sayRefused(judged, rule))
      const denied = this.#findDenied(judged)
      if (denied !== undefined) return refuse('TOOL_NOT_ALLOWED', describeDenied(toolName, denied.reason))
    }
    if (answer.always === true) {
      const always = request.subject === undefined ? toolName : await this.#rules.ruleToAllow(judged)
      await this.#remember({ ...request, ...defined({ always }) }, answer, call)
    }
    const verdict: Verdict = { kind: 'answer', answer }
    return (await this.#refuseEdited(request, call, verdict)) ?? verdict
  }

  /** A rule that denies holds for what a person has edited, too. */
  async #refuseEdited(
    request: ApprovalRequest,
    call: CheckedCall | undefined,
    verdict: Verdict,
  ): Promise<Verdict | undefined> {
    if (verdict.kind !== 'answer' || !verdict.answer.approved || !('input' in verdict.answer)) return undefined
    const checked = await validated(call, verdict.answer.input)
    if (!checked.ok) return undefined
    const rule = await this.#rules.findDenial(toJudged(request, call, getSubject(call, checked.input)))
    return rule && refuse('TOOL_NOT_ALLOWED', deniedByRule(request, rule))
  }

  /**
   * What lets a call run that the policy asks about. Rules, projects and the sender of the run have the last word, and so has a
   * question that was asked before; a program must be confined.
   */
  async #findRelaxation(
    request: ApprovalRequest,
    judged: JudgedCall,
    { decision, rule }: Judgement,
    call: CheckedCall | undefined,
  ): Promise<Relaxation | undefined> {
    const before = this.#relax?.()
    if (before === undefined || decision !== 'ask' || rule !== undefined || call === undefined) return undefined
    if (mustAsk(request) || request.inReasoning === true || this.#awaited.has(request.approvalId)) return undefined
    if (judged.effect === 'exec' && call.tool.isConfined !== true) return undefined
    if (this.#rules.isUpToProject(judged) || !(await this.#rules.staysInside(before.folder, judged))) return undefined
    // It may have been turned off while the disk was asked.
    const relaxation = this.#relax?.()
    return relaxation?.folder === before.folder ? relaxation : undefined
  }

  #sayRefused(call: JudgedCall, rule: Rule | undefined): string {
    if (rule !== undefined) return deniedByRule(call, rule)
    return notAllowed(this.#rules.policy, call, this.#rules.findProject(call, 'refuse'))
  }

  /**
   * Answers a question that is waiting. False for any other, for the second answer, for what is not an answer, and for an
   * answer to another input than the one that would run: `inputHash` is that of the input the person was shown.
   */
  answer(approvalId: string, answer: ApprovalAnswer, inputHash?: string): boolean {
    const question = this.#waiting.get(approvalId)
    const own = readAnswer(answer)
    if (own === undefined) return false
    if (question === undefined) return this.#keepEarly(approvalId, { answer: own, inputHash })
    if (!isFor(question.request.input, inputHash)) return false
    this.#settle(question, { kind: 'answer', answer: own })
    return true
  }

  /** Takes the answer that came before its question was asked again, if it is about this input. */
  takeEarly(approvalId: string, input: unknown): ApprovalAnswer | undefined {
    const early = this.#early.get(approvalId)
    this.#early.delete(approvalId)
    return early !== undefined && isFor(input, early.inputHash) ? early.answer : undefined
  }

  #keepEarly(approvalId: string, early: EarlyAnswer): boolean {
    if (!this.#awaited.has(approvalId) || this.#used.has(approvalId) || this.#early.has(approvalId)) return false
    this.#early.set(approvalId, early)
    return true
  }

  #wait(
    request: ApprovalRequest,
    call: CheckedCall | undefined,
    asking: ((request: ApprovalRequest) => void | Promise<void>) | undefined,
    early: ApprovalAnswer | undefined,
  ): Promise<Verdict> {
    return new Promise(resolve => {
      const stop = () => this.#settle(question, unanswered(request, 'stopped'))
      const question: Question = { request, call, resolve, isReady: false, stop, over: new AbortController() }
      this.#waiting.set(request.approvalId, question)
      request.signal.addEventListener('abort', stop, { once: true })
      const fail = (error: unknown) => this.#settle(question, unanswered(request, 'failed', error))
      const show = () => {
        if (early !== undefined) this.#settle(question, { kind: 'answer', answer: early })
        question.isReady = true
        this.#showNext()
      }
      try {
        const answer = asking?.(request)
        if (answer === undefined) show()
        else answer.then(show, fail)
      } catch (error) {
        fail(error)
      }
    })
  }

  /** Gives a question its verdict and continues with the next. The first verdict counts. */
  #settle(question: Question, verdict: Verdict): void {
    if (!this.#close(question, verdict)) return
    const remembering =
      verdict.kind === 'answer' && verdict.answer.always === true
        ? this.#remember(question.request, verdict.answer, question.call)
        : undefined
    if (remembering === undefined) this.#showNext()
    else void remembering.then(() => this.#showNext())
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

  /** The "no, always" that a call has met, under either of its names. */
  #findDenied(call: JudgedCall): ApprovalAnswer | undefined {
    return this.#denied.get(call.aliasOf ?? call.toolName)
  }

  /** Keeps the answer for the rest of the run, and gives it to the questions that it answers too. */
  async #remember(
    asked: ApprovalRequest,
    { input: _, ...answer }: ApprovalAnswer,
    call: CheckedCall | undefined,
  ): Promise<void> {
    const { aliasOf, toolName, tool } = toJudged(asked, call)
    if (!answer.approved) this.#denied.set(aliasOf ?? toolName, answer)
    else if (asked.always === undefined) return
    else this.#rules.allow(asked.always, tool)
    for (const question of [...this.#waiting.values()]) {
      const other = toJudged(question.request, question.call)
      if (answer.approved ? await this.#isAnswered(question) : this.#findDenied(other) !== undefined) {
        this.#close(question, { kind: 'answer', answer })
      }
    }
  }

  async #isAnswered({ request, call }: Question): Promise<boolean> {
    if (mustAsk(request)) return false
    return (await this.#rules.judge(toJudged(request, call))).decision === 'run'
  }

  #showNext(): void {
    if (this.#shown !== undefined || this.#ask === undefined) return
    // When a run is stopped its questions end one after the other, and none of them is shown in between.
    const next = this.#firstWaiting()
    if (next?.isReady !== true) return
    this.#shown = next
    void this.#put(next, this.#ask).then(verdict => this.#settle(next, verdict))
  }

  /** Without a list of them all: a message may have thousands. */
  #firstWaiting(): Question | undefined {
    for (const question of this.#waiting.values()) if (!question.request.signal.aborted) return question
    return undefined
  }

  /** Puts the question to a person. */
  async #put({ request, call, over }: Question, ask: Ask): Promise<Verdict> {
    try {
      const { changes, problem } = (call && (await checkChange(call, over.signal))) ?? {}
      const checkInput = call && ((input: unknown) => this.#problemOf(request, call, input))
      const answer: unknown = await ask({
        ...request,
        ...defined({ changes, problem, checkInput }),
        signal: over.signal,
      })
      if (answer === undefined) return { kind: 'park' }
      const own = readAnswer(answer)
      return own === undefined ? unanswered(request, 'unclear') : { kind: 'answer', answer: own }
    } catch (error) {
      return unanswered(request, 'failed', error)
    }
  }

  /** What is wrong with an input that a person has edited. */
  async #problemOf(request: ApprovalRequest, call: CheckedCall, input: unknown): Promise<string | undefined> {
    const checked = await validated(call, input)
    if (!checked.ok) return checked.problem
    const rule = await this.#rules.findDenial(toJudged(request, call, getSubject(call, checked.input)))
    return rule && deniedByRule(request, rule)
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

/** The rule that decides, in words for a person. */
function describeRule({ kind, text, from }: Rule): string {
  return `${quoted(`${kind} ${text}`)} (${from})`
}

/** A call as rules judge it, whoever asks: what a person answered earlier is held against the same facts as a new call. */
function toJudged(
  request: ApprovalRequest,
  call: CheckedCall | undefined,
  subject: Subject | undefined = request.subject,
): JudgedCall {
  const { toolName, effect, inReasoning } = request
  return {
    toolName,
    effect,
    subject,
    inReasoning,
    aliasOf: call?.tool.aliasOf,
    tool: call && getToolIdentity(call.tool),
  }
}

function getSubject(call: CheckedCall | undefined, input: unknown): Subject | undefined {
  try {
    return call?.tool.subject?.(input)
  } catch {
    return undefined
  }
}

async function validated(call: CheckedCall | undefined, input: unknown): Promise<Validation> {
  try {
    return (await call?.tool.validate(input)) ?? { ok: true, input }
  } catch (error) {
    return { ok: false, problem: toMessage(error) }
  }
}

function refuse(code: ErrorCode, reason: string): Verdict {
  return { kind: 'refuse', code, reason }
}

function unanswered(request: ApprovalRequest, why: Parameters<typeof notAnswered>[1], error?: unknown): Verdict {
  return refuse('TOOL_NEEDS_APPROVAL', notAnswered(request, why, error))
}

/** Whether an answer is about this input. An answer that names no input was given by whoever showed it. */
function isFor(input: unknown, inputHash: string | undefined): boolean {
  return inputHash === undefined || inputHash === hashInput(input)
}
