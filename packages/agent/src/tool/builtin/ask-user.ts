import type { JsonSchema } from '@argot/core'
import { questionTool } from '@argot/core/stream/internal'
import { defineTool } from '../define-tool.ts'
import type { Tool } from '../tool.ts'

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    question: {
      type: 'string',
      minLength: 1,
      description: 'What you want to know, in one sentence.',
      examples: ['Which colour should it have?'],
    },
    options: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      maxItems: 12,
      description: 'Answers to choose from, where there are some. The user may always answer something else.',
      examples: [['red', 'blue']],
    },
  },
  required: ['question'],
  additionalProperties: false,
}

/** The run waits for the answer as it waits for an approval. */
export function createAskUser(): Tool {
  return defineTool<{ question: string; options?: string[] }>({
    name: questionTool,
    title: 'Ask',
    description: 'Asks the user a question and gives you the answer. Use it when you cannot decide something yourself.',
    inputSchema,
    effect: 'read',
    timeoutMs: Number.POSITIVE_INFINITY,
  })
}
