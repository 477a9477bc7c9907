import type { Dialect } from '../generators/dialect.ts'
import { jsonDialect } from '../generators/json-dialect.ts'
import type { JsonDialect } from '../generators/tables.ts'

/**
 * Mistral: a token, then the name and the arguments, or (older models) a list of objects.
 *
 *     [TOOL_CALLS]read_file[ARGS]{"path": "src/lib.rs"}
 *     [TOOL_CALLS]read_file{"path": "src/lib.rs"}
 *     [TOOL_CALLS]read_file[CALL_ID]VvvODy9mT[ARGS]{"path": "src/lib.rs"}
 *     [TOOL_CALLS][{"name": "read_file", "arguments": {"path": "src/lib.rs"}, "id": "VvvODy9mT"}]
 */
const table: JsonDialect = {
  name: 'mistral',
  open: [
    '[TOOL_CALLS]',
    '[TOOL_CALLS]\n{name}',
    '[TOOL_CALLS]\n{name}\n[ARGS]',
    '[TOOL_CALLS]\n{name}\n[CALL_ID]\n{id}\n[ARGS]',
  ],
  close: '',
  keys: { name: ['name'], arguments: ['arguments', 'parameters'], id: ['id', 'call_id'], ignored: ['type'] },
  reasoning: [{ open: '[THINK]', close: '[/THINK]' }],
  silent: ['</s>'],
  stop: ['[TOOL_RESULTS]'],
  write: '[TOOL_CALLS]{name}[ARGS]{arguments}',
  result: { write: '[TOOL_RESULTS]{result}[/TOOL_RESULTS]', id: 'call_id' },
  lesson: `# How to call a tool

Write a call as [TOOL_CALLS], the tool's name, [ARGS] and a JSON object with the arguments, outside of code fences:

[TOOL_CALLS]NAME[ARGS]{"PARAMETER": "value"}

The JSON must be strict: double quotes, no comma after the last member, line breaks in strings as \\n. For several calls
write this several times. Results come back between [TOOL_RESULTS] and [/TOOL_RESULTS].`,
}

export const mistral: Dialect = jsonDialect(table)
