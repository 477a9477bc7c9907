import { isToolPart, type Message, type ToolInvocation, type ToolPart } from '@argot/core'
import type { Lease, Payloads, RunLog, Store } from '../store/store.ts'
import type { LoggedCall } from './logged-calls.ts'
import type { BegunLog } from './recover-run.ts'
import type { KnownAnswer, ReplayedRun } from './replay-run.ts'

/** A run that has not ended and whose process is gone, and what its log knows. */
export class UnfinishedRun {
  readonly runId: string
  readonly messageId: string
  readonly payloads: Payloads
  /**
   * This user wrote the log, and the document is the one with which the run began. Else it may come from anybody: the run
   * is not resumed, no call in it runs without a question, and nothing in it stands in for the output of a tool.
   */
  readonly isBelieved: boolean
  readonly replayed: ReplayedRun
  /**
   * Inputs that a log says people gave calls, where nobody vouches for that log, by call: the person is asked about this
   * input. In logs of the first version it may be in the log of a run that died before.
   */
  readonly earlierInputs: Map<string, unknown>
  readonly #openLog: () => Promise<RunLog>
  #log: RunLog | undefined

  constructor(
    log: BegunLog,
    replayed: ReplayedRun,
    isBelieved: boolean,
    writer: { store: Store; lease: Lease; open: RunLog | undefined },
  ) {
    const { store, lease, open } = writer
    this.isBelieved = isBelieved
    this.runId = log.beginning.run
    this.messageId = replayed.messageId
    this.payloads = log.beginning.payloads
    this.replayed = replayed
    this.earlierInputs = new Map(isBelieved ? [] : replayed.givenInputs)
    this.#log = open
    this.#openLog = () => store.logs.open(lease.path, log.run, lease)
  }

  /** Whether the tool of a call may have been started: what it did is not known then. */
  mayHaveStarted(toolCallId: string): boolean {
    return !this.isBelieved || this.replayed.started.has(toolCallId)
  }

  /** What the log knows of a call that is open in the document; nothing if it has another tool or input there. */
  findCall(invocation: ToolInvocation): LoggedCall | undefined {
    return this.isBelieved ? this.replayed.findCall(invocation) : undefined
  }

  /** Every id under which the run has asked a person. */
  get approvalIds(): ReadonlySet<string> {
    return this.replayed.approvalIds
  }

  /**
   * What tools gave in a step that the model had not finished and that will be made again. The same tool with the same
   * input gets this instead of running a second time.
   */
  get answers(): readonly KnownAnswer[] {
    return this.isBelieved ? this.replayed.answers : []
  }

  /** Whether the run said this message. A person who changed its elements took their records away, but not its calls. */
  hasSaid({ id, parts }: Message): boolean {
    if (id === this.messageId) return true
    if (!this.isBelieved) return false
    const calls = new Set((this.replayed.fold.message?.parts ?? []).filter(isToolPart).map(callId))
    return parts.some(part => isToolPart(part) && calls.has(callId(part)))
  }

  /**
   * True when the document has nothing of its message because whatever was said had to be taken back, or because a user
   * joined in and the run has not answered yet. Where the log has more, a person took it out of the document.
   */
  isUnsaid(history: readonly Message[]): boolean {
    const { role, id, parts = [] } = this.replayed.fold.message ?? {}
    if (role === 'user') return history.at(-1)?.id === id
    return parts.every(({ type }) => type === 'step-start') && !history.some(({ id }) => id === this.messageId)
  }

  /** The log, to be written. */
  async open(): Promise<RunLog> {
    const log = this.#log ?? (await this.#openLog())
    this.#log = undefined
    return log
  }

  async close(): Promise<void> {
    await this.#log?.close()
    this.#log = undefined
  }
}

function callId({ toolInvocation }: ToolPart): string {
  return toolInvocation.toolCallId
}
