import type { JsonSchema } from '@argot/core'

/** A text that can't be empty. */
export function textParameter(description: string, maxLength: number, example: string): JsonSchema {
  return { type: 'string', minLength: 1, maxLength, description, examples: [example] }
}
