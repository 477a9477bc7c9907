import { combineDialects } from '../generators/combine.ts'
import type { Dialect } from '../generators/dialect.ts'
import { jsonDialect } from '../generators/json-dialect.ts'
import { keywordDialect } from '../generators/keyword-dialect.ts'
import { think, usualKeys } from './keys.ts'
import { keywordLesson } from './lessons.ts'

const response = ['<tool_response name="{name}" id="{id}" status="{status}">', '</tool_response>'] as const
const results = 'between <tool_response> and </tool_response>'
const values = 'Values are Python literals: strings in quotes, True, False, None, lists and dicts.'

/**
 * Llama 4 and other models that write Python calls: a list of them, alone or between tokens.
 *
 *     [read_file(path="src/lib.rs"), list_files()]
 */
export const pythonic: Dialect = keywordDialect({
  name: 'pythonic',
  open: ['<|python_start|>', '<|python_tag|>', ''],
  close: ['', '<|python_end|>'],
  list: 'always',
  call: ['(', '=', ')'],
  words: 'python',
  reasoning: think,
  silent: ['<|python_end|>', '<|eom|>', '<|eot|>'],
  stop: ['<|eom|>', '<|eot|>'],
  write: ['[', ']'],
  result: response,
  lesson: keywordLesson('[NAME(PARAMETER="value")]', `Several calls are items of the list. ${values}`, results),
})

/** OLMo 3: calls on separate lines in a tag. */
export const olmo3: Dialect = keywordDialect({
  name: 'olmo3',
  open: ['<function_calls>'],
  close: '</function_calls>',
  list: 'maybe',
  call: ['(', '=', ')'],
  words: 'python',
  reasoning: think,
  silent: ['<|im_end|>'],
  stop: ['<|im_end|>'],
  write: ['<function_calls>', '</function_calls>'],
  result: response,
  lesson: keywordLesson(
    '<function_calls>NAME(PARAMETER="value")</function_calls>',
    `Several calls are lines in the same tag. ${values}`,
    results,
  ),
})

const lfm2Calls = keywordDialect({
  name: 'lfm2',
  open: ['<|tool_call_start|>'],
  close: '<|tool_call_end|>',
  list: 'maybe',
  call: ['(', '=', ')'],
  words: 'python',
  reasoning: think,
  silent: ['<|im_end|>', '<|tool_call_end|>'],
  stop: ['<|im_end|>'],
  write: ['<|tool_call_start|>[', ']<|tool_call_end|>'],
  result: ['<|tool_response_start|>{name} {id} {status}', '<|tool_response_end|>'],
  lesson: keywordLesson(
    '<|tool_call_start|>[NAME(PARAMETER="value")]<|tool_call_end|>',
    `Several calls are items of the list. ${values}`,
    'between <|tool_response_start|> and <|tool_response_end|>',
  ),
})

const lfm2Json = jsonDialect({
  name: 'lfm2 JSON',
  open: ['<|tool_call_start|>'],
  close: '<|tool_call_end|>',
  keys: usualKeys,
  write: '<|tool_call_start|>{call}<|tool_call_end|>',
  result: { write: '{result}', id: 'id' },
  lesson: '',
})

/** Each of LFM 2's two forms alone. */
export const lfm2Forms: readonly Dialect[] = [lfm2Json, lfm2Calls]

/** LFM 2: a list of calls between tokens, as Python or as JSON. */
export const lfm2: Dialect = combineDialects(lfm2Calls, [
  { ...lfm2Json, accepts: (_: string, next: string) => '{`'.includes(next) },
  { ...lfm2Calls, accepts: (_: string, next: string) => !/^[{`<]/.test(next) },
])

/**
 * Gemma 4: a call in braces, with its own quotes.
 *
 *     <|tool_call>call:read_file{path:<|"|>src/lib.rs<|"|>}<tool_call|>
 */
export const gemma4: Dialect = keywordDialect({
  name: 'gemma4',
  open: ['<|tool_call>\ncall:\n{name}', '<|tool_call>\n:{name}', { mark: 'call:{name}', where: 'line', known: true }],
  close: '<tool_call|>',
  list: 'never',
  call: ['{', ':', '}'],
  otherCall: ['(', '=', ')'],
  namespaced: true,
  delimiter: '<|"|>',
  words: 'json',
  reasoning: [...think, { open: '<|channel>thought', close: '<channel|>' }],
  silent: ['<turn|>', '<channel|>', '<|channel>'],
  stop: ['<|tool_response>'],
  write: ['<|tool_call>call:{name}', '<tool_call|>'],
  result: ['<|tool_response>response:{name} {id} {status}', '<tool_response|>'],
  lesson: keywordLesson(
    '<|tool_call>call:NAME{PARAMETER:<|"|>value<|"|>}<tool_call|>',
    'Strings are between <|"|> and <|"|>; numbers, true, false, null, lists and objects are as in JSON.',
    'between <|tool_response> and <tool_response|>',
  ),
})

/** FunctionGemma: the same with different marks. */
export const functionGemma: Dialect = keywordDialect({
  name: 'functiongemma',
  open: ['<start_function_call>\ncall:\n{name}'],
  close: '<end_function_call>',
  list: 'never',
  call: ['{', ':', '}'],
  delimiter: '<escape>',
  words: 'json',
  silent: ['<end_of_turn>', '<start_function_response>'],
  stop: ['<start_function_response>'],
  write: ['<start_function_call>call:{name}', '<end_function_call>'],
  result: ['response:{name} {id} {status}', '<end_function_response>'],
  lesson: keywordLesson(
    '<start_function_call>call:NAME{PARAMETER:<escape>value<escape>}<end_function_call>',
    'Strings are between <escape> and <escape>; numbers, true, false, null, lists and objects are as in JSON.',
    'before <end_function_response>',
  ),
})
