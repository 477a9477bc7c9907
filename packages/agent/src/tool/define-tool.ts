import { ArgotError, type JsonSchema } from '@argot/core'
import type { ToolEffect } from '@argot/core/stream'
import { defined } from '@argot/core/stream/internal'
import { ToolFailure } from '../words/tool-failure.ts'
import type { ForeseenChange } from './foreseen-change.ts'
import { limitPreviews } from './output/limit-previews.ts'
import { checkInput } from './schema/check-input.ts'
import {
  checkStandard,
  isStandardSchema,
  readJsonSchema,
  type SchemaOutput,
  type StandardSchema,
} from './schema/standard-schema.ts'
import type { Subject } from './subject.ts'
import type { Tool, ToolContext, ToolOutcome } from './tool.ts'

export interface ToolOptions<Input> {
  /** Letters, digits, `_`, `.` and `-`, at most 64. */
  name: string
  title?: string
  description: string
  /** `write` by default: an unknown tool may change something. */
  effect?: ToolEffect
  timeoutMs?: number
  /** What a call is about, so that rules such as `deploy(staging/**)` can match it. Must not throw. */
  subject?(input: Input): Subject
  /** What a call would change, for the person who approves it. Must not change anything. */
  foresee?(input: Input, signal: AbortSignal): Promise<readonly ForeseenChange[]>
  /**
   * Returns the output for the model: text, or any JSON value; nothing becomes `Done.`. `withDetails` adds something
   * for the user interface. A generator shows what it yields, and ends with what it returns or with its last yield. A
   * tool without `execute` is a client tool: its output comes from outside, through the run's `giveOutput`.
   */
  execute?(input: Input, context: ToolContext): unknown
}

/** A tool whose input is checked and typed by a Standard Schema. */
export interface StandardToolOptions<Schema extends StandardSchema> extends ToolOptions<SchemaOutput<Schema>> {
  inputSchema: Schema
  /** For a schema that can't convert itself to JSON Schema. It is sent to the model and checks nothing. */
  jsonSchema?: JsonSchema
}

/** A tool whose input is checked by a JSON Schema; declare its type yourself, or it is `unknown`. */
export interface JsonToolOptions<Input> extends ToolOptions<Input> {
  inputSchema: JsonSchema
}

export interface BuiltinOptions<Input> {
  /** See `Tool`. */
  aliasOf?: string | undefined
  /** See `Tool`. */
  mustAsk?(input: Input): Promise<string | undefined>
  /** Converts what models write in other ways to the form that the schema checks. Must not throw. */
  reshape?(input: unknown): unknown
}

/** Creates a tool from a schema and a function. Throws `TOOL_BAD_NAME` and `TOOL_NO_JSON_SCHEMA`. */
export function defineTool<Schema extends StandardSchema>(options: StandardToolOptions<Schema>): Tool
export function defineTool<Input = unknown>(options: JsonToolOptions<Input>): Tool
export function defineTool(options: AnyToolOptions): Tool {
  return buildTool(options, {})
}

/** `defineTool` for this package's own tools. */
export function defineBuiltinTool<Input>(options: JsonToolOptions<Input>, builtin: BuiltinOptions<Input>): Tool {
  return buildTool(options, builtin)
}

function buildTool(options: AnyToolOptions, builtin: BuiltinOptions<unknown>): Tool {
  const { name, title, description, effect = 'write', timeoutMs, subject, foresee } = options
  const { aliasOf, mustAsk, reshape = input => input } = builtin
  checkToolName(name)
  return markTool({
    name,
    ...defined({ aliasOf, title }),
    description,
    effect,
    ...defined({ timeoutMs, mustAsk, subject, foresee, client: options.execute === undefined ? true : undefined }),
    ...readSchema(options, reshape),
    execute: async (input, callContext) => {
      const { toolCallId, idempotencyKey } = callContext
      const context: ToolContext = {
        toolCallId,
        idempotencyKey,
        // Not copied: the signal is created when a tool asks for it.
        get signal() {
          return callContext.signal
        },
        preview: limitPreviews(callContext.preview),
        ...defined({ keepFiles: callContext.keepFiles }),
      }
      if (options.execute === undefined) {
        throw new ToolFailure('TOOL_FAILED', `No one can provide the output of ${name}.`)
      }
      return toOutcome(name, await awaitResult(name, options.execute(input, context), context))
    },
  })
}

type AnyToolOptions = StandardToolOptions<StandardSchema> | JsonToolOptions<unknown>

const toolMark = Symbol.for('argot.tool')

function markTool(tool: Tool): Tool {
  return Object.defineProperty(tool, toolMark, { value: true })
}

/** True for everything that `defineTool` created, in any copy of this package. */
export function isDefinedTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[toolMark] === true
}

const detailsMark = Symbol.for('argot.with-details')

/** All copies of this package recognize it by a shared mark. */
class WithDetails {
  readonly output: unknown
  readonly details: unknown

  constructor(output: unknown, details: unknown) {
    this.output = output
    this.details = details
    Object.defineProperty(this, detailsMark, { value: true })
  }
}

export type { WithDetails }

/** For a return value of `execute`: the model gets `output`, the user interface also gets `details`. */
export function withDetails(output: unknown, details: unknown): WithDetails {
  return new WithDetails(output, details)
}

/** Throws `TOOL_BAD_NAME` unless every provider and every syntax supports the name. */
export function checkToolName(name: string): void {
  if (/^[A-Za-z0-9_.-]{1,64}$/.test(name)) return
  const message = `${JSON.stringify(name)} is not a valid tool name: use 1 to 64 letters, digits, "_", "." and "-".`
  throw new ArgotError('TOOL_BAD_NAME', message)
}

function readSchema(
  options: AnyToolOptions,
  reshape: (input: unknown) => unknown,
): Pick<Tool, 'inputSchema' | 'validate'> {
  const { name, inputSchema: schema } = options
  if (!isStandardSchema(schema)) return { inputSchema: schema, validate: input => checkInput(schema, reshape(input)) }
  const jsonSchema = 'jsonSchema' in options ? options.jsonSchema : undefined
  return {
    inputSchema: jsonSchema ?? readJsonSchema(schema, name),
    validate: input => checkStandard(schema, input),
  }
}

async function awaitResult(name: string, value: unknown, context: ToolContext): Promise<unknown> {
  const result = await value
  if (!isGenerator(result)) return result
  let lastYield: unknown
  for (;;) {
    const step = await result.next()
    if (step.done === true) return step.value === undefined ? lastYield : step.value
    lastYield = step.value
    try {
      context.signal.throwIfAborted()
      context.preview(toOutcome(name, lastYield).output)
    } catch (error) {
      await result.return(undefined)
      throw error
    }
  }
}

type Steps = Generator<unknown, unknown, undefined> | AsyncGenerator<unknown, unknown, undefined>

function isGenerator(value: unknown): value is Steps {
  if (typeof value !== 'object' || value === null) return false
  if (!(Symbol.asyncIterator in value) && !(Symbol.iterator in value)) return false
  return 'next' in value && typeof value.next === 'function' && 'return' in value && typeof value.return === 'function'
}

function isDetailed(value: unknown): value is WithDetails {
  return Object(value)[detailsMark] === true
}

function toOutcome(name: string, result: unknown): ToolOutcome {
  if (!isDetailed(result)) return { output: toJson(name, result) }
  const output = toJson(name, result.output)
  return result.details === undefined ? { output } : { output, details: toJson(name, result.details) }
}

/** A copy that is certainly JSON, and that the tool can't change later. */
function toJson(name: string, value: unknown): unknown {
  if (value === undefined) return 'Done.'
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  let cause: unknown
  try {
    const text: string | undefined = JSON.stringify(value)
    if (text !== undefined) return JSON.parse(text)
  } catch (error) {
    cause = error
  }
  const reason = cause instanceof Error ? cause.message : `it is a ${typeof value}`
  const message = `The tool ${name} ran, but returned something that JSON can't represent: ${reason}`
  throw new ToolFailure('TOOL_BAD_OUTPUT', message, { cause })
}
