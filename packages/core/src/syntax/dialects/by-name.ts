import type { Dialect } from '../generators/dialect.ts'
import { jsonDialect } from '../generators/json-dialect.ts'
import { keywordDialect } from '../generators/keyword-dialect.ts'
import { think, usualKeys } from './keys.ts'
import { jsonLesson, keywordLesson } from './lessons.ts'

/** Dialects whose calls look like prose or quoted code. They are read only by name; `auto` leaves them out. */

const response = ['<tool_response name="{name}" id="{id}" status="{status}">', '</tool_response>'] as const
const results = 'between <tool_response> and </tool_response>'
const values = 'Values are Python literals: strings in quotes, True, False, None, lists and dicts.'
const inCode = (lesson: string) => lesson.replace(', outside of code fences', '')

/**
 * ReAct: two lines, as prompt frameworks teach them.
 *
 *     Thought: I need the file.
 *     Action: read_file
 *     Action Input: {"path": "src/lib.rs"}
 */
export const react: Dialect = jsonDialect({
  name: 'react',
  open: [{ mark: 'Action:\n{name}\nAction Input:', where: 'line' }],
  close: '',
  keys: usualKeys,
  reasoning: think,
  stop: ['Observation:'],
  write: 'Action: {name}\nAction Input: {arguments}',
  result: { write: 'Observation: {result}', id: 'tool_call_id' },
  lesson: jsonLesson(
    'a line with Action: and the name, and a line with Action Input: and a JSON object of the arguments',
    'Action: NAME\nAction Input: {"PARAMETER": "value"}',
    'after Observation:',
  ),
})

/**
 * Gemma 3: a Python call in a fence.
 *
 *     ```tool_code
 *     read_file(path="src/lib.rs")
 *     ```
 */
export const gemma3: Dialect = keywordDialect({
  name: 'gemma3',
  open: [{ mark: '```tool_code', where: 'line' }],
  close: '```',
  list: 'maybe',
  call: ['(', '=', ')'],
  words: 'python',
  silent: ['<end_of_turn>'],
  stop: ['```tool_output'],
  write: ['```tool_code\n', '\n```'],
  result: response,
  lesson: inCode(
    keywordLesson(
      '```tool_code\nNAME(PARAMETER="value")\n```',
      `Several calls are lines in the same fence. ${values}`,
      results,
    ),
  ),
})

/** A Python call in HTML's tag for code: `<code>read_file(path="src/lib.rs")</code>`. */
export const codeTag: Dialect = keywordDialect({
  name: 'code-tag',
  open: ['<code>'],
  close: '</code>',
  list: 'maybe',
  call: ['(', '=', ')'],
  words: 'python',
  liveCode: true,
  reasoning: think,
  stop: ['<tool_response'],
  write: ['<code>', '</code>'],
  result: response,
  lesson: keywordLesson(
    '<code>NAME(PARAMETER="value")</code>',
    `Several calls are lines in the same tag. ${values}`,
    results,
  ),
})

/** A tool's name at the start of a line, and its arguments: `read_file {"path": "src/lib.rs"}`. */
export const nameJson: Dialect = jsonDialect({
  name: 'name-json',
  open: [{ mark: '{name}\n', where: 'line', known: true }],
  close: '',
  keys: usualKeys,
  reasoning: think,
  stop: ['<tool_response>'],
  write: '{name} {arguments}',
  result: { write: '<tool_response>\n{result}\n</tool_response>', id: 'tool_call_id' },
  lesson: jsonLesson('a line with the name and a JSON object of the arguments', 'NAME {"PARAMETER": "value"}', results),
})
