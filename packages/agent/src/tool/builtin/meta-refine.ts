import type { JsonSchema } from '@argot/core'
import { defineTool } from '../define-tool.ts'
import type { Tool } from '../tool.ts'

export type RefinePrompt = (prompt: string, task: string | undefined, signal: AbortSignal) => Promise<string>

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    prompt: {
      type: 'string',
      minLength: 1,
      maxLength: 65536,
      description: 'The prompt to improve.',
      examples: ['Summarise the file.'],
    },
    task: { type: 'string', description: 'What the prompt is for.', examples: ['Release notes for users.'] },
  },
  required: ['prompt'],
  additionalProperties: false,
}

/** `meta_refine`: the run's model improves and judges a prompt. Costs up to four model calls. */
export function createMetaRefine(refine: RefinePrompt): Tool {
  return defineTool<{ prompt: string; task?: string }>({
    name: 'meta_refine',
    title: 'Refine prompt',
    description:
      'Improves a prompt for a language model: better versions are proposed and judged, and the best one is returned.',
    inputSchema,
    effect: 'read',
    timeoutMs: 600_000,
    execute: ({ prompt, task }, { signal }) => refine(prompt, task, signal),
  })
}
