import type { Dialect } from '../generators/dialect.ts'
import type { TaggedDialect } from '../generators/tables.ts'
import { taggedDialect } from '../generators/tagged-dialect.ts'

/**
 * Qwen3-Coder and its relatives: tags with names after an equals sign, and unescaped values.
 *
 *     <tool_call>
 *     <function=read_file>
 *     <parameter=path>
 *     src/lib.rs
 *     </parameter>
 *     </function>
 *     </tool_call>
 */
const table: TaggedDialect = {
  name: 'qwen3-coder',
  wrapper: { open: '<tool_call>', close: '</tool_call>' },
  call: {
    open: [
      '<function={name}>',
      '<function=\n{name}\n>',
      '<function="\n{name}\n">',
      '<function name="\n{name}\n">',
      '<function=\n{name}\n/>',
      '<function>\n<name>\n{name}\n</name>',
      '<tool_call name="{name}">',
    ],
    close: '</function>',
  },
  parameter: {
    open: ['<parameter={name}>', '<parameter=\n{name}\n>', '<parameter="\n{name}\n">', '<parameter name="\n{name}\n">'],
    close: '</parameter>',
  },
  reasoning: [{ open: '<think>', close: '</think>' }],
  silent: ['<|im_end|>'],
  stop: ['<tool_response>'],
  inline: false,
  result: ['<tool_response name="{name}" id="{id}" status="{status}">', '</tool_response>'],
  lesson: `# How to call a tool

Write a call in tags, outside of code fences. Each parameter has a tag of its own, and its value goes on the lines
between its tags as it is, without escaping:

<tool_call>
<function=NAME>
<parameter=PARAMETER>
value
</parameter>
<parameter=PARAMETER>
a value of
several lines
</parameter>
</function>
</tool_call>

Lists and objects are written as JSON. A value that contains </parameter> goes into marked tags:
<parameter=PARAMETER#1> and </parameter#1>. Results come back between <tool_response> and </tool_response>.`,
}

export const qwen3Coder: Dialect = taggedDialect(table)
