import type { JsonSchema } from '@argot/core'
import type { DocumentParameter } from '@argot/core/chatmd/internal'
import { defined } from '@argot/core/stream/internal'

export interface AgentInput {
  inputSchema: JsonSchema
  /** What a call passes to the document: a user message if it takes one, and values of its parameters. */
  read(input: unknown): { message: string | undefined; params: Record<string, string> | undefined }
}

const task = { type: 'string', description: 'What the agent is to do, with everything it needs to know.' } as const

/**
 * The input of a document as a tool. Parameters are texts; those with a default are optional. A document that waits for
 * a user message, or has no parameters, takes the message as `input`.
 */
export function agentInput(params: readonly DocumentParameter[] | undefined, waitsForMessage: boolean): AgentInput {
  const declared = params ?? []
  const takesMessage = (declared.length === 0 || waitsForMessage) && !declared.some(({ name }) => name === 'input')
  const properties = declared.map(({ name, default: defaultValue }): [string, JsonSchema] => [
    name,
    { type: 'string', ...defined({ default: defaultValue }) },
  ])
  const required = declared.filter(one => one.default === undefined).map(({ name }) => name)
  return {
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(takesMessage ? [['input', task], ...properties] : properties),
      required: takesMessage ? ['input', ...required] : required,
      additionalProperties: false,
    },
    read(input) {
      const entries = Object.entries(input as Record<string, string>)
      const values = entries.filter(([name]) => !takesMessage || name !== 'input')
      return {
        message: takesMessage ? entries.find(([name]) => name === 'input')?.[1] : undefined,
        params: declared.length === 0 ? undefined : Object.fromEntries(values),
      }
    },
  }
}
