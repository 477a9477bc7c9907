import type { Dialect } from '../generators/dialect.ts'
import { jsonDialect } from '../generators/json-dialect.ts'
import { think, usualKeys } from './keys.ts'
import { jsonLesson } from './lessons.ts'

const response = { write: '<tool_response>\n{result}\n</tool_response>', id: 'tool_call_id' }
const results = 'between <tool_response> and </tool_response>'
const call = '{"name": "NAME", "arguments": {"PARAMETER": "value"}}'

/** Nemotron Nano 2: a list between `<TOOLCALL>` tags. */
export const nemotronV2: Dialect = jsonDialect({
  name: 'nemotron-v2',
  open: ['<TOOLCALL>'],
  close: '</TOOLCALL>',
  keys: usualKeys,
  reasoning: think,
  silent: ['<SPECIAL_12>'],
  stop: ['<TOOL_RESPONSE>'],
  write: '<TOOLCALL>[{call}]</TOOLCALL>',
  result: { write: '<TOOL_RESPONSE>{result}</TOOL_RESPONSE>', id: 'tool_call_id' },
  lesson: jsonLesson(
    'a list of JSON objects between <TOOLCALL> and </TOOLCALL>',
    `<TOOLCALL>[${call}]</TOOLCALL>`,
    'between <TOOL_RESPONSE> and </TOOL_RESPONSE>',
  ),
})

/** Jamba, Apriel and Hunyuan A13B: a list between `<tool_calls>` tags. */
export const jamba: Dialect = jsonDialect({
  name: 'jamba',
  open: ['<tool_calls>'],
  close: '</tool_calls>',
  keys: usualKeys,
  reasoning: think,
  silent: ['<|eom|>', '[BEGIN FINAL RESPONSE]', '[END FINAL RESPONSE]'],
  stop: ['<tool_response>'],
  write: '<tool_calls>[{call}]</tool_calls>',
  result: response,
  lesson: jsonLesson(
    'a list of JSON objects between <tool_calls> and </tool_calls>',
    `<tool_calls>[${call}]</tool_calls>`,
    results,
  ),
})

/** Granite 3: a token or a tag, then a list. Nothing marks the end. */
export const granite: Dialect = jsonDialect({
  name: 'granite',
  open: ['<|tool_call|>', '<tool_call>'],
  close: '</tool_call>',
  closeOptional: true,
  keys: usualKeys,
  reasoning: think,
  silent: ['<|end_of_text|>'],
  stop: ['<|start_of_role|>'],
  write: '<|tool_call|>[{call}]',
  result: response,
  lesson: jsonLesson('<|tool_call|> and a list of JSON objects', `<|tool_call|>[${call}]`, results),
})

/** Granite 20B: a tag, then an object. */
export const granite20b: Dialect = jsonDialect({
  name: 'granite-20b',
  open: ['<function_call>'],
  close: '',
  keys: usualKeys,
  silent: ['<|endoftext|>'],
  stop: ['<function_response>'],
  write: '<function_call> {call}',
  result: { write: '<function_response> {result}', id: 'tool_call_id' },
  lesson: jsonLesson('<function_call> and a JSON object', `<function_call> ${call}`, 'after <function_response>'),
})

/** InternLM 2: two tokens before an object. */
export const internlm: Dialect = jsonDialect({
  name: 'internlm',
  open: ['<|action_start|>\n<|plugin|>'],
  close: '<|action_end|>',
  keys: { ...usualKeys, arguments: ['parameters', 'arguments'] },
  silent: ['<|im_end|>'],
  stop: ['<|im_end|>'],
  write: '<|action_start|><|plugin|>\n{call}<|action_end|>',
  result: { write: '<|environment_start|>{result}<|environment_end|>', id: 'tool_call_id' },
  lesson: jsonLesson(
    'a JSON object between the tokens below',
    '<|action_start|><|plugin|>\n{"name": "NAME", "parameters": {"PARAMETER": "value"}}<|action_end|>',
    'between <|environment_start|> and <|environment_end|>',
  ),
})

/** LongCat: its own tag around an object. */
export const longcat: Dialect = jsonDialect({
  name: 'longcat',
  open: ['<longcat_tool_call>'],
  close: '</longcat_tool_call>',
  keys: usualKeys,
  reasoning: [...think, { open: '<longcat_think>', close: '</longcat_think>' }],
  silent: ['</longcat_s>'],
  stop: ['<longcat_tool_response>'],
  write: '<longcat_tool_call>\n{call}\n</longcat_tool_call>',
  result: { write: '<longcat_tool_response>\n{result}\n</longcat_tool_response>', id: 'tool_call_id' },
  lesson: jsonLesson(
    'a JSON object between <longcat_tool_call> and </longcat_tool_call>',
    `<longcat_tool_call>\n${call}\n</longcat_tool_call>`,
    'between <longcat_tool_response> and </longcat_tool_response>',
  ),
})

/** Phi-4-mini and Firefunction: the word `functools` and a list. */
export const phi4: Dialect = jsonDialect({
  name: 'phi4',
  open: [{ mark: 'functools', where: 'line' }],
  close: '',
  keys: usualKeys,
  silent: ['<|end|>', '<|tool_call|>', '<|/tool_call|>'],
  stop: ['<|end|>'],
  write: 'functools[{call}]',
  result: response,
  lesson: jsonLesson(
    'the word functools and a list of JSON objects, at the start of a line',
    `functools[${call}]`,
    results,
  ),
})

/** GigaChat 3: a token, or a separate message, before an object. */
export const gigachat3: Dialect = jsonDialect({
  name: 'gigachat3',
  open: [
    '<|function_call|>',
    '<|message_sep|>\nfunction call<|role_sep|>',
    { mark: 'function call<|role_sep|>', where: 'line' },
  ],
  close: '',
  keys: usualKeys,
  silent: ['</s>', '<|message_sep|>'],
  write: '<|function_call|>{call}',
  result: { write: 'function result: {result}', id: 'tool_call_id' },
  lesson: jsonLesson('<|function_call|> and a JSON object', `<|function_call|>${call}`, 'after "function result:"'),
})

/** Apertus: a list of objects, each with the name as its only key. */
export const apertus: Dialect = jsonDialect({
  name: 'apertus',
  open: ['<|tools_prefix|>'],
  close: '<|tools_suffix|>',
  keys: { name: [], arguments: [], id: [], ignored: [] },
  nameAsKey: true,
  reasoning: [...think, { open: '<|inner_prefix|>', close: '<|inner_suffix|>' }],
  silent: ['<|assistant_end|>'],
  stop: ['<|assistant_end|>'],
  write: '<|tools_prefix|>[{call}]<|tools_suffix|>',
  result: response,
  lesson: jsonLesson(
    'a list of JSON objects, each with the name as its only key, between <|tools_prefix|> and <|tools_suffix|>',
    '<|tools_prefix|>[{"NAME": {"PARAMETER": "value"}}]<|tools_suffix|>',
    results,
  ),
})

/** ERNIE: `<tool_call>` around an object, and replies between `<response>` tags. */
export const ernie: Dialect = jsonDialect({
  name: 'ernie',
  open: ['<tool_call>'],
  close: '</tool_call>',
  keys: usualKeys,
  reasoning: think,
  silent: ['<response>', '</response>'],
  stop: ['<tool_output>'],
  write: '<tool_call>\n{call}\n</tool_call>',
  result: { write: '<tool_output>\n{result}\n</tool_output>', id: 'tool_call_id' },
  lesson: jsonLesson(
    'a JSON object between <tool_call> and </tool_call>',
    `<tool_call>\n${call}\n</tool_call>`,
    'between <tool_output> and </tool_output>',
  ),
})
