import type { ToolDefinition } from '@argot/core'
import { defined, isRecord } from '@argot/core/stream/internal'
import { Problem } from '../../guard/problem.ts'

export type Fields = Readonly<Record<string, unknown>>

export function cannotTranslate(field: string, reason = 'The proxy has no translation for it.'): Problem {
  return new Problem(400, 'PROXY_CANNOT_TRANSLATE', `\`${field}\` can't be sent to the upstream. ${reason}`, {
    more: { param: field },
  })
}

export function badField(field: string, expected: string): Problem {
  return new Problem(400, 'SERVER_BAD_BODY', `\`${field}\` must be ${expected}.`, { more: { param: field } })
}

/** Throws on the first unknown field. A null field is treated as absent. */
export function checkFields(body: Fields, allowed: ReadonlySet<string>, within = ''): void {
  for (const [name, value] of Object.entries(body)) {
    if (value !== undefined && value !== null && !allowed.has(name))
      throw cannotTranslate(`${within}${name.slice(0, 100)}`)
  }
}

export function readModel({ model }: Fields): string {
  if (typeof model === 'string' && model !== '') return model
  throw badField('model', 'the name of a model')
}

export function readList(value: unknown, field: string): Fields[] {
  if (!Array.isArray(value)) throw badField(field, 'a list')
  for (const [index, item] of value.entries()) if (!isRecord(item)) throw badField(`${field}.${index}`, 'an object')
  return value as Fields[]
}

export function readTool(name: unknown, description: unknown, schema: unknown, field: string): ToolDefinition {
  if (typeof name !== 'string' || name === '') throw badField(`${field}.name`, 'the name of a tool')
  const isSchema =
    schema === undefined || schema === null || (isRecord(schema) && !('_def' in schema) && !('jsonSchema' in schema))
  if (!isSchema) throw badField(`${field}`, 'a tool with a JSON Schema')
  const inputSchema = isRecord(schema) ? (schema as ToolDefinition['inputSchema']) : {}
  return { name, inputSchema, ...defined({ description: typeof description === 'string' ? description : undefined }) }
}

export function toChatTool({ name, description, inputSchema }: ToolDefinition): Record<string, unknown> {
  return { type: 'function', function: { name, ...defined({ description }), parameters: inputSchema } }
}
