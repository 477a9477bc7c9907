import type { JsonSchema } from '@argot/core'
import type { Resolver } from '@argot/core/chatmd'
import { type ExpandedDocument, findAttribute } from '@argot/core/chatmd/internal'
import { type AnswerFormat, createAnswerFormat } from '../../loop/answer/answer-format.ts'
import { checkInput } from '../../tool/schema/check-input.ts'
import { quoted } from '../../words/quoted.ts'
import { toMessage } from '../../words/to-message.ts'
import type { RunOptions } from '../run-options.ts'
import type { RangeProblem } from './range-problem.ts'

/** The answer's format from the caller or from `<config output>`, and what is wrong with the latter. */
export async function findFormat(
  { config, configFile }: Pick<ExpandedDocument, 'config' | 'configFile'>,
  { outputSchema, outputJsonSchema }: Pick<RunOptions, 'outputSchema' | 'outputJsonSchema'>,
  { resolver, document }: { resolver: Resolver; document: string | undefined },
): Promise<{ format: AnswerFormat | undefined; problems: RangeProblem[] }> {
  if (outputSchema !== undefined) return { format: createAnswerFormat(outputSchema, outputJsonSchema), problems: [] }
  if (config?.output === undefined) return { format: undefined, problems: [] }
  const src = config.output
  const { start, end } = findAttribute(config.node.attributes, 'output')!
  const failed = (code: RangeProblem['code'], message: string, cure: string) => ({
    format: undefined,
    problems: [{ code, severity: 'error', message, cure, file: configFile, at: { start, end } } satisfies RangeProblem],
  })
  const from = configFile ?? document
  const resolved = await resolver.resolve({ kind: 'doc', src, local: true, html: 'keep', from, document })
  if (!resolved.ok)
    return failed(resolved.problem.code, resolved.problem.message, resolved.problem.cure ?? 'Correct `output`.')
  const result = readSchema('text' in resolved ? resolved.text : '')
  if ('schema' in result) return { format: createAnswerFormat(result.schema), problems: [] }
  return failed('CHATMD_BAD_SCHEMA', `${quoted(src)} is not a JSON Schema: ${result.reason}`, 'Correct the file.')
}

function readSchema(text: string): { schema: JsonSchema } | { reason: string } {
  let schema: unknown
  try {
    schema = JSON.parse(text)
  } catch (error) {
    return { reason: toMessage(error) }
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return { reason: 'it is not an object.' }
  const trial = checkInput(schema as JsonSchema, null)
  const isUnusable = !trial.ok && trial.problem.startsWith('The input cannot be checked')
  return isUnusable ? { reason: trial.problem } : { schema: schema as JsonSchema }
}
