import type { Dialect } from '../generators/dialect.ts'
import type { TaggedDialect } from '../generators/tables.ts'
import { taggedDialect } from '../generators/tagged-dialect.ts'

/**
 * Tags with names in attributes and unescaped values. One wrapper may hold several calls.
 *
 *     <function_calls>
 *     <invoke name="read_file">
 *     <parameter name="path">src/lib.rs</parameter>
 *     </invoke>
 *     </function_calls>
 */
const table: TaggedDialect = {
  name: 'invoke',
  wrapper: {
    open: ['<function_calls>', '<antml:function_calls>'],
    close: ['</function_calls>', '</antml:function_calls>'],
  },
  call: {
    open: ['<invoke name="{name}">', '<antml:invoke name="{name}">', '<invoke name={name}>'],
    close: ['</invoke>', '</antml:invoke>'],
  },
  parameter: [
    { open: ['<parameter name="{name}">', '<parameter name={name}>'], close: '</parameter>' },
    { open: '<antml:parameter name="{name}">', close: '</antml:parameter>' },
  ],
  reasoning: [{ open: '<thinking>', close: '</thinking>' }],
  stop: ['<function_results>'],
  inline: true,
  result: ['<function_results>\n<result name="{name}" id="{id}" status="{status}">', '</result>\n</function_results>'],
  lesson: `# How to call a tool

Write calls in tags, outside of code fences. Each parameter has a tag of its own; what is in it is taken as it is,
without escaping. A line break after the opening tag and one before the closing tag do not count.

<function_calls>
<invoke name="NAME">
<parameter name="PARAMETER">value</parameter>
<parameter name="PARAMETER">
a value of
several lines
</parameter>
</invoke>
</function_calls>

For several calls write several <invoke> tags. Lists and objects are written as JSON. A value that contains </parameter>
goes into marked tags: <parameter name="PARAMETER#1"> and </parameter#1>. Results come back between <function_results>
and </function_results>.`,
}

export const invoke: Dialect = taggedDialect(table)
