import type { JsonDialect } from '../generators/tables.ts'

/** The keys most models use for a call's object. */
export const usualKeys: JsonDialect['keys'] = {
  name: ['name'],
  arguments: ['arguments', 'parameters'],
  id: ['id', 'call_id', 'tool_call_id'],
  ignored: ['type'],
}

/** `<think>`, also in the middle of a line. */
export const think = [{ open: '<think>', close: '</think>' }] as const
