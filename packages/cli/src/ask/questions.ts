import { setTimeout as sleep } from 'node:timers/promises'
import type { ApprovalAnswer, ApprovalRequest, TrustQuestion } from '@argot/agent'
import type { View } from '../view/view.ts'
import { askApproval } from './ask-approval.ts'
import { askTrust } from './ask-trust.ts'
import type { PromptTerminal } from './prompt-terminal.ts'

export interface QuestionsOptions {
  terminal: PromptTerminal
  view: View
  colours: boolean
  signal: AbortSignal
}

/** How long a question waits for the chunks before it to be shown. */
const patience = 300

/** Asks one question at a time, each on a terminal that nothing else writes to. */
export class Questions {
  readonly #options: QuestionsOptions
  readonly #always: Set<string> = new Set()
  readonly #shown: Set<string> = new Set()
  readonly #waiting: Map<string, () => void> = new Map()
  #queue: Promise<unknown> = Promise.resolve()
  #left = false

  constructor(options: QuestionsOptions) {
    this.#options = options
  }

  /** The view has shown everything up to this request. */
  saw(approvalId: string): void {
    this.#shown.add(approvalId)
    this.#waiting.get(approvalId)?.()
  }

  readonly approve = (request: ApprovalRequest): Promise<ApprovalAnswer | undefined> =>
    this.#inTurn(async () => {
      if (this.#always.has(request.toolName)) return { approved: true, always: true }
      if (this.#left || request.signal.aborted) return undefined
      await this.#untilShown(request.approvalId)
      const { view, terminal, colours } = this.#options
      const answer = await view.lend(() => askApproval(request, terminal, colours))
      if (answer?.approved === true && answer.always === true) this.#always.add(request.toolName)
      // Who leaves one question wants to leave, not to be asked the next one.
      if (answer === undefined) this.#left = true
      return answer
    })

  readonly trust = (question: TrustQuestion): Promise<boolean> =>
    this.#inTurn(async () => {
      const { view, terminal, colours, signal } = this.#options
      if (signal.aborted) return false
      return view.lend(() => askTrust(question, terminal, colours, signal))
    })

  #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const answer = this.#queue.then(ask)
    this.#queue = answer.catch(() => {})
    return answer
  }

  async #untilShown(approvalId: string): Promise<void> {
    if (this.#shown.has(approvalId)) return
    const shown = new Promise<void>(resolve => this.#waiting.set(approvalId, resolve))
    await Promise.race([shown, sleep(patience, undefined, { ref: false })])
    this.#waiting.delete(approvalId)
  }
}
