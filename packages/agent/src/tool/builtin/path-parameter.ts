import type { JsonSchema } from '@argot/core'

export function fileParameter(what: string, example: string): JsonSchema {
  const description = `${what}, relative to the working folder or absolute.`
  return { type: 'string', minLength: 1, description, examples: [example] }
}

export function placeParameter(what: string): JsonSchema {
  const description = `${what}, relative to the working folder or absolute; the working folder if left out.`
  return { type: 'string', description, examples: ['.'] }
}
