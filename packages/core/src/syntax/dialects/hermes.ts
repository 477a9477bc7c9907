import type { Dialect } from '../generators/dialect.ts'
import { jsonDialect } from '../generators/json-dialect.ts'
import type { JsonDialect } from '../generators/tables.ts'

/**
 * Hermes, Qwen 2.5 and 3, and the many models tuned on their data: a JSON object between two tags.
 *
 *     <tool_call>
 *     {"name": "read_file", "arguments": {"path": "src/lib.rs"}}
 *     </tool_call>
 */
const table: JsonDialect = {
  name: 'hermes',
  open: ['<tool_call>'],
  close: '</tool_call>',
  keys: {
    name: ['name'],
    arguments: ['arguments', 'parameters'],
    id: ['id', 'tool_call_id'],
    ignored: ['type'],
  },
  reasoning: [{ open: '<think>', close: '</think>' }],
  silent: ['<|im_end|>'],
  stop: ['<tool_response>'],
  write: '<tool_call>\n{call}\n</tool_call>',
  result: { write: '<tool_response>\n{result}\n</tool_response>', id: 'tool_call_id' },
  lesson: `# How to call a tool

Write a call as a JSON object with the tool's name and its arguments between <tool_call> and </tool_call>, outside of
code fences:

<tool_call>
{"name": "NAME", "arguments": {"PARAMETER": "value"}}
</tool_call>

The JSON must be strict: double quotes, no comma after the last member, line breaks in strings as \\n. For several calls
write several such blocks, one after the other. Results come back between <tool_response> and </tool_response>.`,
}

export const hermes: Dialect = jsonDialect(table)
