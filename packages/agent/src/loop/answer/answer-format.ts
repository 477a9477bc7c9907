import { ArgotError, type JsonSchema } from '@argot/core'
import { checkInput } from '../../tool/schema/check-input.ts'
import {
  checkStandard,
  isStandardSchema,
  readJsonSchema,
  type StandardSchema,
} from '../../tool/schema/standard-schema.ts'
import type { Validation } from '../../tool/tool.ts'

/** The form that the final answer of a run must have: JSON that fits a schema. */
export interface AnswerFormat {
  /** As the model is told about it. */
  schema: JsonSchema
  /** What the model is told, in a system message of its own. */
  lesson: string
  /** The value that an answer holds, or what is wrong with it, for the model. Never rejects. */
  read(answer: string): Promise<Validation>
}

/** Makes the form of a schema. Throws `TOOL_NO_JSON_SCHEMA` where its library cannot write it as JSON Schema. */
export function createAnswerFormat(outputSchema: StandardSchema | JsonSchema, given?: JsonSchema): AnswerFormat {
  const isStandard = isStandardSchema(outputSchema)
  const schema = given ?? (isStandard ? readAnswerSchema(outputSchema) : outputSchema)
  return {
    schema,
    lesson: `When you have what you need, give your final answer as one JSON value that fits the JSON Schema below, and as nothing else: no text before or after it, and no code fence.\n\n${JSON.stringify(schema)}`,
    async read(answer) {
      const value = readJson(answer)
      if (value === undefined) return { ok: false, problem: 'The answer is not one JSON value.' }
      const checked = await (isStandard
        ? checkStandard(outputSchema, value.json)
        : checkInput(outputSchema, value.json))
      if (checked.ok) return checked
      const problem = checked.problem.replace(/^The input is not what the tool takes: /, '')
      return { ok: false, problem: problem.replace(/^The input\b/, 'The answer') }
    },
  }
}

function readAnswerSchema(schema: StandardSchema): JsonSchema {
  try {
    return readJsonSchema(schema, 'outputSchema')
  } catch (error) {
    if (!(error instanceof ArgotError)) throw error
    const message = `\`outputSchema\` cannot be written as JSON Schema for the model. Give that in the option \`outputJsonSchema\`, beside it.`
    throw new ArgotError(error.code, message, { cause: error })
  }
}

/** The JSON that a text is, or that is all there is in it besides words and a code fence around it. */
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
      // The next one may be it.
    }
  }
  return undefined
}
