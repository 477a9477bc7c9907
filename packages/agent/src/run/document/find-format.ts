import type { JsonSchema } from '@argot/core'
import type { Resolver } from '@argot/core/chatmd'
import { type ExpandedDocument, findAttribute } from '@argot/core/chatmd/internal'
import { type AnswerFormat, createAnswerFormat } from '../../loop/answer/answer-format.ts'
import { checkInput } from '../../tool/schema/check-input.ts'
import { quoted } from '../../words/quoted.ts'
import { toMessage } from '../../words/to-message.ts'
import type { RunOptions } from '../run-options.ts'
import type { Found } from './place-of.ts'

/** The form that the answer must have, by the caller or by `<config output>`, and what is wrong with the latter. */
export async function findFormat(
  { config, configFile }: Pick<ExpandedDocument, 'config' | 'configFile'>,
  { outputSchema, outputJsonSchema }: Pick<RunOptions, 'outputSchema' | 'outputJsonSchema'>,
  { resolver, document }: { resolver: Resolver; document: string | undefined },
): Promise<{ format: AnswerFormat | undefined; problems: Found[] }> {
  if (outputSchema !== undefined) return { format: createAnswerFormat(outputSchema, outputJsonSchema), problems: [] }
  if (config?.output === undefined) return { format: undefined, problems: [] }
  const src = config.output
  const { start, end } = findAttribute(config.node.attributes, 'output')!
  const failed = (code: Found['code'], message: string, cure: string) => ({
    format: undefined,
    problems: [{ code, severity: 'error', message, cure, file: configFile, at: { start, end } } satisfies Found],
  })
  const from = configFile ?? document
  const resolved = await resolver.resolve({ kind: 'doc', src, local: true, html: 'keep', from, document })
  if (!resolved.ok)
    return failed(resolved.problem.code, resolved.problem.message, resolved.problem.cure ?? 'Correct `output`.')
  const read = readSchema('text' in resolved ? resolved.text : '')
  if ('schema' in read) return { format: createAnswerFormat(read.schema), problems: [] }
  return failed('CHATMD_BAD_SCHEMA', `${quoted(src)} is not a JSON Schema: ${read.reason}`, 'Correct the file.')
}

function readSchema(text: string): { schema: JsonSchema } | { reason: string } {
  let schema: unknown
  try {
    schema = JSON.parse(text)
  } catch (error) {
    return { reason: toMessage(error) }
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return { reason: 'it is not an object.' }
  const tried = checkInput(schema as JsonSchema, null)
  const isUnusable = !tried.ok && tried.problem.startsWith('The input cannot be checked')
  return isUnusable ? { reason: tried.problem } : { schema: schema as JsonSchema }
}
