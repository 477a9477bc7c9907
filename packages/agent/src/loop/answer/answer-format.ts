import { ArgotError, type JsonSchema } from '@argot/core'
import { checkInput } from '../../tool/schema/check-input.ts'
import {
  checkStandard,
  isStandardSchema,
  readJsonSchema,
  type StandardSchema,
} from '../../tool/schema/standard-schema.ts'
import type { Validation } from '../../tool/tool.ts'

export interface AnswerFormat {
  /** As sent to the model. */
  schema: JsonSchema
  /** Instructions for the model, sent as a separate system message. */
  lesson: string
  /** The answer's value, or what is wrong with it, worded for the model. Never rejects. */
  read(answer: string): Promise<Validation>
}

/** Throws `TOOL_NO_JSON_SCHEMA` if the schema's library can't write it as JSON Schema. */
export function createAnswerFormat(
  outputSchema: StandardSchema | JsonSchema,
  explicitSchema?: JsonSchema,
): AnswerFormat {
  const isStandard = isStandardSchema(outputSchema)
  const schema = explicitSchema ?? (isStandard ? readAnswerSchema(outputSchema) : outputSchema)
  return {
    schema,
    lesson: `When you have what you need, give your final answer as one JSON value that fits the JSON Schema below, and as nothing else: no text before or after it, and no code fence.\n\n${JSON.stringify(schema)}`,
    async read(answer) {
      const value = readJson(answer)
      if (value === undefined) return { ok: false, problem: 'The answer is not a single JSON value.' }
      const validation = await (isStandard
        ? checkStandard(outputSchema, value.json)
        : checkInput(outputSchema, value.json))
      if (validation.ok) return validation
      const problem = validation.problem.replace(/^The input is not what the tool takes: /, '')
      return { ok: false, problem: problem.replace(/^The input\b/, 'The answer') }
    },
  }
}

function readAnswerSchema(schema: StandardSchema): JsonSchema {
  try {
    return readJsonSchema(schema, 'outputSchema')
  } catch (error) {
    if (!(error instanceof ArgotError)) throw error
    const message = `\`outputSchema\` can't be converted to JSON Schema for the model. Pass a JSON Schema in the \`outputJsonSchema\` option as well.`
    throw new ArgotError(error.code, message, { cause: error })
  }
}

/** Reads a text that is JSON, or JSON surrounded only by words and a code fence. */
function readJson(text: string): { json: unknown } | undefined {
  const whole = text.trim()
  const fenced = /^```[^\n`]*\n([\s\S]*?)\n?```$/.exec(whole)?.[1]
  const from = whole.search(/[[{]/)
  const to = Math.max(whole.lastIndexOf('}'), whole.lastIndexOf(']'))
  const inside = from >= 0 && to > from ? whole.slice(from, to + 1) : undefined
  for (const candidate of [whole, fenced, inside]) {
    if (candidate === undefined) continue
    try {
      return { json: JSON.parse(candidate) }
    } catch {
      // The next one may be JSON.
    }
  }
  return undefined
}
