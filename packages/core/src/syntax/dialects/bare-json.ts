import type { Dialect } from '../generators/dialect.ts'
import { jsonDialect } from '../generators/json-dialect.ts'
import { think, usualKeys } from './keys.ts'
import { jsonLesson } from './lessons.ts'

const response = { write: '<tool_response>\n{result}\n</tool_response>', id: 'tool_call_id' }
const results = 'between <tool_response> and </tool_response>'

/**
 * Llama 3: a token or nothing before an object, and a semicolon between objects.
 *
 *     <|python_tag|>{"name": "read_file", "parameters": {"path": "a"}}; {"name": "list", "parameters": {}}
 */
export const llama3: Dialect = jsonDialect({
  name: 'llama3',
  open: ['<|python_tag|>', { mark: '', where: 'start' }],
  close: '',
  separator: ';',
  keys: { ...usualKeys, arguments: ['parameters', 'arguments'] },
  silent: ['<|eom_id|>', '<|eot_id|>'],
  stop: ['<|eom_id|>', '<|eot_id|>'],
  write: '<|python_tag|>{call}',
  result: response,
  lesson: jsonLesson(
    '<|python_tag|> and a JSON object',
    '<|python_tag|>{"name": "NAME", "parameters": {"PARAMETER": "value"}}',
    results,
  ),
})

/** xLAM: a list, alone, in a fence or in tags. */
export const xlam: Dialect = jsonDialect({
  name: 'xlam',
  open: [
    '<tool_call>',
    '[TOOL_CALLS]',
    { mark: '```json', where: 'line' },
    { mark: '```', where: 'line' },
    { mark: '', where: 'start' },
  ],
  close: ['</tool_call>', '```'],
  closeOptional: true,
  keys: usualKeys,
  reasoning: think,
  stop: ['<tool_response>'],
  write: '<tool_call>[{call}]</tool_call>',
  result: response,
  lesson: jsonLesson(
    'a list of JSON objects between <tool_call> and </tool_call>',
    '<tool_call>[{"name": "NAME", "arguments": {"PARAMETER": "value"}}]</tool_call>',
    results,
  ),
})

/** Qwen 2.5 Coder: an object in `<tools>` or `<tool_call>` tags, in a fence, or alone. */
export const qwen25Coder: Dialect = jsonDialect({
  name: 'qwen2.5-coder',
  open: ['<tools>', '<tool_call>', { mark: '```json', where: 'line' }, { mark: '', where: 'start' }],
  close: ['</tools>', '</tool_call>', '```'],
  closeOptional: true,
  keys: usualKeys,
  reasoning: think,
  silent: ['<|im_end|>'],
  stop: ['<tool_response>'],
  write: '<tools>\n{call}\n</tools>',
  result: response,
  lesson: jsonLesson(
    'a JSON object between <tools> and </tools>',
    '<tools>\n{"name": "NAME", "arguments": {"PARAMETER": "value"}}\n</tools>',
    results,
  ),
})
