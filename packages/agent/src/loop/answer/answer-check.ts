import type { LanguageModelV3Message } from '@ai-sdk/provider'
import type { Message } from '@argot/core'
import type { Validation } from '../../tool/tool.ts'
import type { AnswerFormat } from './answer-format.ts'
import type { AnswerProblem } from './answer-problem.ts'

/** Reads the final answer of a run in the form that is wanted, and asks for it again where it is not. */
export class AnswerCheck {
  readonly #format: AnswerFormat | undefined
  #last: Validation | undefined
  #again: LanguageModelV3Message[] | undefined

  constructor(format: AnswerFormat | undefined) {
    this.#format = format
  }

  /** The value of the last answer, where it is what is wanted. */
  get output(): unknown {
    return this.#last?.ok === true ? this.#last.input : undefined
  }

  /** What the model is told after the conversation once its answer was not taken. */
  get again(): readonly LanguageModelV3Message[] {
    return this.#again ?? []
  }

  /** What is wrong with the last answer, for people. */
  get problem(): AnswerProblem | undefined {
    if (this.#last === undefined || this.#last.ok) return undefined
    const error = `The answer does not fit the schema that was asked for: ${this.#last.problem}`
    return { code: 'RUN_BAD_OUTPUT', error }
  }

  /** Reads an answer. True if it is to be taken back and asked for again, which happens once. */
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

/** What the last step says to whoever asked. */
function getAnswer({ parts }: Message): string {
  const step = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
  return step.map(part => (part.type === 'text' && part.phase !== 'remainder' ? part.text : '')).join('')
}
