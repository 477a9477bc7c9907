import { ArgotError, type JsonSchema } from '@argot/core'
import { firstCharacters } from '@argot/core/stream/internal'
import { toMessage } from '../../words/message-of.ts'
import { cutOutput } from '../output/cut-output.ts'
import type { Validation } from '../tool.ts'
import { PROBLEM_BYTES } from './check-input.ts'

/** A schema of any library that keeps Standard Schema (zod, valibot, arktype): it checks a value and knows its type. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** The extension for JSON Schema, which not every library has. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => JsonSchema } | undefined
  }
}

/** The value as the schema gives it, with defaults and transformations, or what is wrong. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One thing that is wrong, and where. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The type of what a schema gives after its check. */
export type OutputOf<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output']

const ISSUES_SHOWN = 8
const ISSUE_CHARACTERS = 300

/** Says whether this is a Standard Schema rather than a JSON Schema; a schema may be a function. */
export function isStandardSchema(schema: object): schema is StandardSchema {
  const standard: unknown = Reflect.get(schema, '~standard')
  return typeof standard === 'object' && standard !== null && typeof Reflect.get(standard, 'validate') === 'function'
}

/** The JSON Schema of the input, for the model. Throws `TOOL_NO_JSON_SCHEMA` where the library cannot write it. */
export function readJsonSchema(schema: StandardSchema, toolName: string): JsonSchema {
  const { vendor, jsonSchema } = schema['~standard']
  if (jsonSchema === undefined) throw noJsonSchema(toolName, `schemas of ${vendor} do not carry it`)
  let last: unknown
  for (const target of ['draft-07', 'draft-2020-12']) {
    try {
      const { $schema: _, ...rest } = jsonSchema.input({ target })
      return rest
    } catch (error) {
      last = error
    }
  }
  throw noJsonSchema(toolName, toMessage(last), last)
}

function noJsonSchema(toolName: string, reason: string, cause?: unknown): ArgotError {
  const message =
    `The tool ${toolName} has no JSON Schema for the model: ${reason}. ` +
    'Give one in the option `jsonSchema`, beside `inputSchema`.'
  return new ArgotError('TOOL_NO_JSON_SCHEMA', message, { cause })
}

/** Checks an input by a Standard Schema. Never throws: a check that fails by itself is a problem too. */
export function checkStandard(schema: StandardSchema, input: unknown): Validation | Promise<Validation> {
  try {
    const result = schema['~standard'].validate(input)
    return 'then' in result ? result.then(readResult, failedCheck) : readResult(result)
  } catch (error) {
    return failedCheck(error)
  }
}

function readResult(result: StandardResult<unknown>): Validation {
  if (result.issues === undefined) return { ok: true, input: result.value }
  const lines = result.issues.slice(0, ISSUES_SHOWN).map(describeIssue)
  const more = result.issues.length - lines.length
  if (more > 0) lines.push(`and ${more} more`)
  return { ok: false, problem: cutOutput(`The input is not what the tool takes: ${lines.join('; ')}.`, PROBLEM_BYTES) }
}

function describeIssue({ message, path = [] }: StandardIssue): string {
  const text = firstCharacters(message, ISSUE_CHARACTERS).replace(/\.$/, '')
  return path.length === 0 ? text : `\`${describePath(path)}\`: ${text}`
}

/** The way to a value as JavaScript writes it: `items[0].name`. */
function describePath(path: NonNullable<StandardIssue['path']>): string {
  let text = ''
  for (const segment of path) {
    const key = typeof segment === 'object' ? segment.key : segment
    if (typeof key === 'string' && /^[A-Za-z_$][\w$]*$/.test(key)) text += text === '' ? key : `.${key}`
    else text += `[${typeof key === 'symbol' ? String(key) : JSON.stringify(key)}]`
  }
  return text
}

function failedCheck(error: unknown): Validation {
  const reason = toMessage(error)
  return { ok: false, problem: cutOutput(`The input could not be checked: ${reason}`, PROBLEM_BYTES) }
}
