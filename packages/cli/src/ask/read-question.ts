import type { ClientOutput } from '@argot/agent/internal'
import { questionTool } from '@argot/core/stream/internal'

interface ClientToolCall {
  toolName: string
  input?: unknown
}

export interface UserQuestion {
  question: string
  options: string[]
}

/**
 * The question of an `ask_user` call; undefined for other tools. The input was already checked against the tool's
 * schema.
 */
export function readQuestion({ toolName, input }: ClientToolCall): UserQuestion | undefined {
  if (toolName !== questionTool || typeof input !== 'object' || input === null) return undefined
  const { question, options } = input as { question?: unknown; options?: unknown }
  if (typeof question !== 'string') return undefined
  const texts = Array.isArray(options) ? options.filter(option => typeof option === 'string') : []
  return { question, options: [...new Set(texts)] }
}

/** Converts typed text to an output: unchanged for a question, parsed for other tools if it is valid JSON. */
export function toOutput(call: ClientToolCall, text: string): ClientOutput {
  if (readQuestion(call) !== undefined) return { output: text }
  try {
    return { output: JSON.parse(text) as unknown }
  } catch {
    return { output: text }
  }
}
