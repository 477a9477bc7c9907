import type { ClientOutput } from '@argot/agent/internal'
import { questionTool } from '@argot/core/stream/internal'

/** A call of a tool that runs outside. */
interface CallOutside {
  toolName: string
  input?: unknown
}

/** A question of the model to the person. */
export interface AskedQuestion {
  question: string
  options: string[]
}

/** What `ask_user` asks; undefined for the call of any other tool. Its input fits the schema of the tool by then. */
export function readQuestion({ toolName, input }: CallOutside): AskedQuestion | undefined {
  if (toolName !== questionTool || typeof input !== 'object' || input === null) return undefined
  const { question, options } = input as { question?: unknown; options?: unknown }
  if (typeof question !== 'string') return undefined
  const texts = Array.isArray(options) ? options.filter(option => typeof option === 'string') : []
  return { question, options: [...new Set(texts)] }
}

/** What a person typed for a call: the answer to a question as it is, the result of another tool as JSON where it is JSON. */
export function toOutput(call: CallOutside, typed: string): ClientOutput {
  if (readQuestion(call) !== undefined) return { output: typed }
  try {
    return { output: JSON.parse(typed) as unknown }
  } catch {
    return { output: typed }
  }
}
