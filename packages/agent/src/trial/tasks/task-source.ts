import type { JsonSchema } from '@argot/core'
import type { TaskCall, TaskTool } from '../task.ts'

/** A task as a file contains it, before its category is added. */
export interface TaskSource {
  name: string
  prompt: string
  tools: readonly TaskTool[]
  calls: readonly TaskCall[]
  order?: 'any'
  answer?: readonly (string | readonly string[])[]
}

/** A tool whose parameters are all required and which accepts no others. */
export function tool(
  name: string,
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  output?: unknown,
): TaskTool {
  const inputSchema = { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
  return { name, description, inputSchema, ...(output === undefined ? {} : { output }) }
}

export const text = (description: string): JsonSchema => ({ type: 'string', description })
export const number = (description: string): JsonSchema => ({ type: 'number', description })
export const whole = (description: string): JsonSchema => ({ type: 'integer', description })
export const flag = (description: string): JsonSchema => ({ type: 'boolean', description })
export const list = (items: JsonSchema, description: string): JsonSchema => ({ type: 'array', items, description })
export const choice = (values: readonly string[], description: string): JsonSchema => ({
  type: 'string',
  enum: values,
  description,
})
export const record = (properties: Readonly<Record<string, JsonSchema>>, description: string): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  description,
})
