import { type ApprovalCheck, defined } from '@argot/core/stream/internal'
import type { ApprovalRequest } from '../../approval/approval.ts'
import { type AskedCall, questionFacts } from '../../approval/question-facts.ts'
import type { LoopIo } from '../plan.ts'
import type { RunStream } from '../run-stream.ts'

/** The call that is asked about. */
export interface QuestionedCall {
  toolCallId: string
  toolName: string
  input: unknown
  foreign?: boolean | undefined
  /** A question of an earlier process, which is known under this id. */
  approvalId?: string | undefined
}

/** The questions of a step, said one after the other, each with what a person needs to know. */
export class Questions {
  readonly #io: LoopIo
  readonly #stream: RunStream
  /** The last question was said. */
  #last: Promise<void> = Promise.resolve()
  /** How the files were when each question was asked, by approval id. */
  readonly #checks: Map<string, ApprovalCheck> = new Map()

  constructor(io: LoopIo, stream: RunStream) {
    this.#io = io
    this.#stream = stream
  }

  /**
   * Says what is asked, unless the run was stopped meanwhile; resolves when it survives the death of this process. A call
   * that no model made is not signed: its answer must not come back as one that counts.
   */
  say(call: QuestionedCall, question: ApprovalRequest, checked: Pick<AskedCall, 'tool' | 'input'>): Promise<void> {
    const { toolCallId, toolName, input, foreign, approvalId: before } = call
    const { redact, signal, people } = this.#io
    const { approvalId } = question
    const facts = questionFacts(question, { ...checked, redact })
    const announced = Promise.all([facts, this.#last]).then(([known]) => {
      if (signal.aborted) return undefined
      if (known.check !== undefined) this.#checks.set(approvalId, known.check)
      const signature = foreign === true ? undefined : people.signer?.sign({ approvalId, toolCallId, toolName, input })
      const providerMetadata = { argot: { facts: known, ...defined({ signature }) } }
      const request = { type: 'tool-approval-request', approvalId, toolCallId, toolName, input } as const
      this.#stream.push({
        ...request,
        ...defined({ signature, known: before === undefined ? undefined : true }),
        providerMetadata,
      })
      return this.#stream.flushed()
    })
    this.#last = announced.catch(() => undefined)
    return announced
  }

  /** How the files were when this run asked. */
  checkOf(approvalId: string): ApprovalCheck | undefined {
    return this.#checks.get(approvalId)
  }
}
