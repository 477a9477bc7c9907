import { type ApprovalCheck, defined } from '@argot/core/stream/internal'
import type { ApprovalRequest } from '../../approval/approval.ts'
import { type QuestionSubject, questionFacts } from '../../approval/question-facts.ts'
import type { LoopIo } from '../plan.ts'
import type { RunStream } from '../run-stream.ts'

export interface QuestionCall {
  toolCallId: string
  toolName: string
  input: unknown
  foreign?: boolean | undefined
  /** The id of a question that an earlier process asked. */
  approvalId?: string | undefined
}

/** A step's questions, published one after the other, each with what a person needs to judge it. */
export class StepQuestions {
  readonly #io: LoopIo
  readonly #stream: RunStream
  #lastPublication: Promise<void> = Promise.resolve()
  /** The state of the files at the time of each question, by approval id. */
  readonly #checks: Map<string, ApprovalCheck> = new Map()

  constructor(io: LoopIo, stream: RunStream) {
    this.#io = io
    this.#stream = stream
  }

  /**
   * Publishes a question, unless the run was stopped meanwhile. Resolves once the question would survive the death of
   * this process. A call that no model made isn't signed, so that its answer can't come back as a valid one.
   */
  publish(
    call: QuestionCall,
    question: ApprovalRequest,
    checkedCall: Pick<QuestionSubject, 'tool' | 'input'>,
  ): Promise<void> {
    const { toolCallId, toolName, input, foreign, approvalId: earlierId } = call
    const { redact, signal, people } = this.#io
    const { approvalId } = question
    const factsReady = questionFacts(question, { ...checkedCall, redact })
    const publication = Promise.all([factsReady, this.#lastPublication]).then(([facts]) => {
      if (signal.aborted) return undefined
      if (facts.check !== undefined) this.#checks.set(approvalId, facts.check)
      const signature = foreign === true ? undefined : people.signer?.sign({ approvalId, toolCallId, toolName, input })
      const providerMetadata = { argot: { facts, ...defined({ signature }) } }
      const request = { type: 'tool-approval-request', approvalId, toolCallId, toolName, input } as const
      this.#stream.push({
        ...request,
        ...defined({ signature, known: earlierId === undefined ? undefined : true }),
        providerMetadata,
      })
      return this.#stream.flushed()
    })
    this.#lastPublication = publication.catch(() => undefined)
    return publication
  }

  getCheck(approvalId: string): ApprovalCheck | undefined {
    return this.#checks.get(approvalId)
  }
}
