import type { LanguageModelV3Message } from '@ai-sdk/provider'
import type { Message } from '@argot/core'
import type { Validation } from '../../tool/tool.ts'
import type { AnswerFormat } from './answer-format.ts'
import type { AnswerProblem } from './answer-problem.ts'

/** Checks a run's final answer against the requested format. The model is asked again at most once. */
export class AnswerCheck {
  readonly #format: AnswerFormat | undefined
  #validation: Validation | undefined
  #retryMessages: LanguageModelV3Message[] | undefined

  constructor(format: AnswerFormat | undefined) {
    this.#format = format
  }

  /** The last answer's value. Undefined if it doesn't match the format. */
  get output(): unknown {
    return this.#validation?.ok === true ? this.#validation.input : undefined
  }

  /** Sent to the model after the conversation once its answer was rejected. */
  get retryMessages(): readonly LanguageModelV3Message[] {
    return this.#retryMessages ?? []
  }

  get problem(): AnswerProblem | undefined {
    if (this.#validation === undefined || this.#validation.ok) return undefined
    const error = `The answer doesn't match the requested schema: ${this.#validation.problem}`
    return { code: 'RUN_BAD_OUTPUT', error }
  }

  /** True if the answer is to be discarded and requested again. */
  async refuses(message: Message | undefined, mayAskAgain: boolean): Promise<boolean> {
    if (this.#format === undefined || message === undefined) return false
    const answer = getAnswer(message)
    if (answer.trim() === '') return false
    this.#validation = await this.#format.read(answer)
    if (this.#validation.ok || this.#retryMessages !== undefined || !mayAskAgain) return false
    this.#retryMessages = [
      { role: 'assistant', content: [{ type: 'text', text: answer }] },
      { role: 'user', content: [{ type: 'text', text: correction(this.#validation.problem) }] },
    ]
    return true
  }
}

function correction(problem: string): string {
  return `Your answer was not accepted. ${problem} Give the whole answer again as one JSON value that fits the schema, and nothing else.`
}

function getAnswer({ parts }: Message): string {
  const step = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
  return step.map(part => (part.type === 'text' && part.phase !== 'remainder' ? part.text : '')).join('')
}
