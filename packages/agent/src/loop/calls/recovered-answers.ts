import { isDeepStrictEqual } from 'node:util'
import { defined } from '@argot/core/stream/internal'
import type { RecoveredAnswer } from '../../transcript/replay-run.ts'
import type { CallOutcome } from './execute-call.ts'

/**
 * Tool results from a step that died with its process and is repeated. The same call gets the same result without
 * running its tool again. Each result is used once.
 */
export class RecoveredAnswers {
  readonly #answers: Map<string, RecoveredAnswer[]> = new Map()

  constructor(answers: readonly RecoveredAnswer[]) {
    for (const answer of answers) {
      const same = this.#answers.get(answer.toolName)
      if (same === undefined) this.#answers.set(answer.toolName, [answer])
      else same.push(answer)
    }
  }

  take(toolName: string, input: unknown): CallOutcome | undefined {
    const answers = this.#answers.get(toolName) ?? []
    const index = answers.findIndex(answer => isDeepStrictEqual(answer.input, input))
    const match = index < 0 ? undefined : answers.splice(index, 1)[0]
    if (match === undefined) return undefined
    const { output, details } = match
    return { type: 'output', output, ...defined({ details }) }
  }
}
