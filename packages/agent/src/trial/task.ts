import type { JsonSchema } from '@argot/core'

/** A tool in a task. It lives in memory: a call looks up its result in the task and has no side effects. */
export interface TaskTool {
  name: string
  description: string
  inputSchema: JsonSchema
  /** The result of a call that the task doesn't expect. */
  output?: unknown
}

export interface TaskCall {
  tool: string
  /** A value, or a pattern; see `matchesPattern`. */
  input: unknown
  output?: unknown
  /** The call fails with this message instead of returning an output. */
  error?: string
}

/** A small piece of work for a model, with everything that a program needs to check the result. */
export interface Task {
  /** Unique in a trial. */
  name: string
  category: string
  system: string | undefined
  prompt: string
  tools: readonly TaskTool[]
  calls: readonly TaskCall[]
  order: 'given' | 'any'
  /** Additional calls that the model may make, any number of times. */
  allowed: readonly TaskCall[]
  /** Texts that the answer must contain; one text of each inner list is enough. */
  answer: readonly (readonly string[])[]
  maxSteps: number
  /** Identifies the content: results for another version of the task don't count. */
  digest: string
}
