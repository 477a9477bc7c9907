import { isToolPart, type Message, type ToolInvocation, type ToolPart } from '@argot/core'
import type { Lease, Payloads, RunLog, Store } from '../store/store.ts'
import type { LoggedCall } from './logged-calls.ts'
import type { BegunLog } from './recover-run.ts'
import type { RecoveredAnswer, ReplayedRun } from './replay-run.ts'

/** An unfinished run whose process is gone, and what its log knows. */
export class UnfinishedRun {
  readonly runId: string
  readonly messageId: string
  readonly payloads: Payloads
  /**
   * This user wrote the log, and the document is the one with which the run began. Otherwise anyone may have written
   * it: the run isn't resumed, every call in it needs an approval, and nothing in it is used as a tool's output.
   */
  readonly isTrusted: boolean
  readonly replayed: ReplayedRun
  /**
   * Inputs that people entered for calls according to an untrusted log, by call: Argot asks the person about this
   * input. In version 1 logs, the input may be in the log of an earlier run that died.
   */
  readonly earlierInputs: Map<string, unknown>
  readonly #openLog: () => Promise<RunLog>
  #log: RunLog | undefined

  constructor(
    log: BegunLog,
    replayed: ReplayedRun,
    isTrusted: boolean,
    writer: { store: Store; lease: Lease; open: RunLog | undefined },
  ) {
    const { store, lease, open } = writer
    this.isTrusted = isTrusted
    this.runId = log.beginning.run
    this.messageId = replayed.messageId
    this.payloads = log.beginning.payloads
    this.replayed = replayed
    this.earlierInputs = new Map(isTrusted ? [] : replayed.questionInputs)
    this.#log = open
    this.#openLog = () => store.logs.open(lease.path, log.run, lease)
  }

  /** True for every call if the log isn't trusted. */
  mayHaveStarted(toolCallId: string): boolean {
    return !this.isTrusted || this.replayed.started.has(toolCallId)
  }

  /** Undefined if the log isn't trusted, or if it has another tool or input for the call. */
  findCall(invocation: ToolInvocation): LoggedCall | undefined {
    return this.isTrusted ? this.replayed.findCall(invocation) : undefined
  }

  get approvalIds(): ReadonlySet<string> {
    return this.replayed.approvalIds
  }

  /** Empty if the log isn't trusted. */
  get answers(): readonly RecoveredAnswer[] {
    return this.isTrusted ? this.replayed.answers : []
  }

  /** Whether the run wrote this message. Elements that a person changed have no records, but still their calls. */
  hasWritten({ id, parts }: Message): boolean {
    if (id === this.messageId) return true
    if (!this.isTrusted) return false
    const calls = new Set((this.replayed.fold.message?.parts ?? []).filter(isToolPart).map(getCallId))
    return parts.some(part => isToolPart(part) && calls.has(getCallId(part)))
  }

  /**
   * True if the document has nothing of its message because the whole output was reset, or because a user joined in and
   * the run has not answered yet. If the log has more, a person removed it from the document.
   */
  isUnwritten(history: readonly Message[]): boolean {
    const { role, id, parts = [] } = this.replayed.fold.message ?? {}
    if (role === 'user') return history.at(-1)?.id === id
    return parts.every(({ type }) => type === 'step-start') && !history.some(({ id }) => id === this.messageId)
  }

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

function getCallId({ toolInvocation }: ToolPart): string {
  return toolInvocation.toolCallId
}
