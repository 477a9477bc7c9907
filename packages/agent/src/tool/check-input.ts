import { Validator } from '@cfworker/json-schema'
import type { JsonSchema } from 'argot'
import type { Validation } from './tool.ts'

/** Temporary stand-in: the branch `filetools` has the real one. Checks an input against a JSON Schema. */
export function checkInput(schema: JsonSchema, input: unknown): Validation {
  const { valid, errors } = new Validator(schema as object, '2020-12').validate(input)
  if (valid) return { ok: true, input }
  return { ok: false, problem: errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`).join(' ') }
}
