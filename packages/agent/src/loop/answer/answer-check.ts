import type { LanguageModelV3Message } from '@ai-sdk/provider'
import type { Message } from '@argot/core'
import type { Validation } from '../../tool/tool.ts'
import type { AnswerFormat } from './answer-format.ts'
import type { AnswerProblem } from './answer-problem.ts'

/** Reads a run's final answer in the requested format, and has the model asked again if it doesn't match. */
export class AnswerCheck {
  readonly #format: AnswerFormat | undefined
  #last: Validation | undefined
  #again: LanguageModelV3Message[] | undefined

  constructor(format: AnswerFormat | undefined) {
    this.#format = format
  }

  /** The last answer's value. Undefined if it doesn't match the format. */
  get output(): unknown {
    return this.#last?.ok === true ? this.#last.input : undefined
  }

  /** Sent to the model after the conversation once its answer was rejected. */
  get again(): readonly LanguageModelV3Message[] {
    return this.#again ?? []
  }

  /** What is wrong with the last answer, for people. */
  get problem(): AnswerProblem | undefined {
    if (this.#last === undefined || this.#last.ok) return undefined
    const error = `The answer does not fit the schema that was asked for: ${this.#last.problem}`
    return { code: 'RUN_BAD_OUTPUT', error }
  }

  /** Reads an answer. True if the answer is to be discarded and requested again, which happens at most once. */
  async refuses(message: Message | undefined, mayAskAgain: boolean): Promise<boolean> {
    if (this.#format === undefined || message === undefined) return false
    const answer = getAnswer(message)
    if (answer.trim() === '') return false
    this.#last = await this.#format.read(answer)
    if (this.#last.ok || this.#again !== undefined || !mayAskAgain) return false
    this.#again = [
      { role: 'assistant', content: [{ type: 'text', text: answer }] },
      { role: 'user', content: [{ type: 'text', text: correction(this.#last.problem) }] },
    ]
    return true
  }
}

function correction(problem: string): string {
  return `Your answer was not accepted. ${problem} Give the whole answer again as one JSON value that fits the schema, and nothing else.`
}

/** The text of the last step that is meant for the user. */
function getAnswer({ parts }: Message): string {
  const step = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
  return step.map(part => (part.type === 'text' && part.phase !== 'remainder' ? part.text : '')).join('')
}
