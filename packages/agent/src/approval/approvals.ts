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

export type Verdict =
  /** It runs without a question. `relaxation` is set if the policy alone would have led to one. */
  | { kind: 'run'; relaxation?: Relaxation }
  /** It doesn't run, and there was no question. */
  | { kind: 'refuse'; code: ErrorCode; reason: string }
  /** A person gave this answer. If it has an `input`, that still has to be validated. */
  | { kind: 'answer'; answer: ApprovalAnswer }
  /** No one answers now. The run stops, and the question stays in the transcript. */
  | { kind: 'park' }

export interface ApprovalsOptions {
  policy: ApprovalPolicy
  /** The policy together with rules by argument. If set, it decides instead of `policy`. */
  rules?: RuleBook | undefined
  /**
   * Asks a person, one question at a time. Its signal aborts as soon as the answer is no longer needed, so it may wait
   * forever if answers come through `answer`.
   */
  ask?: Ask | undefined
  /** Questions of an earlier process that this run repeats. Their answers may arrive first. */
  awaited?: ReadonlySet<string> | undefined
  /** Lets calls run that only the policy would ask about, never others. */
  relax?: FindRelaxation | undefined
}

/** A call's tool, and the input after the tool validated it. */
export interface CheckedCall {
  tool: Pick<Tool, 'validate' | 'subject' | 'foresee' | 'aliasOf'> & Partial<Tool>
  input: unknown
}

/** An answer that came before its question was asked again, with the hash of the input it is for. */
interface EarlyAnswer {
  answer: ApprovalAnswer
  inputHash: string | undefined
}

interface WaitingQuestion {
  request: ApprovalRequest
  call: CheckedCall | undefined
  resolve(verdict: Verdict): void
  /** The question is in the transcript and may be shown. */
  isReady: boolean
  stop(): void
  /** Aborted when the question is over, however it ended. */
  over: AbortController
}

/** The approvals of one run: what the policy allows, and how people answer the rest. */
export class Approvals {
  readonly #rules: RuleBook
  readonly #ask: Ask | undefined
  /** By approval id, oldest first. */
  readonly #waiting = new Map<string, WaitingQuestion>()
  /** Every approval id used so far. A late answer must not reach another question with the same id. */
  readonly #usedIds = new Set<string>()
  /** By tool name. Calls under that name are denied for the rest of the run, even if another tool takes it. */
  readonly #denials = new Map<string, ApprovalAnswer>()
  /** The question that `ask` is busy with. */
  #current: WaitingQuestion | undefined
  readonly #awaited: ReadonlySet<string>
  readonly #relax: FindRelaxation | undefined
  readonly #early = new Map<string, EarlyAnswer>()

  constructor({ policy, rules = new RuleBook({ policy }), ask, awaited = new Set(), relax }: ApprovalsOptions) {
    this.#rules = rules
    this.#relax = relax
    this.#ask = ask
    this.#awaited = awaited
  }

  /** The unanswered questions, oldest first. */
  get pending(): readonly ApprovalRequest[] {
    return Array.from(this.#waiting.values(), ({ request }) => request)
  }

  /**
   * Decides about a call, and waits for a person if needed. It awaits `publish` before it asks anyone, but accepts
   * answers meanwhile. Without `call`, rules see only the tool's name. Never rejects.
   */
  async check(
    question: ApprovalRequest,
    publish?: (request: ApprovalRequest) => void | Promise<void>,
    call?: CheckedCall,
  ): Promise<Verdict> {
    const subject = getSubject(call, call?.input)
    const baseRequest = { ...question, ...defined({ subject }) }
    const judgedCall = toJudged(baseRequest, call)
    const judging = this.#rules.judge(judgedCall)
    const judgement = judging instanceof Promise ? await judging : judging
    const { decision, rule } = judgement
    const { toolName, approvalId, signal } = baseRequest
    if (decision === 'refuse') return refuse('TOOL_NOT_ALLOWED', this.#describeRefusal(judgedCall, rule))
    const denial = this.#findDenial(judgedCall)
    if (denial !== undefined) return refuse('TOOL_NOT_ALLOWED', describeDenied(toolName, denial.reason))
    if (decision === 'run' && !mustAsk(baseRequest)) return { kind: 'run' }
    const relaxation = this.#relax && (await this.#findRelaxation(baseRequest, judgedCall, judgement, call))
    if (relaxation !== undefined) return { kind: 'run', relaxation }
    const always = subject === undefined ? toolName : await this.#rules.ruleToAllow(judgedCall)
    const ruleText = decision === 'ask' && rule !== undefined ? describeRule(rule) : undefined
    const request = { ...baseRequest, ...defined({ always, rule: ruleText }) }
    const early = this.takeEarly(approvalId, baseRequest.input)
    if (this.#ask === undefined && early === undefined) {
      return refuse('TOOL_NEEDS_APPROVAL', cannotAsk(request, this.#rules.findProject(judgedCall, 'ask')))
    }
    if (signal.aborted) return unanswered(request, 'stopped')
    if (this.#usedIds.has(approvalId)) return unanswered(request, 'repeated')
    this.#usedIds.add(approvalId)
    const verdict = await this.#wait(request, call, publish, early)
    return (await this.#refuseEdited(request, call, verdict)) ?? verdict
  }

  /**
   * Takes an answer that a person gave before this run. A denial is final; an approval doesn't override a refusal by
   * the policy or a rule. Never rejects.
   */
  async accept(question: ApprovalRequest, rawAnswer: ApprovalAnswer, call?: CheckedCall): Promise<Verdict> {
    const answer = readAnswer(rawAnswer)
    const request = { ...question, ...defined({ subject: getSubject(call, call?.input) }) }
    if (answer === undefined) return unanswered(request, 'unclear')
    const { toolName, approvalId } = request
    if (this.#usedIds.has(approvalId)) return unanswered(request, 'repeated')
    this.#usedIds.add(approvalId)
    const judgedCall = toJudged(request, call)
    if (answer.approved) {
      const { decision, rule } = await this.#rules.judge(judgedCall)
      if (decision === 'refuse') return refuse('TOOL_NOT_ALLOWED', this.#describeRefusal(judgedCall, rule))
      const denial = this.#findDenial(judgedCall)
      if (denial !== undefined) return refuse('TOOL_NOT_ALLOWED', describeDenied(toolName, denial.reason))
    }
    if (answer.always === true) {
      const always = request.subject === undefined ? toolName : await this.#rules.ruleToAllow(judgedCall)
      await this.#remember({ ...request, ...defined({ always }) }, answer, call)
    }
    const verdict: Verdict = { kind: 'answer', answer }
    return (await this.#refuseEdited(request, call, verdict)) ?? verdict
  }

  /** A deny rule also applies to an input that a person has edited. */
  async #refuseEdited(
    request: ApprovalRequest,
    call: CheckedCall | undefined,
    verdict: Verdict,
  ): Promise<Verdict | undefined> {
    if (verdict.kind !== 'answer' || !verdict.answer.approved || !('input' in verdict.answer)) return undefined
    const validation = await validateInput(call, verdict.answer.input)
    if (!validation.ok) return undefined
    const rule = await this.#rules.findDenial(toJudged(request, call, getSubject(call, validation.input)))
    return rule && refuse('TOOL_NOT_ALLOWED', deniedByRule(request, rule))
  }

  /**
   * What lets a call run that the policy asks about. Rules, projects, the run's sender and an earlier question take
   * precedence. A program must be confined.
   */
  async #findRelaxation(
    request: ApprovalRequest,
    judgedCall: JudgedCall,
    { decision, rule }: Judgement,
    call: CheckedCall | undefined,
  ): Promise<Relaxation | undefined> {
    const earlier = this.#relax?.()
    if (earlier === undefined || decision !== 'ask' || rule !== undefined || call === undefined) return undefined
    if (mustAsk(request) || request.inReasoning === true || this.#awaited.has(request.approvalId)) return undefined
    if (judgedCall.effect === 'exec' && call.tool.isConfined !== true) return undefined
    if (this.#rules.isRestrictedByProject(judgedCall) || !(await this.#rules.staysInside(earlier.folder, judgedCall)))
      return undefined
    // It may have been turned off during the file checks.
    const relaxation = this.#relax?.()
    return relaxation?.folder === earlier.folder ? relaxation : undefined
  }

  #describeRefusal(call: JudgedCall, rule: Rule | undefined): string {
    if (rule !== undefined) return deniedByRule(call, rule)
    return notAllowed(this.#rules.policy, call, this.#rules.findProject(call, 'refuse'))
  }

  /**
   * Answers a waiting question. False if no such question waits, if it is already answered, if the answer is malformed,
   * or if it is for a different input: `inputHash` is the hash of the input the person saw.
   */
  answer(approvalId: string, answer: ApprovalAnswer, inputHash?: string): boolean {
    const question = this.#waiting.get(approvalId)
    const validAnswer = readAnswer(answer)
    if (validAnswer === undefined) return false
    if (question === undefined) return this.#keepEarly(approvalId, { answer: validAnswer, inputHash })
    if (!isFor(question.request.input, inputHash)) return false
    this.#settle(question, { kind: 'answer', answer: validAnswer })
    return true
  }

  /** Takes the answer that came before its question was asked again, if it is for this input. */
  takeEarly(approvalId: string, input: unknown): ApprovalAnswer | undefined {
    const early = this.#early.get(approvalId)
    this.#early.delete(approvalId)
    return early !== undefined && isFor(input, early.inputHash) ? early.answer : undefined
  }

  #keepEarly(approvalId: string, early: EarlyAnswer): boolean {
    if (!this.#awaited.has(approvalId) || this.#usedIds.has(approvalId) || this.#early.has(approvalId)) return false
    this.#early.set(approvalId, early)
    return true
  }

  #wait(
    request: ApprovalRequest,
    call: CheckedCall | undefined,
    publish: ((request: ApprovalRequest) => void | Promise<void>) | undefined,
    early: ApprovalAnswer | undefined,
  ): Promise<Verdict> {
    return new Promise(resolve => {
      const stop = () => this.#settle(question, unanswered(request, 'stopped'))
      const question: WaitingQuestion = { request, call, resolve, isReady: false, stop, over: new AbortController() }
      this.#waiting.set(request.approvalId, question)
      request.signal.addEventListener('abort', stop, { once: true })
      const fail = (error: unknown) => this.#settle(question, unanswered(request, 'failed', error))
      const show = () => {
        if (early !== undefined) this.#settle(question, { kind: 'answer', answer: early })
        question.isReady = true
        this.#showNext()
      }
      try {
        const answer = publish?.(request)
        if (answer === undefined) show()
        else answer.then(show, fail)
      } catch (error) {
        fail(error)
      }
    })
  }

  /** Settles a question and continues with the next. Only the first verdict applies. */
  #settle(question: WaitingQuestion, verdict: Verdict): void {
    if (!this.#close(question, verdict)) return
    const remembering =
      verdict.kind === 'answer' && verdict.answer.always === true
        ? this.#remember(question.request, verdict.answer, question.call)
        : undefined
    if (remembering === undefined) this.#showNext()
    else void remembering.then(() => this.#showNext())
  }

  #close(question: WaitingQuestion, verdict: Verdict): boolean {
    const { request, resolve, stop, over } = question
    if (!this.#waiting.delete(request.approvalId)) return false
    if (this.#current === question) this.#current = undefined
    request.signal.removeEventListener('abort', stop)
    resolve(verdict)
    over.abort()
    return true
  }

  /** The "no, always" that applies to a call, under either of its names. */
  #findDenial(call: JudgedCall): ApprovalAnswer | undefined {
    return this.#denials.get(call.aliasOf ?? call.toolName)
  }

  /** Remembers the answer for the rest of the run, and applies it to the waiting questions it also answers. */
  async #remember(
    request: ApprovalRequest,
    { input: _, ...answer }: ApprovalAnswer,
    call: CheckedCall | undefined,
  ): Promise<void> {
    const { aliasOf, toolName, tool } = toJudged(request, call)
    if (!answer.approved) this.#denials.set(aliasOf ?? toolName, answer)
    else if (request.always === undefined) return
    else this.#rules.allow(request.always, tool)
    for (const question of [...this.#waiting.values()]) {
      const other = toJudged(question.request, question.call)
      if (answer.approved ? await this.#isAnswered(question) : this.#findDenial(other) !== undefined) {
        this.#close(question, { kind: 'answer', answer })
      }
    }
  }

  async #isAnswered({ request, call }: WaitingQuestion): Promise<boolean> {
    if (mustAsk(request)) return false
    return (await this.#rules.judge(toJudged(request, call))).decision === 'run'
  }

  #showNext(): void {
    if (this.#current !== undefined || this.#ask === undefined) return
    // When a run stops, its questions end one by one, and none may be shown in between.
    const next = this.#firstWaiting()
    if (next?.isReady !== true) return
    this.#current = next
    void this.#askPerson(next, this.#ask).then(verdict => this.#settle(next, verdict))
  }

  /** Doesn't build a list of all questions: a message may have thousands. */
  #firstWaiting(): WaitingQuestion | undefined {
    for (const question of this.#waiting.values()) if (!question.request.signal.aborted) return question
    return undefined
  }

  async #askPerson({ request, call, over }: WaitingQuestion, ask: Ask): Promise<Verdict> {
    try {
      const { changes, problem } = (call && (await checkChange(call, over.signal))) ?? {}
      const checkInput = call && ((input: unknown) => this.#findInputProblem(request, call, input))
      const answer: unknown = await ask({
        ...request,
        ...defined({ changes, problem, checkInput }),
        signal: over.signal,
      })
      if (answer === undefined) return { kind: 'park' }
      const validAnswer = readAnswer(answer)
      return validAnswer === undefined ? unanswered(request, 'unclear') : { kind: 'answer', answer: validAnswer }
    } catch (error) {
      return unanswered(request, 'failed', error)
    }
  }

  async #findInputProblem(request: ApprovalRequest, call: CheckedCall, input: unknown): Promise<string | undefined> {
    const validation = await validateInput(call, input)
    if (!validation.ok) return validation.problem
    const rule = await this.#rules.findDenial(toJudged(request, call, getSubject(call, validation.input)))
    return rule && deniedByRule(request, rule)
  }
}

export function createApprovals(options: ApprovalsOptions): Approvals {
  return new Approvals(options)
}

/** Only a person can decide to repeat something whose effect is unknown, or to run a call that no model made. */
function mustAsk({ interrupted, foreign, effect, mustAsk: reason }: ApprovalRequest): boolean {
  return foreign === true || reason !== undefined || (interrupted === true && effect !== 'read')
}

function describeRule({ kind, text, from }: Rule): string {
  return `${quoted(`${kind} ${text}`)} (${from})`
}

/** A call as rules judge it. Earlier answers and new calls are judged by the same facts. */
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

async function validateInput(call: CheckedCall | undefined, input: unknown): Promise<Validation> {
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

/** An answer without a hash is trusted to come from the code that showed the input. */
function isFor(input: unknown, inputHash: string | undefined): boolean {
  return inputHash === undefined || inputHash === hashInput(input)
}
