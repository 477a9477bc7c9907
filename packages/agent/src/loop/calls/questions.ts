import type { Chunk } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import type { ApprovalRequest } from '../../approval/approval.ts'
import type { ApprovalSigner } from '../../approval/approval-signer.ts'
import { type AskedCall, questionFacts } from '../../approval/question-facts.ts'

/** What questions need of the run that they are in. */
export interface QuestionContext {
  signer: ApprovalSigner | undefined
  redact: (value: unknown) => unknown
  signal: AbortSignal
  emit: (chunk: Chunk) => void
  flushed: () => Promise<void>
}

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
  readonly #context: QuestionContext
  /** The last question was said. */
  #last: Promise<void> = Promise.resolve()

  constructor(context: QuestionContext) {
    this.#context = context
  }

  /**
   * Says what is asked, unless the run was stopped meanwhile; resolves when it survives the death of this process. A call
   * that no model made is not signed: its answer must not come back as one that counts.
   */
  say(call: QuestionedCall, question: ApprovalRequest, checked: Pick<AskedCall, 'tool' | 'input'>): Promise<void> {
    const { toolCallId, toolName, input, foreign, approvalId: before } = call
    const { emit, flushed, signer, redact, signal } = this.#context
    const { approvalId } = question
    const facts = questionFacts(question, { ...checked, redact })
    const said = Promise.all([facts, this.#last]).then(([known]) => {
      if (signal.aborted) return undefined
      const signature = foreign === true ? undefined : signer?.sign({ approvalId, toolCallId, toolName, input })
      const providerMetadata = { argot: { facts: known, ...defined({ signature }) } }
      const request = { type: 'tool-approval-request', approvalId, toolCallId, toolName, input } as const
      emit({ ...request, ...defined({ signature, known: before === undefined ? undefined : true }), providerMetadata })
      return flushed()
    })
    this.#last = said.catch(() => undefined)
    return said
  }
}
