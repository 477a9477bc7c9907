import type { Dialect } from '../generators/dialect.ts'
import { jsonDialect } from '../generators/json-dialect.ts'
import { think, usualKeys } from './keys.ts'
import { jsonLesson } from './lessons.ts'

/**
 * Solar Open: an id, the name and the arguments, each after a token.
 *
 *     <|tool_calls|><|tool_call:begin|>a1b2<|tool_call:name|>read_file<|tool_call:args|>{"path": "a"}<|tool_call:end|>
 */
export const solarOpen: Dialect = jsonDialect({
  name: 'solar-open',
  wrapper: { open: '<|tool_calls|>', close: ['<|calls|>', '<|flush|>', '<|end|>'] },
  open: ['<|tool_call:begin|>\n{id}\n<|tool_call:name|>\n{name}\n<|tool_call:args|>'],
  close: '<|tool_call:end|>',
  keys: usualKeys,
  reasoning: [...think, { open: '<|think|>', close: '<|end|>' }],
  silent: ['<|begin|>assistant', '<|content|>', '<|calls|>', '<|flush|>', '<|end|>'],
  stop: ['<|tool_response:begin|>'],
  write: '<|tool_calls|><|tool_call:begin|>{id}<|tool_call:name|>{name}<|tool_call:args|>{arguments}<|tool_call:end|>',
  result: { write: '<|tool_response:begin|>{result}<|tool_response:end|>', id: 'tool_call_id' },
  lesson: jsonLesson(
    'the tokens below around an id, the name, and a JSON object with the arguments',
    '<|tool_calls|><|tool_call:begin|>ID<|tool_call:name|>NAME<|tool_call:args|>{"PARAMETER": "value"}<|tool_call:end|>',
    'between <|tool_response:begin|> and <|tool_response:end|>',
  ),
})
