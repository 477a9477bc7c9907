import type { JsonDialect } from '../generators/tables.ts'

/** The keys that most models give the object of a call. */
export const usualKeys: JsonDialect['keys'] = {
  name: ['name'],
  arguments: ['arguments', 'parameters'],
  id: ['id', 'call_id', 'tool_call_id'],
  ignored: ['type'],
}

/** `<think>`, also within a line. */
export const think = [{ open: '<think>', close: '</think>' }] as const
