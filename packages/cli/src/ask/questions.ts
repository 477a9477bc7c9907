import { setTimeout as sleep } from 'node:timers/promises'
import type { ApprovalAnswer, ApprovalRequest } from '@argot/agent'
import type { ClientCall, ClientOutput, TrustQuestion } from '@argot/agent/internal'
import type { View } from '../view/view.ts'
import type { PromptTerminal } from './prompt-terminal.ts'

export interface QuestionsOptions {
  terminal: PromptTerminal
  view: View
  colours: boolean
  signal: AbortSignal
  /** Stops the run: the user left a question that the run can't wait for. */
  interrupt: () => void
}

/** How long a question waits until earlier chunks are shown, in milliseconds. */
const PATIENCE_MS = 300

/** Asks one question at a time, on a terminal that nothing else writes to. */
export class Questions {
  readonly #options: QuestionsOptions
  readonly #shown: Set<string> = new Set()
  readonly #waiting: Map<string, () => void> = new Map()
  #queue: Promise<unknown> = Promise.resolve()
  #hasLeft = false

  constructor(options: QuestionsOptions) {
    this.#options = options
  }

  /** The view has shown everything up to this approval id or call id. */
  noteShown(id: string): void {
    this.#shown.add(id)
    this.#waiting.get(id)?.()
  }

  readonly approve = (request: ApprovalRequest): Promise<ApprovalAnswer | undefined> =>
    this.#inTurn(async () => {
      if (this.#hasLeft || request.signal.aborted) return undefined
      // Load prompts only when needed: other commands don't wait for them.
      const { askApproval } = await import('./ask-approval.ts')
      await this.#untilShown(request.approvalId)
      const { view, terminal, colours } = this.#options
      const answer = await view.lend(() =>
        withOwnSignal(request.signal, own => askApproval({ ...request, signal: own }, terminal, colours)),
      )
      // Leaving one question means leaving, not skipping to the next one.
      if (answer === undefined) this.#hasLeft = true
      return answer
    })

  readonly answer = (call: ClientCall): Promise<ClientOutput | undefined> =>
    this.#inTurn(async () => {
      if (this.#hasLeft || call.signal.aborted) return undefined
      const { askQuestion } = await import('./ask-question.ts')
      await this.#untilShown(call.toolCallId)
      const { view, terminal, colours } = this.#options
      const output = await view.lend(() => withOwnSignal(call.signal, own => askQuestion(call, terminal, colours, own)))
      if (output === undefined) this.#hasLeft = true
      return output
    })

  readonly trust = (question: TrustQuestion): Promise<boolean | 'once'> =>
    this.#inTurn(async () => {
      const { view, terminal, colours, signal, interrupt } = this.#options
      if (this.#hasLeft || signal.aborted) return false
      const { askTrust } = await import('./ask-trust.ts')
      const answer = await view.lend(() => withOwnSignal(signal, own => askTrust(question, terminal, colours, own)))
      if (answer === undefined && !signal.aborted) interrupt()
      return answer ?? false
    })

  readonly param = (name: string): Promise<string | undefined> =>
    this.#inTurn(async () => {
      const { view, terminal, signal, interrupt } = this.#options
      if (this.#hasLeft || signal.aborted) return undefined
      const { askParam } = await import('./ask-param.ts')
      const answer = await view.lend(() => withOwnSignal(signal, own => askParam(name, terminal, own)))
      if (answer === undefined && !signal.aborted) interrupt()
      return answer
    })

  #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const answer = this.#queue.then(ask)
    this.#queue = answer.catch(() => {})
    return answer
  }

  async #untilShown(id: string): Promise<void> {
    if (this.#shown.has(id)) return
    const untilOpen = new Promise<void>(resolve => this.#waiting.set(id, resolve))
    await Promise.race([untilOpen, sleep(PATIENCE_MS, undefined, { ref: false })])
    this.#waiting.delete(id)
  }
}

/**
 * Prompts keep listening after they end, and write if the run is stopped later. So each gets a signal that ends with
 * it.
 */
async function withOwnSignal<T>(signal: AbortSignal, ask: (own: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  try {
    return await ask(controller.signal)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
