import {
  accumulate,
  type Chunk,
  type FinishReason,
  isSettled,
  isToolPart,
  type Message,
  type ToolInvocation,
} from 'argot'
import { safeId } from 'argot/chatmd'
import type { Disk } from './disk.ts'
import { type RunElement, RunElements, startedCall } from './run-elements.ts'
import { type BegunLog, endLog, hasBegun, readLog, recoveredMark } from './run-log-file.ts'
import { type Recovered, stepMark } from './transcript.ts'

/** What a log says when it is read from its beginning. */
export interface ReplayedRun {
  /** Everything that belongs in the document. */
  elements: RunElement[]
  ended: boolean
  /** What the run would have said next if it had only ended what it had begun. */
  closing: Chunk[]
  messageId: string
  /** Calls whose tool was started and has not answered. */
  started: Set<string>
  settled: ReadonlySet<string>
  /** The inputs that a person gave to calls which have not answered. */
  inputs: ReadonlyMap<string, unknown>
  /** What tools gave in the step that was taken back last, if nothing came since. */
  answers: Recovered['answers']
  /** The model finished a step. */
  passedStep: boolean
}

/** A log in which so many runs died one after the other is not followed further. */
const longestChain = 100

const finishReasons: readonly FinishReason[] = ['stop', 'length', 'content-filter', 'tool-calls', 'other']

/** Reads a log as the run wrote it. */
export function replayRun({ lines, beginning }: BegunLog): ReplayedRun {
  let time = 0
  const fold = accumulate({ now: () => time })
  const source = new RunElements(beginning.run, beginning.message)
  const run = new WatchedRun()
  const elements: RunElement[] = []
  let answers: Recovered['answers'] = []
  for (const { o, t, chunk } of lines) {
    time = t
    if (chunk.type === 'reset-step') answers = answersOf(fold.message)
    else if (chunk.type !== recoveredMark) answers = []
    fold.push(chunk)
    run.watch(chunk)
    elements.push(...source.take(chunk, o, fold))
  }
  const { ended, settled, passedStep, closing, inputs } = run
  const messageId = fold.message?.id ?? beginning.message?.id ?? ''
  const started = openCalls(fold.message, run.started)
  return { elements, ended, closing, messageId, started, settled, inputs, answers, passedStep }
}

/**
 * Ends the open step in the log of a run that died: it is kept if the model was done with it, else taken back. If that
 * step was its last, the run ends too.
 */
export async function closeStep(disk: Disk, folder: string, log: BegunLog, now: () => number): Promise<BegunLog> {
  const { closing } = replayRun(log)
  if (closing.length === 0 && !log.torn) return log
  await endLog(disk, folder, log, closing, now)
  const ended = readLog(folder, log.name)
  return ended !== undefined && hasBegun(ended) ? ended : log
}

/** What a run that died, and those that died before it in its place, leave behind. */
export function recoveredFrom(folder: string, log: BegunLog, run: ReplayedRun): Recovered {
  const started = new Set(run.started)
  const answers = [...run.answers]
  const settled = new Set(run.settled)
  const inputs = new Map(run.inputs)
  let remembers = !run.passedStep
  let from = log.beginning.from
  for (let links = 0; from !== undefined && links < longestChain; links++) {
    const earlier = readLog(folder, safeId(from))
    if (earlier === undefined || !hasBegun(earlier)) break
    const replayed = replayRun(earlier)
    for (const id of replayed.started) if (!settled.has(id)) started.add(id)
    for (const [id, input] of replayed.inputs) if (!settled.has(id) && !inputs.has(id)) inputs.set(id, input)
    if (remembers) answers.push(...replayed.answers)
    for (const id of replayed.settled) settled.add(id)
    remembers &&= !replayed.passedStep
    from = earlier.beginning.from
  }
  const given = inputs.size === 0 ? {} : { inputs }
  return { runId: log.beginning.run, messageId: run.messageId, started, answers, ...given }
}

/** Where a run is, as far as it matters once it has died. */
class WatchedRun {
  readonly started: Set<string> = new Set()
  readonly settled: Set<string> = new Set()
  readonly inputs: Map<string, unknown> = new Map()
  ended = false
  passedStep = false
  /** The model's part of the open step is over. */
  #isMarked = false
  #inStep = false
  /** The last step made a call. */
  #hasCalls = false
  /** Why the model ended the last step, if it did so without an error. */
  #finishReason: FinishReason | undefined

  /** What ends the open step, if there is one, and the run, if the model had no more to say. */
  get closing(): Chunk[] {
    if (this.ended) return []
    const step: Chunk[] = this.#inStep ? [{ type: this.#isMarked ? 'finish-step' : 'reset-step' }] : []
    const finishReason = this.#finishReason === 'tool-calls' ? 'stop' : this.#finishReason
    if (finishReason === undefined || this.#hasCalls) return step
    return [...step, { type: 'finish', finishReason }]
  }

  watch(chunk: Chunk): void {
    switch (chunk.type) {
      case 'start-step':
        this.#inStep = true
        this.#isMarked = false
        this.#hasCalls = false
        this.#finishReason = undefined
        return
      case stepMark:
        this.#isMarked = true
        this.#finishReason = finishReasonOf(chunk)
        this.passedStep = true
        return
      case 'error':
        this.#isMarked = true
        return
      case 'finish-step':
        this.#inStep = false
        this.passedStep = true
        return
      case 'reset-step':
        this.#inStep = false
        return
      case 'finish':
      case 'abort':
        this.ended = true
        return
      case 'tool-approval-response':
        if (chunk.approved && chunk.input !== undefined) this.inputs.set(chunk.toolCallId, chunk.input)
        return
      case 'tool-output-available':
        if (chunk.preliminary !== true) this.#settle(chunk.toolCallId)
        return
      case 'tool-input-start':
      case 'tool-input-available':
        this.#hasCalls ||= chunk.providerExecuted !== true
        return
      case 'tool-input-error':
        this.#hasCalls = true
        return this.#settle(chunk.toolCallId)
      case 'tool-output-error':
      case 'tool-output-denied':
        return this.#settle(chunk.toolCallId)
      default: {
        const id = startedCall(chunk)
        if (id === undefined) return
        this.started.add(id)
        this.settled.delete(id)
      }
    }
  }

  #settle(id: string): void {
    this.settled.add(id)
    this.inputs.delete(id)
    this.started.delete(id)
  }
}

function finishReasonOf(chunk: Chunk): FinishReason | undefined {
  const data = 'data' in chunk ? (chunk.data as { finishReason?: unknown } | null) : undefined
  return finishReasons.find(reason => reason === data?.finishReason)
}

/** Those of the calls that the message still has open. */
function openCalls(message: Message | undefined, ids: ReadonlySet<string>): Set<string> {
  const open = new Set<string>()
  for (const part of message?.parts ?? []) {
    if (!isToolPart(part) || isSettled(part.toolInvocation)) continue
    if (ids.has(part.toolInvocation.toolCallId)) open.add(part.toolInvocation.toolCallId)
  }
  return open
}

function answersOf(message: Message | undefined): Recovered['answers'] {
  const parts = message?.parts ?? []
  const step = parts.slice(parts.findLastIndex(part => part.type === 'step-start') + 1)
  return step.flatMap(part => {
    const call: ToolInvocation | undefined = isToolPart(part) ? part.toolInvocation : undefined
    if (call?.state !== 'output-available' || !isSettled(call) || call.providerExecuted === true) return []
    const { toolName, input, output, details } = call
    return [{ toolName, input, output, ...(details !== undefined && { details }) }]
  })
}
