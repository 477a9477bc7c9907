import { accumulate, type Chunk, isSettled, isToolPart, type Message, type ToolInvocation } from 'argot'
import { type RunElement, RunElements, startedCall } from './run-elements.ts'
import { type Beginning, type ReadLog, readLog, recoveredMark } from './run-log-file.ts'
import { type Recovered, stepMark } from './transcript.ts'

/** What a log says when it is read from its beginning. */
export interface ReplayedRun {
  /** Everything that belongs in the document. */
  elements: RunElement[]
  ended: boolean
  /** The run died in a step: this ends the step in the log, and the elements are as if it stood there. */
  closing: Chunk | undefined
  messageId: string
  /** Calls whose tool was started and has not answered. */
  started: Set<string>
  settled: ReadonlySet<string>
  /** What tools gave in a step that the model had not finished. */
  answers: Recovered['answers']
  /** The model finished a step. */
  passedStep: boolean
}

/** A log in which so many runs died one after the other is not followed further. */
const longestChain = 100

/**
 * Reads a log as the run wrote it. `reached` is the offset up to which the document is known to have the run: a disk
 * may have lost the end of the log and kept that of the document.
 */
export function replayRun(log: ReadLog, beginning: Beginning, reached = -1): ReplayedRun {
  let time = 0
  const fold = accumulate({ now: () => time })
  const source = new RunElements(beginning.run, beginning.message)
  const run = new WatchedRun()
  const elements: RunElement[] = []
  const { lines, next } = withoutSeal(log)
  const take = (chunk: Chunk, offset: number): void => {
    fold.push(chunk)
    run.watch(chunk)
    elements.push(...source.take(chunk, offset, fold))
  }
  for (const { o, t, chunk } of lines) {
    time = t
    take(chunk, o)
  }
  if (reached >= next) run.isMarked = true
  const answers = run.closing?.type === 'reset-step' ? answersOf(fold.message) : []
  const { closing } = run
  if (closing !== undefined) take(closing, next)
  return {
    elements,
    ended: run.ended,
    closing,
    messageId: fold.message?.id ?? beginning.message?.id ?? '',
    started: openCalls(fold.message, run.started),
    settled: run.settled,
    answers,
    passedStep: run.passedStep,
  }
}

/** What a run that died, and those that died before it in its place, leave behind. */
export function recoveredFrom(folder: string, log: ReadLog, run: ReplayedRun): Recovered {
  const started = new Set(run.started)
  const answers = [...run.answers]
  const settled = new Set(run.settled)
  let remembers = !run.passedStep
  let from = log.beginning?.from
  for (let links = 0; from !== undefined && links < longestChain; links++) {
    const earlier = readLog(folder, from)
    if (earlier?.beginning === undefined) break
    const replayed = replayRun(earlier, earlier.beginning)
    for (const id of replayed.started) if (!settled.has(id)) started.add(id)
    if (remembers) answers.push(...replayed.answers)
    for (const id of replayed.settled) settled.add(id)
    remembers &&= !replayed.passedStep
    from = earlier.beginning.from
  }
  return { runId: log.beginning?.run ?? '', messageId: run.messageId, started, answers }
}

/** Where a run is, as far as it matters once it has died. */
class WatchedRun {
  readonly started: Set<string> = new Set()
  readonly settled: Set<string> = new Set()
  ended = false
  passedStep = false
  /** The model's part of the open step is over. */
  isMarked = false
  #inStep = false

  /** What ends the open step, if there is one. */
  get closing(): Chunk | undefined {
    if (this.ended || !this.#inStep) return undefined
    return { type: this.isMarked ? 'finish-step' : 'reset-step' }
  }

  watch(chunk: Chunk): void {
    switch (chunk.type) {
      case 'start-step':
        this.#inStep = true
        this.isMarked = false
        return
      case stepMark:
        this.isMarked = true
        this.passedStep = true
        return
      case 'error':
        this.isMarked = true
        return
      case 'finish-step':
        this.#inStep = false
        this.passedStep = true
        return
      case 'finish':
      case 'abort':
        this.ended = true
        return
      case 'tool-output-available':
        if (chunk.preliminary !== true) this.#settle(chunk.toolCallId)
        return
      case 'tool-input-error':
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
    this.started.delete(id)
  }
}

/** The lines that the run itself wrote: a later one may have ended the log in its place. */
function withoutSeal({ lines, next }: ReadLog): Pick<ReadLog, 'lines' | 'next'> {
  const last = lines.at(-1)
  if (last?.chunk.type !== recoveredMark || !('data' in last.chunk)) return { lines, next }
  const closed = (last.chunk.data as { closed?: unknown } | null)?.closed === true ? 2 : 1
  return { lines: lines.slice(0, -closed), next: next - closed }
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
