import type { JsonSchema } from '@argot/core'
import type { ToolEffect } from '@argot/core/stream'
import { ToolFailure } from '../../words/tool-failure.ts'
import { checkInput } from '../schema/check-input.ts'
import type { OuterRun, Tool } from '../tool.ts'

export interface ForkCall {
  toolCallId: string
  outer: OuterRun
  signal: AbortSignal
}

export type RunFork = (task: string, call: ForkCall) => Promise<string>

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    task: {
      type: 'string',
      minLength: 1,
      maxLength: 65536,
      description: 'What the fork is to do, and what its answer should have. It knows everything up to your last step.',
      examples: ['Find out which tests fail, and list their names.'],
    },
  },
  required: ['task'],
  additionalProperties: false,
}

const description =
  'Gives a task to a copy of yourself that has the same history and the same tools, and returns its answer. Nothing else that it says or reads becomes part of this conversation. Use it for work that takes many steps and of which only the result matters.'

/** `fork`: runs a task in a copy of the conversation, in memory. Only its answer comes back. */
export function createFork(run: RunFork, effect: ToolEffect = 'exec'): Tool {
  return {
    name: 'fork',
    title: 'Run fork',
    description,
    inputSchema,
    effect,
    timeoutMs: Number.POSITIVE_INFINITY,
    validate: input => checkInput(inputSchema, input),
    async execute(input, { toolCallId, outer, signal }) {
      if (outer === undefined) throw new ToolFailure('TOOL_FAILED', 'There is no conversation to fork.')
      return { output: await run((input as { task: string }).task, { toolCallId, outer, signal }) }
    },
  }
}
