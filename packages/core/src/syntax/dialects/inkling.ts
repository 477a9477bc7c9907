import type { Dialect } from '../generators/dialect.ts'
import { jsonDialect } from '../generators/json-dialect.ts'
import { think, usualKeys } from './keys.ts'
import { jsonLesson } from './lessons.ts'

const kinds = ['<|content_invoke_tool_json|>', '<|content_invoke_tool_text|>']

/**
 * Inkling: each message has one kind. The name may also come before the kind, where it adds nothing.
 *
 *     <|message_model|>read_file<|content_invoke_tool_json|>{"name": "read_file", "args": {"path": "a"}}<|end_message|>
 */
export const inkling: Dialect = jsonDialect({
  name: 'inkling',
  open: kinds.flatMap(kind => [`<|message_model|>{label}${kind}`, kind]),
  close: ['<|end_message|>', '<|content_model_end_sampling|>'],
  keys: { ...usualKeys, arguments: ['args', 'arguments', 'parameters'] },
  reasoning: [
    ...think,
    { open: '<|content_thinking|>', close: '<|end_message|>', closes: ['<|content_model_end_sampling|>'] },
  ],
  silent: ['<|message_model|>', '<|content_text|>', '<|end_message|>', '<|content_model_end_sampling|>'],
  stop: ['<|message_tool|>'],
  write: '<|message_model|>{name}<|content_invoke_tool_json|>{call}<|end_message|>',
  result: { write: '<|message_tool|><|content_text|>{result}<|end_message|>', id: 'tool_call_id' },
  lesson: jsonLesson(
    'a message of the kind below with a JSON object',
    '<|message_model|>NAME<|content_invoke_tool_json|>{"name": "NAME", "args": {"PARAMETER": "value"}}<|end_message|>',
    'as messages after <|message_tool|>',
  ),
})
