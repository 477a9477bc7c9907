import { randomBytes } from 'node:crypto'
import type { Chunk, ErrorCode, Message } from '@argot/core'
import type { ToolEffect } from '@argot/core/stream'
import { defined, type ToolApprovalResponse, toApprovalResponse, type UniqueIds } from '@argot/core/stream/internal'
import type { ApprovalAnswer, ApprovalRequest } from '../../approval/approval.ts'
import { findChangedFile } from '../../approval/check-change.ts'
import { findPartial, type PartialEdit } from '../../approval/partial-edit.ts'
import type { Relaxation } from '../../approval/relaxation.ts'
import type { KeepFiles } from '../../files/keep-files.ts'
import { callMark, filesMark, mark, relaxedMark } from '../../store/marks.ts'
import { cutRedacted } from '../../tool/output/cut-output.ts'
import type { OuterRun, Tool, Validation } from '../../tool/tool.ts'
import { toMessage } from '../../words/to-message.ts'
import type { LoopIo, RunPlan } from '../plan.ts'
import type { RunStream } from '../run-stream.ts'
import { type ToolOffer, toolSearchName } from '../tool-offer.ts'
import { toOutcome } from './client-outputs.ts'
import type { Concurrency } from './concurrency.ts'
import { type CallOutcome, executeCall } from './execute-call.ts'
import type { LoopCall } from './loop-call.ts'
import { StepQuestions } from './questions.ts'

/** Shared by the calls of all steps in a run. */
export interface StepCallContext {
  plan: RunPlan
  io: LoopIo
  stream: RunStream
  offer: Pick<ToolOffer, 'tools' | 'hidden'>
  slots: Concurrency
  /** Running programs. A stopped run waits for them to end. */
  programs: Set<Promise<unknown>>
  /** Ids of this run's questions. An answer must never reach a different question. */
  questions: UniqueIds
  budget: Pick<OuterRun, 'spend' | 'tokensLeft'>
  /** The result that the same call had before the process died, if it isn't to run a second time. */
  recall: (toolName: string, input: unknown) => CallOutcome | undefined
}

/** Shorter waits of a call or a result aren't recorded. */
const RECORDED_WAIT_MS = 100
/** The longest description of a bad input that the model gets, in bytes. */
const PROBLEM_LIMIT = 16 * 1024

/** `waited`: how long the call waited for someone outside, or for a free slot. */
type Settlement = (CallOutcome & { waited?: number }) | { type: 'denied'; reason?: string } | { type: 'parked' }

interface ApprovedInput {
  approvalId: string
  input: unknown
  isEdited: boolean
  partial?: PartialEdit | undefined
}

interface CallEntry {
  call: LoopCall
  hasStarted: boolean
  /** How long it waited for earlier calls, in milliseconds. */
  queued: number
  settlement?: Settlement
  settledAt?: number
}

/**
 * The calls of one step. A call that only reads starts as soon as its input is complete, while the model still writes.
 * The others wait until the model has finished. Results are recorded in the order of the calls.
 */
export class StepCalls {
  readonly #context: StepCallContext
  readonly #io: LoopIo
  readonly #stream: RunStream
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #entries: CallEntry[] = []
  readonly #running: Promise<void>[] = []
  #next = 0
  #hasChange = false
  /** Ends with the last call that changes something. These run one after the other; later reads wait for them. */
  #lastChange: Promise<void> = Promise.resolve()

  readonly #questions: StepQuestions

  constructor(context: StepCallContext) {
    this.#context = context
    this.#io = context.io
    this.#stream = context.stream
    this.#tools = context.offer.tools
    this.#questions = new StepQuestions(context.io, context.stream)
  }

  get size(): number {
    return this.#entries.length
  }

  /** Takes a call. Starts it if it only reads and no earlier call changes something that it could read. */
  add(call: LoopCall): void {
    const entry: CallEntry = { call, hasStarted: false, queued: 0 }
    const effect = this.#getEffect(entry)
    this.#entries.push(entry)
    this.#hasChange ||= isChange(effect)
    if (effect === 'read' && !this.#hasChange) this.#begin(entry)
  }

  get hasBegun(): boolean {
    return this.#entries.some(({ hasStarted }) => hasStarted)
  }

  /** Settles each call that hasn't started, with an error and without running it. */
  refuseRest(errorText: string, code: ErrorCode): void {
    for (const entry of this.#entries) {
      if (!entry.hasStarted) this.#settle(entry, { type: 'error', errorText, code })
    }
  }

  /** Runs the calls that haven't started, and waits for all. `parked`: a call waits for an answer that comes later. */
  async finish(): Promise<'settled' | 'parked'> {
    for (const entry of this.#entries) if (!entry.hasStarted) this.#begin(entry)
    await Promise.all(this.#running)
    return this.#entries.some(({ settlement }) => settlement?.type === 'parked') ? 'parked' : 'settled'
  }

  /** Records every known result, even if an earlier call has none, so that nothing is lost when the run ends. */
  recordAll(): void {
    for (const entry of this.#entries.slice(this.#next)) this.#record(entry)
    this.#next = this.#entries.length
  }

  #begin(entry: CallEntry): void {
    entry.hasStarted = true
    const effect = this.#getEffect(entry)
    const waits = isChange(effect) || effect === 'read'
    const running = this.#run(entry, waits ? this.#lastChange : undefined)
    if (isChange(effect)) this.#lastChange = running
    this.#running.push(running)
  }

  #getEffect({ call }: CallEntry): ToolEffect | undefined {
    return this.#tools.get(call.toolName)?.effect
  }

  /** Never rejects. */
  async #run(entry: CallEntry, before: Promise<void> | undefined): Promise<void> {
    let settlement: Settlement
    try {
      const from = this.#io.now()
      await before
      entry.queued = this.#io.now() - from
      settlement = await this.#outcome(entry.call)
    } catch (error) {
      const words = toMessage(error)
      const redacted = String(this.#io.redact(words))
      settlement = { type: 'error', code: 'TOOL_FAILED', errorText: `The call failed: ${redacted}` }
    }
    this.#settle(entry, settlement)
  }

  async #outcome(call: LoopCall): Promise<Settlement> {
    const { questions } = this.#context
    const { signal, people } = this.#io
    const { approvals, signer, hasUniqueIds } = people
    const tool = this.#tools.get(call.toolName)
    if (tool === undefined) return unknownTool(call.toolName, this.#context.offer)
    const validation = await validate(tool, call.input)
    if (!validation.ok) return badInput(tool, validation.problem, this.#context)
    const { toolCallId, toolName, input, interrupted, foreign } = call
    const tellsModel = people.interrupted === 'tell' && interrupted === true && foreign !== true
    if (tellsModel && call.answer === undefined) return wasInterrupted(toolName)
    const freeId = questions.free(toolCallId)
    const needsUniqueId = signer !== undefined || hasUniqueIds || call.mustAsk !== undefined || foreign === true
    const approvalId = call.approvalId ?? (needsUniqueId ? newApprovalId(freeId) : freeId)
    questions.add(approvalId)
    const title = call.title ?? tool.title
    const request = {
      approvalId,
      toolCallId,
      toolName,
      input,
      effect: tool.effect,
      signal,
      ...defined({ title, interrupted: interrupted || undefined, foreign: foreign || undefined }),
      ...defined({ inReasoning: call.inReasoning }),
      ...defined({ boundary: tool.boundary, mustAsk: call.mustAsk ?? (await tool.mustAsk?.(validation.input)) }),
    }
    let publication: Promise<void> | undefined
    const checkedCall = { tool, input: validation.input }
    const publish = (question: ApprovalRequest): Promise<void> => {
      publication = this.#questions.publish(call, question, checkedCall)
      return publication
    }
    const verdict = await (call.answer === undefined
      ? approvals.check(request, publish, checkedCall)
      : approvals.accept(request, call.answer, checkedCall))
    // An immediate answer must not be recorded before its question.
    await publication?.catch(() => undefined)
    switch (verdict.kind) {
      case 'run':
        if (verdict.relaxation !== undefined) this.#recordRelaxation(call, verdict.relaxation)
        if (call.edited === true) this.#stream.push({ type: 'tool-input-available', toolCallId, toolName, input })
        return this.#execute(tool, call, validation.input)
      case 'refuse':
        if (interrupted === true && foreign !== true && verdict.code === 'TOOL_NEEDS_APPROVAL')
          return wasInterrupted(toolName)
        return { type: 'error', code: verdict.code, errorText: verdict.reason }
      case 'park':
        return { type: 'parked' }
      case 'answer':
        return this.#applyAnswer(tool, call, validation.input, approvalId, verdict.answer)
    }
  }

  #recordRelaxation({ toolCallId, toolName }: LoopCall, { until }: Relaxation): void {
    const end = new Date(until).toISOString()
    this.#stream.push(mark(relaxedMark, { toolCallId, until: end }))
    this.#io.notice(`\`${toolName}\` (${toolCallId}) runs without asking: approvals are relaxed until ${end}.`)
  }

  async #applyAnswer(
    tool: Tool,
    call: LoopCall,
    validated: unknown,
    approvalId: string,
    answer: ApprovalAnswer,
  ): Promise<Settlement> {
    const stream = this.#stream
    const { toolCallId, toolName } = call
    const { approved, reason } = answer
    const input = editedInput(call, answer)
    const edited = input !== undefined
    if (call.isRecorded !== true) {
      stream.push({ ...answerChunk(call, approvalId, answer), ...defined({ known: call.answer && true }) })
      await stream.logSynced()
    }
    if (!approved) return { type: 'denied', ...defined({ reason }) }
    if (!edited) return this.#executeApproved(tool, call, { approvalId, input: validated, isEdited: false })
    stream.push({ type: 'tool-input-available', toolCallId, toolName, input })
    const validation = await validate(tool, input)
    if (!validation.ok) return badInput(tool, validation.problem, this.#context)
    const modelInput = call.edited === true ? call.modelInput : call.input
    const partial = await findPartial({ tool, modelInput: modelInput, input }, this.#io.signal)
    const approvedInput = { approvalId, input: validation.input, isEdited: true, partial }
    return withNote(await this.#executeApproved(tool, { ...call, input }, approvedInput), partial, this.#io)
  }

  /** Runs a call that a person approved, unless its effect would differ from what they saw. */
  async #executeApproved(
    tool: Tool,
    call: LoopCall,
    { approvalId, input, isEdited, partial }: ApprovedInput,
  ): Promise<Settlement> {
    const approvedCheck = this.#questions.getCheck(approvalId) ?? call.check
    // A part has the effect that was shown as long as the whole would have it.
    const question = partial === undefined ? { input, isEdited } : { input: partial.whole, isEdited: false }
    const path = await findChangedFile(approvedCheck, { tool, ...question }, this.#context.io.signal)
    return path === undefined ? this.#execute(tool, call, input) : fileChanged(tool.name, path, this.#context)
  }

  async #execute(tool: Tool, call: LoopCall, input: unknown): Promise<Settlement> {
    const { plan, recall, slots, programs, budget } = this.#context
    const { signal, redact, now } = this.#io
    const stream = this.#stream
    const { toolCallId } = call
    if (tool.client === true) return this.#takeOutput(tool, call, input)
    if (tool.effect === 'read') {
      const recalled = recall(call.toolName, call.input)
      if (recalled !== undefined) return recalled
    }
    const from = now()
    return slots.use(async () => {
      const waited = now() - from
      if (hasEffect(tool.effect) && !signal.aborted) {
        // The intent is on disk before the effect, so that after a crash nothing is repeated without a question.
        stream.push(mark(callMark, { toolCallId }))
        await stream.logSynced()
      }
      const preview = (output: unknown): void => {
        stream.push({ type: 'tool-output-available', toolCallId, output, preliminary: true })
      }
      const idempotencyKey = callName(plan.messageId, call.key)
      const onWork = (work: Promise<unknown>): void => {
        if (tool.effect !== 'exec') return
        programs.add(work)
        void work.finally(() => programs.delete(work)).catch(() => {})
      }
      const inner = (chunk: Chunk): void =>
        stream.push({ type: 'data-argot-sub', data: { toolCallId, chunk }, transient: true })
      const outer: OuterRun = {
        ...budget,
        chunk: inner,
        ...defined({ keepFiles: this.#keepFiles(toolCallId, true) }),
        history: () => historyBefore([...plan.messages, ...stream.earlier], stream.message),
        forks: plan.forks ?? 0,
        inner: this.#io.inner ?? new Map(),
      }
      const keepFiles = this.#keepFiles(toolCallId)
      const context = { toolCallId, idempotencyKey, signal, redact, preview, outer, onWork, keepFiles }
      return { ...(await executeCall(tool, input, context)), waited }
    })
  }

  /** The record is on disk before the effect, so that after a crash the files themselves show how far the call got. */
  #keepFiles(toolCallId: string, isInner = false): KeepFiles | undefined {
    const { keepVersions, keepOutside } = this.#io
    if (keepVersions === undefined) return keepOutside
    return async writes => {
      const files = await keepVersions(writes)
      this.#stream.push(mark(filesMark, { toolCallId, files, ...defined({ inner: isInner || undefined }) }))
      await this.#stream.logSynced()
    }
  }

  /** For tools that run elsewhere. Their output is cut and redacted like any other. */
  async #takeOutput(tool: Tool, call: LoopCall, input: unknown): Promise<Settlement> {
    const { signal, redact, now, people } = this.#io
    const { toolCallId, toolName, startedAt = now() } = call
    const output = await people.outputs.take({ toolCallId, toolName, input, signal })
    if (output === undefined) return { type: 'parked' }
    const outside: Tool = { ...tool, execute: () => toOutcome(output) }
    const preview = (): void => {}
    const settled = await executeCall(outside, input, {
      toolCallId,
      idempotencyKey: this.#context.plan.messageId,
      signal,
      redact,
      preview,
    })
    // No local tool was working during this time.
    return { ...settled, waited: now() - startedAt }
  }

  /** Records this call and the later ones that only waited for their turn. */
  #settle(entry: CallEntry, settlement: Settlement): void {
    entry.hasStarted = true
    entry.settlement = settlement
    entry.settledAt = this.#io.now()
    if (this.#io.signal.aborted) return
    for (let first = this.#entries[this.#next]; first?.settlement !== undefined; first = this.#entries[this.#next]) {
      this.#next++
      this.#record(first)
    }
  }

  #record({ call: { toolCallId }, settlement, queued, settledAt }: CallEntry): void {
    const emit = (chunk: Chunk): void => this.#stream.push(chunk)
    const { now } = this.#io
    const outside = settlement !== undefined && 'waited' in settlement ? (settlement.waited ?? 0) : 0
    const delay = queued + outside + (settledAt === undefined ? 0 : now() - settledAt)
    const waited = delay < RECORDED_WAIT_MS ? {} : { waited: delay }
    switch (settlement?.type) {
      case 'output': {
        const { output, details } = settlement
        const argot = { ...defined({ details }), ...waited }
        const more = Object.keys(argot).length === 0 ? {} : { providerMetadata: { argot } }
        return emit({ type: 'tool-output-available', toolCallId, output, ...more })
      }
      case 'error': {
        const { errorText, code } = settlement
        if (code === 'TOOL_STOPPED') return
        return emit({
          type: 'tool-output-error',
          toolCallId,
          errorText,
          providerMetadata: { argot: { code, ...waited } },
        })
      }
      case 'denied': {
        const { reason } = settlement
        return emit({ type: 'tool-output-denied', toolCallId, ...defined({ reason }) })
      }
      default:
        return
    }
  }
}

/** The messages that were sent to the model for the current step. */
function historyBefore(messages: readonly Message[], message: Message | undefined): readonly Message[] {
  const parts = message?.parts.slice(
    0,
    message.parts.findLastIndex(({ type }) => type === 'step-start'),
  )
  if (message === undefined || parts === undefined || !parts.some(({ type }) => type !== 'step-start')) return messages
  return [...messages, { ...message, status: 'sent', parts }]
}

export function answerChunk(call: LoopCall, approvalId: string, answer: ApprovalAnswer): ToolApprovalResponse {
  return toApprovalResponse(
    { approvalId, toolCallId: call.toolCallId },
    { ...answer, input: editedInput(call, answer) },
  )
}

/** The input that a person gave, now or earlier, instead of the model's. */
function editedInput(call: LoopCall, answer: ApprovalAnswer): unknown {
  if (!answer.approved) return undefined
  return 'input' in answer ? answer.input : call.edited === true ? call.input : undefined
}

function hasEffect(effect: ToolEffect): boolean {
  return effect !== 'read'
}

/** True for calls that change what other calls read. */
function isChange(effect: ToolEffect | undefined): boolean {
  return effect === 'write' || effect === 'exec'
}

async function validate(tool: Tool, input: unknown): Promise<Validation> {
  try {
    return await tool.validate(input)
  } catch (error) {
    return { ok: false, problem: toMessage(error) }
  }
}

function unknownTool(name: string, { tools, hidden }: StepCallContext['offer']): CallOutcome {
  if (hidden.some(tool => tool.name === name)) {
    const errorText = `\`${name}\` didn't run: you haven't seen how to call it. Find it with \`${toolSearchName}\` first, then call it in your next step.`
    return { type: 'error', code: 'TOOL_NOT_FOUND', errorText }
  }
  const names = [...tools.keys()]
  const list = names.length === 0 ? 'There are no tools.' : `The tools are: ${names.join(', ')}.`
  const shortName = name.length > 200 ? `${name.slice(0, 200)}…` : name
  const errorText = `There is no tool ${JSON.stringify(shortName)}. ${list}`
  return { type: 'error', code: 'TOOL_NOT_FOUND', errorText }
}

/** The outcome of a call whose process died while it ran and that no one allows to run again. */
export function wasInterrupted(name: string): Extract<CallOutcome, { type: 'error' }> {
  const errorText = `The process ended while \`${name}\` was running. Interrupted; its effect is unknown.`
  return { type: 'error', code: 'TOOL_INTERRUPTED', errorText }
}

/** The model sees the shorter input in its own call, so the result says what was left out. */
function withNote(settlement: Settlement, partial: PartialEdit | undefined, { redact }: LoopIo): Settlement {
  if (partial === undefined) return settlement
  const note = cutRedacted(partial.note, PROBLEM_LIMIT, redact)
  if (settlement.type === 'error') return { ...settlement, errorText: `${settlement.errorText}\n\n${note}` }
  if (settlement.type !== 'output') return settlement
  const { output } = settlement
  return { ...settlement, output: typeof output === 'string' ? `${output}\n\n${note}` : { output, note } }
}

/** Argot never overwrites content that the approving person hasn't seen. */
function fileChanged(name: string, path: string, { io: { redact } }: StepCallContext): CallOutcome {
  const errorText = `\`${name}\` didn't run: \`${path}\` changed after a person was asked about the call. Nothing was written. Read the file again, then repeat the call if it is still right.`
  return { type: 'error', code: 'TOOL_FILE_CHANGED', errorText: String(redact(errorText)) }
}

/** Worded for the syntax in use: its lesson on this tool shows how to write the call. */
function badInput(tool: Tool, problem: string, { plan, io }: StepCallContext): CallOutcome {
  const { syntax } = plan.talk
  const what = cutRedacted(problem, PROBLEM_LIMIT, io.redact)
  const errorText = `\`${tool.name}\` didn't run: ${what}\n\nThis is how to call it:\n\n${syntax.describe([tool])}`
  return { type: 'error', code: 'TOOL_BAD_INPUT', errorText }
}

/** Unique among all questions, so that an answer or a signature is valid for this one only. */
function newApprovalId(base: string): string {
  return `${base}-${randomBytes(9).toString('base64url')}`
}

/** A call's name that is unique among all messages. If the message's id contains a separator, both parts are quoted. */
function callName(messageId: string, key: string): string {
  return /[:[]/.test(messageId) ? JSON.stringify([messageId, key]) : `${messageId}:${key}`
}
