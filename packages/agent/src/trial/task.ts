import type { JsonSchema } from '@argot/core'

/** A tool in a task. It lives in memory: a call looks its result up in the task and touches nothing. */
export interface TaskTool {
  name: string
  description: string
  inputSchema: JsonSchema
  /** The result of a call that the task doesn't expect. */
  output?: unknown
}

/** A call in a task, and what comes of it. */
export interface TaskCall {
  tool: string
  /** A value, or a pattern of one; see `matchesPattern`. */
  input: unknown
  output?: unknown
  /** The call fails with these words instead of giving an output. */
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
  /** The calls that the model must make. */
  calls: readonly TaskCall[]
  order: 'given' | 'any'
  /** Calls that the model may make besides those, any number of times. */
  allowed: readonly TaskCall[]
  /** Texts that the answer must contain; of a list, one is enough. */
  answer: readonly (readonly string[])[]
  maxSteps: number
  /** Identifies the content: results for another version of the task don't count. */
  digest: string
}
