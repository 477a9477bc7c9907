import type { Dialect } from '../generators/dialect.ts'
import { jsonDialect } from '../generators/json-dialect.ts'
import { think, usualKeys } from './keys.ts'
import { jsonLesson } from './lessons.ts'

const call = '{"PARAMETER": "value"}'

/** Functionary 3.1 and Llama 3 with custom tags: the name in a tag, then the arguments. */
export const functionaryV31: Dialect = jsonDialect({
  name: 'functionary-v3.1',
  open: ['<function={name}>'],
  close: '</function>',
  keys: usualKeys,
  reasoning: think,
  silent: ['<|eom_id|>', '<|eot_id|>'],
  stop: ['<|eom_id|>'],
  write: '<function={name}>{arguments}</function>',
  result: { write: '<tool_response>{result}</tool_response>', id: 'tool_call_id' },
  lesson: jsonLesson(
    'a JSON object with the arguments in a tag with the name',
    `<function=NAME>${call}</function>`,
    'between <tool_response> and </tool_response>',
  ),
})

/**
 * Functionary 3.2: three angle brackets and the name on a line, then the arguments. Its template ends with the
 * brackets, so a reply may begin with the name.
 */
export const functionaryV32: Dialect = jsonDialect({
  name: 'functionary-v3.2',
  open: [
    { mark: '>>>{name}\n', where: 'line' },
    { mark: '{name}\n', where: 'start', known: true },
  ],
  close: '',
  keys: usualKeys,
  silent: ['<|eot_id|>'],
  stop: ['<|eot_id|>'],
  write: '>>>{name}\n{arguments}',
  result: { write: '<tool_response>{result}</tool_response>', id: 'tool_call_id' },
  lesson: jsonLesson(
    '>>> and the name on a line, and a JSON object with the arguments below',
    `>>>NAME\n${call}`,
    'between <tool_response> and </tool_response>',
  ),
})
