import { randomUUID } from 'node:crypto'
import type { Ask, Run, RunOptions, RunResult } from '@argot/agent'
import type { RunClientTool } from '@argot/agent/internal'
import type { Chunk } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import { isRecord } from '@argot/core/stream/internal'
import { readQuestion } from '../ask/read-question.ts'
import { approvalForm, type Form, questionForm, readAnswer, readApproval } from './forms.ts'

export interface CallOptions {
  /** The called tool with its input. Answers for a call with another key are rejected. */
  key: string
  document: string
  canAsk: boolean
  approvesCalls: boolean
}

interface OpenQuestion {
  form: Form
  settle(response: unknown): void
}

export interface CallEnd {
  result: RunResult
  refusals: readonly string[]
}

const NO_ONE = 'No one can be asked: the MCP client shows no forms.'

/**
 * One call of a document: a run and its questions. A client may leave with the questions and come back with answers.
 * The run waits.
 */
export class ServedCall {
  readonly id: string = randomUUID()
  readonly options: CallOptions
  /** A request is waiting for it. */
  isAttended = false
  onProgress: (message: string) => void = () => {}
  readonly ended: Promise<CallEnd>
  readonly #run: Run
  readonly #questions = new Map<string, OpenQuestion>()
  readonly #refusals = new Set<string>()
  #wake: () => void = () => {}
  #calls = 0
  #reports = 0

  constructor(start: (options: RunOptions) => Run, options: CallOptions) {
    this.options = options
    this.#run = start({
      ...(options.canAsk && options.approvesCalls && { ask: this.#ask }),
      runClientTool: this.#runClientTool,
    })
    this.ended = this.#follow()
  }

  /** The open forms by id, or undefined once the run has ended. */
  async next(): Promise<Record<string, Form> | undefined> {
    const untilEnded = this.ended.then(() => true as const)
    while (this.#questions.size === 0) {
      const untilQuestion = new Promise<false>(resolve => {
        this.#wake = () => resolve(false)
      })
      if (await Promise.race([untilEnded, untilQuestion])) return undefined
    }
    return Object.fromEntries([...this.#questions].map(([id, { form }]) => [id, form]))
  }

  /** Settles the questions that these responses answer. Ignores other responses. */
  answer(responses: Readonly<Record<string, unknown>>): void {
    for (const [id, question] of [...this.#questions]) {
      if (Object.hasOwn(responses, id)) question.settle(responses[id])
    }
  }

  /** Progress only grows, however often the client leaves and comes back. */
  countReport(): number {
    this.#reports++
    return this.#reports
  }

  stop(reason: string): void {
    this.#run.stop(reason)
  }

  async #follow(): Promise<CallEnd> {
    for await (const chunk of this.#run) this.#note(chunk)
    return { result: await this.#run.result, refusals: [...this.#refusals] }
  }

  #note(chunk: Chunk): void {
    if (chunk.type === 'start-step') this.onProgress('Asking the model.')
    if (chunk.type === 'tool-input-available') {
      this.#calls++
      this.onProgress(`Call ${this.#calls}: ${chunk.toolName.slice(0, 128)}`)
    }
    if (chunk.type === 'tool-output-error' && argotMetadata(chunk)?.code === 'TOOL_NEEDS_APPROVAL') {
      this.#refusals.add(chunk.errorText)
    }
    if (chunk.type === 'data-argot-sub' && 'data' in chunk && isRecord(chunk.data)) {
      this.#note((chunk.data as { chunk: Chunk }).chunk)
    }
  }

  readonly #ask: Ask = async request => {
    const form = approvalForm(request)
    if (form === undefined) return { approved: false, reason: 'The call is too long to be shown in a form.' }
    const response = await this.#wait(form, request.signal)
    return response === stopped ? undefined : readApproval(response)
  }

  readonly #runClientTool: RunClientTool = async call => {
    const question = readQuestion(call)
    if (question === undefined || !this.options.canAsk) return { errorText: NO_ONE }
    const response = await this.#wait(questionForm(question), call.signal)
    return response === stopped ? { errorText: 'The run was stopped.' } : readAnswer(response)
  }

  #wait(form: Form, signal: AbortSignal): Promise<unknown> {
    const id = randomUUID()
    return new Promise(resolve => {
      const settle = (response: unknown): void => {
        signal.removeEventListener('abort', leave)
        this.#questions.delete(id)
        resolve(response)
      }
      const leave = (): void => settle(stopped)
      if (signal.aborted) return resolve(stopped)
      signal.addEventListener('abort', leave)
      this.#questions.set(id, { form, settle })
      this.#wake()
    })
  }
}

const stopped = Symbol('stopped')
