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
import type { LoopIo, Plan } from '../plan.ts'
import type { RunStream } from '../run-stream.ts'
import { type ToolOffer, toolSearchName } from '../tool-offer.ts'
import { toOutcome } from './client-outputs.ts'
import type { Concurrency } from './concurrency.ts'
import { type CallOutcome, executeCall } from './execute-call.ts'
import type { LoopCall } from './loop-call.ts'
import { Questions } from './questions.ts'

/** What the calls of all steps of a run share. */
export interface CallSurroundings {
  plan: Plan
  io: LoopIo
  stream: RunStream
  /** The tools that can be called now. */
  offer: Pick<ToolOffer, 'tools' | 'hidden'>
  slots: Concurrency
  /** Programs that are running: a run that was stopped waits for them to end. */
  programs: Set<Promise<unknown>>
  /** The ids of the questions of this run: an answer to one must never meet another. */
  questions: UniqueIds
  /** What runs inside calls have used, and what is left for them. */
  budget: Pick<OuterRun, 'spend' | 'tokensLeft'>
  /** What the same call gave before the process died, if it is not to run a second time. */
  recall: (toolName: string, input: unknown) => CallOutcome | undefined
}

/** A call or a result that waited less for its turn does not say so. */
const WORTH_SAYING_MS = 100
/** The longest text about a bad input that a model is told, in bytes. */
const PROBLEM_LIMIT = 16 * 1024

/** `waited`: how long somebody outside, or a place among the calls that run, was waited for. */
type Settlement = (CallOutcome & { waited?: number }) | { type: 'denied'; reason?: string } | { type: 'parked' }

/** What a person approved: as the tool takes it, changed by them or not, and what they left out of it. */
interface SeenInput {
  approvalId: string
  input: unknown
  isEdited: boolean
  partial?: PartialEdit | undefined
}

interface CallEntry {
  call: LoopCall
  begun: boolean
  /** How long it waited for the calls before it. */
  queued: number
  settlement?: Settlement
  /** When the settlement was there. */
  settledAt?: number
}

/**
 * The calls of one step. A call that only reads starts as soon as its input is complete, while the model still writes; the
 * others wait for the end of the model's part. What comes of them is recorded in the order of the calls.
 */
export class StepCalls {
  readonly #context: CallSurroundings
  readonly #io: LoopIo
  readonly #stream: RunStream
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #entries: CallEntry[] = []
  readonly #running: Promise<void>[] = []
  /** The first entry that is not recorded yet. */
  #next = 0
  /** One of the calls so far changes something. */
  #hasChange = false
  /** The end of the last call that changes something: those run one after the other, and what reads after one waits for it. */
  #lastChange: Promise<void> = Promise.resolve()

  readonly #questions: Questions

  constructor(context: CallSurroundings) {
    this.#context = context
    this.#io = context.io
    this.#stream = context.stream
    this.#tools = context.offer.tools
    this.#questions = new Questions(context.io, context.stream)
  }

  get size(): number {
    return this.#entries.length
  }

  /** Takes a call, and starts it if it only reads and no call before it changes something that it could read. */
  add(call: LoopCall): void {
    const entry: CallEntry = { call, begun: false, queued: 0 }
    const effect = this.#effectOf(entry)
    this.#entries.push(entry)
    this.#hasChange ||= isChange(effect)
    if (effect === 'read' && !this.#hasChange) this.#begin(entry)
  }

  /** Whether a call of the step was run, or is being run. */
  get hasBegun(): boolean {
    return this.#entries.some(({ begun }) => begun)
  }

  /** Settles every call that has not begun: it was written, and will not be run. */
  refuseRest(errorText: string, code: ErrorCode): void {
    for (const entry of this.#entries) {
      if (!entry.begun) this.#settle(entry, { type: 'error', errorText, code })
    }
  }

  /** Runs what has not begun, and waits for all. `parked`: a call waits for an answer that comes another day. */
  async finish(): Promise<'settled' | 'parked'> {
    for (const entry of this.#entries) if (!entry.begun) this.#begin(entry)
    await Promise.all(this.#running)
    return this.#entries.some(({ settlement }) => settlement?.type === 'parked') ? 'parked' : 'settled'
  }

  /** Records what has an outcome although an earlier call has none: the run ends, and nothing that is known is lost. */
  recordAll(): void {
    for (const entry of this.#entries.slice(this.#next)) this.#record(entry)
    this.#next = this.#entries.length
  }

  #begin(entry: CallEntry): void {
    entry.begun = true
    const effect = this.#effectOf(entry)
    const waits = isChange(effect) || effect === 'read'
    const running = this.#run(entry, waits ? this.#lastChange : undefined)
    if (isChange(effect)) this.#lastChange = running
    this.#running.push(running)
  }

  #effectOf({ call }: CallEntry): ToolEffect | undefined {
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
    const checked = await validate(tool, call.input)
    if (!checked.ok) return badInput(tool, checked.problem, this.#context)
    const { toolCallId, toolName, input, interrupted, foreign } = call
    const isTold = people.interrupted === 'tell' && interrupted === true && foreign !== true
    if (isTold && call.answer === undefined) return wasInterrupted(toolName)
    const free = questions.free(toolCallId)
    const isOnce = signer !== undefined || hasUniqueIds || call.mustAsk !== undefined || foreign === true
    const approvalId = call.approvalId ?? (isOnce ? newApprovalId(free) : free)
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
      ...defined({ boundary: tool.boundary, mustAsk: call.mustAsk ?? (await tool.mustAsk?.(checked.input)) }),
    }
    let asked: Promise<void> | undefined
    const checkedCall = { tool, input: checked.input }
    const asking = (question: ApprovalRequest): Promise<void> => {
      asked = this.#questions.say(call, question, checkedCall)
      return asked
    }
    const answered = await (call.answer === undefined
      ? approvals.check(request, asking, checkedCall)
      : approvals.accept(request, call.answer, checkedCall))
    // An answer that came at once must not be told before its question.
    await asked?.catch(() => undefined)
    switch (answered.kind) {
      case 'run':
        if (answered.relaxation !== undefined) this.#sayRelaxed(call, answered.relaxation)
        if (call.edited === true) this.#stream.push({ type: 'tool-input-available', toolCallId, toolName, input })
        return this.#execute(tool, call, checked.input)
      case 'refuse':
        if (interrupted === true && foreign !== true && answered.code === 'TOOL_NEEDS_APPROVAL')
          return wasInterrupted(toolName)
        return { type: 'error', code: answered.code, errorText: answered.reason }
      case 'park':
        return { type: 'parked' }
      case 'answer':
        return this.#answer(tool, call, checked.input, approvalId, answered.answer)
    }
  }

  #sayRelaxed({ toolCallId, toolName }: LoopCall, { until }: Relaxation): void {
    const end = new Date(until).toISOString()
    this.#stream.push(mark(relaxedMark, { toolCallId, until: end }))
    this.#io.notice(`\`${toolName}\` (${toolCallId}) runs without a question: approvals are relaxed until ${end}.`)
  }

  async #answer(
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
    if (!edited) return this.#executeSeen(tool, call, { approvalId, input: validated, isEdited: false })
    stream.push({ type: 'tool-input-available', toolCallId, toolName, input })
    const checked = await validate(tool, input)
    if (!checked.ok) return badInput(tool, checked.problem, this.#context)
    const written = call.edited === true ? call.written : call.input
    const partial = await findPartial({ tool, written, input }, this.#io.signal)
    const seen = { approvalId, input: checked.input, isEdited: true, partial }
    return withNote(await this.#executeSeen(tool, { ...call, input }, seen), partial, this.#io)
  }

  /** Runs a call that a person approved, unless something else would come of it than they were shown. */
  async #executeSeen(
    tool: Tool,
    call: LoopCall,
    { approvalId, input, isEdited, partial }: SeenInput,
  ): Promise<Settlement> {
    const seen = this.#questions.checkOf(approvalId) ?? call.check
    // A part does what was shown of it as long as the whole would.
    const question = partial === undefined ? { input, isEdited } : { input: partial.whole, isEdited: false }
    const path = await findChangedFile(seen, { tool, ...question }, this.#context.io.signal)
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
      if (changesSomething(tool.effect) && !signal.aborted) {
        // The intent is on the disk before the effect: after a crash nobody does it twice without a question.
        stream.push(mark(callMark, { toolCallId }))
        await stream.logSynced()
      }
      const preview = (output: unknown): void => {
        stream.push({ type: 'tool-output-available', toolCallId, output, preliminary: true })
      }
      const idempotencyKey = callName(plan.messageId, call.key)
      const working = (work: Promise<unknown>): void => {
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
      const context = { toolCallId, idempotencyKey, signal, redact, preview, outer, working, keepFiles }
      return { ...(await executeCall(tool, input, context)), waited }
    })
  }

  /** The record is on the disk before the effect: after a crash the files themselves tell how far it got. */
  #keepFiles(toolCallId: string, isInner = false): KeepFiles | undefined {
    const { keepVersions, keepOutside } = this.#io
    if (keepVersions === undefined) return keepOutside
    return async writes => {
      const files = await keepVersions(writes)
      this.#stream.push(mark(filesMark, { toolCallId, files, ...defined({ inner: isInner || undefined }) }))
      await this.#stream.logSynced()
    }
  }

  /** The tool runs elsewhere. What is said there is cut and redacted like everything else. */
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
    // Until somebody had said it, no tool of ours was at work.
    return { ...settled, waited: now() - startedAt }
  }

  /** Records this call and those after it that have only waited for their turn. */
  #settle(entry: CallEntry, settlement: Settlement): void {
    entry.begun = true
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
    const waited = delay < WORTH_SAYING_MS ? {} : { waited: delay }
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

/** The messages that the model was sent for the step that is being taken. */
function historyBefore(messages: readonly Message[], message: Message | undefined): readonly Message[] {
  const parts = message?.parts.slice(
    0,
    message.parts.findLastIndex(({ type }) => type === 'step-start'),
  )
  if (message === undefined || parts === undefined || !parts.some(({ type }) => type !== 'step-start')) return messages
  return [...messages, { ...message, status: 'sent', parts }]
}

/** The answer to the question about a call, as a chunk. */
export function answerChunk(call: LoopCall, approvalId: string, answer: ApprovalAnswer): ToolApprovalResponse {
  return toApprovalResponse(
    { approvalId, toolCallId: call.toolCallId },
    { ...answer, input: editedInput(call, answer) },
  )
}

/** The input that a person gave, now or before, in place of the model's. */
function editedInput(call: LoopCall, answer: ApprovalAnswer): unknown {
  if (!answer.approved) return undefined
  return 'input' in answer ? answer.input : call.edited === true ? call.input : undefined
}

function changesSomething(effect: ToolEffect): boolean {
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

function unknownTool(name: string, { tools, hidden }: CallSurroundings['offer']): CallOutcome {
  if (hidden.some(tool => tool.name === name)) {
    const errorText = `\`${name}\` was not run: you have not seen how it is called. Find it with \`${toolSearchName}\` first, then call it in your next step.`
    return { type: 'error', code: 'TOOL_NOT_FOUND', errorText }
  }
  const names = [...tools.keys()]
  const list = names.length === 0 ? 'There are no tools.' : `The tools are: ${names.join(', ')}.`
  const shortName = name.length > 200 ? `${name.slice(0, 200)}…` : name
  const errorText = `There is no tool ${JSON.stringify(shortName)}. ${list}`
  return { type: 'error', code: 'TOOL_NOT_FOUND', errorText }
}

/** What becomes of a call whose process died while it ran, and that nobody lets run again. */
export function wasInterrupted(name: string): Extract<CallOutcome, { type: 'error' }> {
  const errorText = `The process ended while \`${name}\` was running. Interrupted; its effect is unknown.`
  return { type: 'error', code: 'TOOL_INTERRUPTED', errorText }
}

/** The model finds the shorter input in its own call, so the result says what was left out of it. */
function withNote(settlement: Settlement, partial: PartialEdit | undefined, { redact }: LoopIo): Settlement {
  if (partial === undefined) return settlement
  const note = cutRedacted(partial.note, PROBLEM_LIMIT, redact)
  if (settlement.type === 'error') return { ...settlement, errorText: `${settlement.errorText}\n\n${note}` }
  if (settlement.type !== 'output') return settlement
  const { output } = settlement
  return { ...settlement, output: typeof output === 'string' ? `${output}\n\n${note}` : { output, note } }
}

/** Nothing is written over what the person who said yes has not seen. */
function fileChanged(name: string, path: string, { io: { redact } }: CallSurroundings): CallOutcome {
  const errorText = `\`${name}\` was not run: \`${path}\` was changed after a person was asked about the call. Nothing was written. Read the file again, then make the call again if it is still right.`
  return { type: 'error', code: 'TOOL_FILE_CHANGED', errorText: String(redact(errorText)) }
}

/** Worded for the syntax in use: its own lesson on this tool shows how to write the call. */
function badInput(tool: Tool, problem: string, { plan, io }: CallSurroundings): CallOutcome {
  const { syntax } = plan.talk
  const what = cutRedacted(problem, PROBLEM_LIMIT, io.redact)
  const errorText = `\`${tool.name}\` was not run: ${what}\n\nThis is how it is called:\n\n${syntax.describe([tool])}`
  return { type: 'error', code: 'TOOL_BAD_INPUT', errorText }
}

/** An id that no other question has, so that an answer or a signature is good for this one only. */
function newApprovalId(base: string): string {
  return `${base}-${randomBytes(9).toString('base64url')}`
}

/** The name of a call among all messages. If the message's id holds a separator, both are quoted. */
function callName(messageId: string, key: string): string {
  return /[:[]/.test(messageId) ? JSON.stringify([messageId, key]) : `${messageId}:${key}`
}
