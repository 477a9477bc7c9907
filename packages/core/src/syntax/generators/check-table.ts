import { ArgotError } from '../../source/error.ts'

/** Throws `SYNTAX_BAD_OPTION` if a table lacks one of these fields, before any of it is used. */
export function checkTable(table: object, fields: readonly string[]): void {
  const candidate: unknown = table
  const values = typeof candidate === 'object' && candidate !== null ? (candidate as Record<string, unknown>) : {}
  const missing = ['name', 'lesson', ...fields].filter(field => values[field] === undefined || values[field] === null)
  if (missing.length === 0) return
  throw new ArgotError(
    'SYNTAX_BAD_OPTION',
    `The dialect's table lacks ${missing.map(field => `\`${field}\``).join(', ')}.`,
  )
}
