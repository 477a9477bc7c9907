import type { ToolInvocation } from '@argot/core'
import { type ApprovalAnswer, defined, pickAnswer } from '@argot/core/stream/internal'
import type { ChatApprovalCheck, ChatToolInvocationState, DefaultExpanded } from '../types/index.ts'
import type { ToolOwnerState } from '../types/tool-presentation.ts'
import { expandedAfter, expandedAtFirst } from './expanded.ts'
import { Topic } from './topic.ts'

/** The answer to a call; `by` and `at` only if it was not given on this page. */
export type CallAnswerInput = { approved: boolean } & {
  [Field in keyof ApprovalAnswer]?: ApprovalAnswer[Field] | undefined
}

/** The answer without empty values: an empty reason, an `always` that is false. */
export function tidyAnswer({ reason, always, approved, ...rest }: CallAnswerInput): ApprovalAnswer {
  return { approved, ...defined({ ...rest, reason: reason || undefined, always: always || undefined }) }
}

/** What a person has begun at a call but not finished; stored while the card is not on the page. */
export interface CallDraft {
  /** The reason field is open. */
  denying?: boolean | undefined
  reason?: string | undefined
  /** The fields for the input are open. */
  editing?: boolean | undefined
  /** The input being edited, in whatever form the editor uses. */
  edited?: unknown
  /** Which cut texts are shown in full, and other switches of the card, by name. */
  shown?: Readonly<Record<string, boolean>> | undefined
  /** What was unfolded inside the input and the output, by name. */
  kept?: Readonly<Record<string, unknown>> | undefined
  /** The newest check of the files for the question with this id. */
  check?: { id: string; result: ChatApprovalCheck } | undefined
}

interface Transition {
  state: ChatToolInvocationState
  isMessageStreaming: boolean
}

interface Disclosure {
  open: boolean
  appliedTransitions: number
}

type Section = ToolOwnerState['section']

/**
 * A call's UI state: what is open, half typed or answered. It lives in the store, so that a row may leave the page and
 * come back unchanged.
 */
export class CallUi extends Topic {
  readonly #transitions: Transition[] = []
  readonly #disclosures: Map<Section, Disclosure> = new Map()
  #draft: CallDraft = {}
  #answer: CallAnswerInput | undefined
  #error: string | undefined
  /** When the question was first seen, and when it was seen to be answered, in milliseconds since 1970. */
  askedAt: number | undefined
  answeredAt: number | undefined
  #isAnsweredElsewhere = false
  #isSettled = false
  #approvalId: string | undefined
  #earlierThinkingTime = 0

  /** Notes the call's current state; true if it has changed. The policy runs once for each state. */
  visit(state: ChatToolInvocationState, isMessageStreaming: boolean, now: number = Date.now()): boolean {
    const last = this.#transitions.at(-1)
    if (last?.state === state && last.isMessageStreaming === isMessageStreaming) return false
    this.#transitions.push({ state, isMessageStreaming })
    if (state === 'approval-requested') this.askedAt ??= now
    else if (this.askedAt !== undefined) this.answeredAt ??= now
    return last?.state !== state
  }

  /** Another id is a new question: earlier answers and drafts do not apply to it. */
  ask(approvalId: string, now: number = Date.now()): void {
    const before = this.#approvalId
    this.#approvalId = approvalId
    if (before === undefined || before === approvalId) return
    this.#earlierThinkingTime = this.thinkingTime
    this.#answer = undefined
    this.#error = undefined
    this.#isAnsweredElsewhere = false
    this.#draft = { kept: this.#draft.kept }
    this.askedAt = now
    this.answeredAt = undefined
  }

  /** True if the call is over and was not before: a preliminary output has the same state. */
  settle(isSettled: boolean): boolean {
    const isNews = isSettled && !this.#isSettled
    this.#isSettled ||= isSettled
    return isNews
  }

  /** Whether the card (no section) or a section is open. The same answer until something happens. */
  isOpen(owner: Pick<ToolOwnerState, 'toolName' | 'role' | 'section'>, policy: DefaultExpanded | undefined): boolean {
    const { section } = owner
    let disclosure = this.#disclosures.get(section)
    if (disclosure === undefined) {
      disclosure = { open: expandedAtFirst(section), appliedTransitions: 0 }
      this.#disclosures.set(section, disclosure)
    }
    for (const transition of this.#transitions.slice(disclosure.appliedTransitions)) {
      disclosure.open = expandedAfter(disclosure.open, { ...owner, ...transition }, policy)
    }
    disclosure.appliedTransitions = this.#transitions.length
    return disclosure.open
  }

  /** The person's action; it applies until a policy decides otherwise at the next transition. */
  setOpen(section: Section, open: boolean): void {
    this.#disclosures.set(section, { open, appliedTransitions: this.#transitions.length })
    this.notify()
  }

  get draft(): CallDraft {
    return this.#draft
  }

  setDraft(fields: CallDraft): void {
    this.#draft = { ...this.#draft, ...fields }
    this.notify()
  }

  /** The answer that is on its way, or was accepted. */
  get answer(): CallAnswerInput | undefined {
    return this.#answer
  }

  /** No answer is awaited any more: it was given, is on its way, or another client gave it. */
  get isAnswered(): boolean {
    return this.#answer !== undefined || this.#isAnsweredElsewhere
  }

  /** Another client answered, or the run continued without an answer; this page does not know which answer it was. */
  get isAnsweredElsewhere(): boolean {
    return this.#isAnsweredElsewhere
  }

  /** Removes the answer that was given here: another one applies. */
  answeredElsewhere(): void {
    this.#isAnsweredElsewhere = true
    this.setAnswer(undefined)
  }

  /** In milliseconds, for all questions about this call. */
  get thinkingTime(): number {
    return this.#earlierThinkingTime + Math.max(0, (this.answeredAt ?? 0) - (this.askedAt ?? Infinity))
  }

  get error(): string | undefined {
    return this.#error
  }

  setAnswer(answer: CallAnswerInput | undefined, error?: string): void {
    this.#answer = answer
    this.#error = error
    if (answer !== undefined) this.answeredAt = Date.now()
    if (answer !== undefined || this.#isAnsweredElsewhere)
      this.#draft = { ...this.#draft, denying: false, editing: false }
    this.notify()
  }
}

/** The call's fields once this answer is accepted. */
export function answeredFields(call: ToolInvocation, answer: CallAnswerInput): Partial<ToolInvocation> {
  const approval = { id: call.approval?.id ?? call.toolCallId, ...pickAnswer(tidyAnswer(answer)) }
  const edited = answer.input === undefined ? {} : { input: answer.input, rawInput: call.input }
  return { state: 'approval-responded', approval, ...edited }
}
