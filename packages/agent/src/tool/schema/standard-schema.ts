import { ArgotError, type JsonSchema } from '@argot/core'
import { firstCharacters } from '@argot/core/stream/internal'
import { toMessage } from '../../words/to-message.ts'
import { cutOutput } from '../output/cut-output.ts'
import type { Validation } from '../tool.ts'
import { PROBLEM_BYTES } from './check-input.ts'

/** A schema of zod, valibot, arktype or any other Standard Schema library. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** The JSON Schema extension, which not every library has. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => JsonSchema } | undefined
  }
}

/** The value after defaults and transformations, or the issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export type SchemaOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output']

const ISSUES_SHOWN = 8
const ISSUE_CHARACTERS = 300

/** Tells a Standard Schema from a JSON Schema; a schema may be a function. */
export function isStandardSchema(schema: object): schema is StandardSchema {
  const standard: unknown = Reflect.get(schema, '~standard')
  return typeof standard === 'object' && standard !== null && typeof Reflect.get(standard, 'validate') === 'function'
}

/** The input's JSON Schema, for the model. Throws `TOOL_NO_JSON_SCHEMA` if the library can't generate it. */
export function readJsonSchema(schema: StandardSchema, toolName: string): JsonSchema {
  const { vendor, jsonSchema } = schema['~standard']
  if (jsonSchema === undefined) throw noJsonSchema(toolName, `${vendor} schemas don't include one`)
  let lastError: unknown
  for (const target of ['draft-07', 'draft-2020-12']) {
    try {
      const { $schema: _, ...rest } = jsonSchema.input({ target })
      return rest
    } catch (error) {
      lastError = error
    }
  }
  throw noJsonSchema(toolName, toMessage(lastError), lastError)
}

function noJsonSchema(toolName: string, reason: string, cause?: unknown): ArgotError {
  const message =
    `The tool ${toolName} has no JSON Schema for the model: ${reason}. ` +
    'Pass one in the `jsonSchema` option, next to `inputSchema`.'
  return new ArgotError('TOOL_NO_JSON_SCHEMA', message, { cause })
}

/** Checks an input with a Standard Schema. Never throws: a check that throws is a problem too. */
export function checkStandard(schema: StandardSchema, input: unknown): Validation | Promise<Validation> {
  try {
    const result = schema['~standard'].validate(input)
    return 'then' in result ? result.then(readResult, checkFailed) : readResult(result)
  } catch (error) {
    return checkFailed(error)
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

/** A path in JavaScript notation: `items[0].name`. */
function describePath(path: NonNullable<StandardIssue['path']>): string {
  let text = ''
  for (const segment of path) {
    const key = typeof segment === 'object' ? segment.key : segment
    if (typeof key === 'string' && /^[A-Za-z_$][\w$]*$/.test(key)) text += text === '' ? key : `.${key}`
    else text += `[${typeof key === 'symbol' ? String(key) : JSON.stringify(key)}]`
  }
  return text
}

function checkFailed(error: unknown): Validation {
  const reason = toMessage(error)
  return { ok: false, problem: cutOutput(`The input could not be checked: ${reason}`, PROBLEM_BYTES) }
}
