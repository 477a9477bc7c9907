import type { JsonSchema } from '@argot/core'

/** The parameter of a tool that names a file: what it is for, and an example. */
export function fileParameter(what: string, example: string): JsonSchema {
  const description = `${what}, relative to the working folder or absolute.`
  return { type: 'string', minLength: 1, description, examples: [example] }
}

/** The parameter of a tool that names a place to look in, and may be left out. */
export function placeParameter(what: string): JsonSchema {
  const description = `${what}, relative to the working folder or absolute; the working folder if left out.`
  return { type: 'string', description, examples: ['.'] }
}
