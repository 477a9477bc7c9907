import type { Dialect } from '../generators/dialect.ts'
import { jsonDialect } from '../generators/json-dialect.ts'
import { taggedDialect } from '../generators/tagged-dialect.ts'
import { think, usualKeys } from './keys.ts'
import { jsonLesson, taggedLesson } from './lessons.ts'

/**
 * Kimi K2: an id that contains the name, then the arguments.
 *
 *     <|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "a"}<|tool_call_end|><|tool_calls_section_end|>
 */
export const kimiK2: Dialect = jsonDialect({
  name: 'kimi-k2',
  wrapper: {
    open: ['<|tool_calls_section_begin|>', '<|tool_call_section_begin|>'],
    close: ['<|tool_calls_section_end|>', '<|tool_call_section_end|>'],
  },
  open: ['<|tool_call_begin|>\n{id}\n<|tool_call_argument_begin|>', '<|tool_call_begin|>\nfunctions.{id}'],
  close: '<|tool_call_end|>',
  keys: usualKeys,
  nameInId: /^(?:functions\.+|\.+)?(?:(?<name>.+?):+\d+|(?<known>.+))$/,
  reasoning: [...think, { open: '◁think▷', close: '◁/think▷' }],
  silent: ['<|im_end|>'],
  stop: ['<|im_end|>'],
  write:
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.{name}:0<|tool_call_argument_begin|>{arguments}<|tool_call_end|><|tool_calls_section_end|>',
  result: { write: '## Return of the call\n{result}', id: 'tool_call_id' },
  lesson: jsonLesson(
    'the tokens below around `functions.`, the name, a number that counts the calls, and a JSON object with the arguments',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{"PARAMETER": "value"}<|tool_call_end|><|tool_calls_section_end|>',
    'below a heading "Return of the call"',
  ),
})

/** Kimi K3: nested marks whose attributes name the tool, the argument and its type. */
export const kimiK3: Dialect = taggedDialect({
  name: 'kimi-k3',
  wrapper: { open: '<|open|>tools<|sep|>', close: '<|close|>tools<|sep|>' },
  call: { open: '<|open|>call tool="{name}"{attributes}<|sep|>', close: '<|close|>call<|sep|>' },
  parameter: { open: '<|open|>argument key="{name}"{attributes}<|sep|>', close: '<|close|>argument<|sep|>' },
  inline: true,
  attributes: {
    read: attributes => {
      const [, type] = /type="(\w+)"/.exec(attributes) ?? []
      return type === undefined ? undefined : type === 'string' ? 'string' : 'json'
    },
    write: value => ` type="${typeof value === 'string' ? 'string' : 'json'}"`,
  },
  reasoning: [...think, { open: '<|open|>think<|sep|>', close: '<|close|>think<|sep|>' }],
  silent: ['<|open|>response<|sep|>', '<|close|>response<|sep|>', '<|close|>message<|sep|>', '<|end_of_msg|>'],
  stop: ['<|close|>message<|sep|>'],
  result: ['<|open|>result name="{name}" id="{id}" status="{status}"<|sep|>', '<|close|>result<|sep|>'],
  lesson: taggedLesson(
    '<|open|>tools<|sep|><|open|>call tool="NAME" index="1"<|sep|><|open|>argument key="PARAMETER" type="string"<|sep|>value<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
    'Write type="json" where the value is JSON.',
    'between <|open|>result<|sep|> and <|close|>result<|sep|>',
  ),
})
