import type { Dialect } from '../generators/dialect.ts'
import { jsonDialect } from '../generators/json-dialect.ts'
import { think } from './keys.ts'
import { jsonLesson } from './lessons.ts'

const keys = {
  name: ['tool_name', 'name'],
  arguments: ['parameters', 'arguments'],
  id: ['tool_call_id', 'id'],
  ignored: [],
}
const tokens = [
  '<|START_OF_TURN_TOKEN|>',
  '<|CHATBOT_TOKEN|>',
  '<|END_OF_TURN_TOKEN|>',
  '<|START_RESPONSE|>',
  '<|END_RESPONSE|>',
  '<|START_TEXT|>',
  '<|END_TEXT|>',
]

/**
 * Command R7B and A: a list between two tokens.
 *
 *     <|START_ACTION|>[{"tool_call_id": "0", "tool_name": "read_file", "parameters": {"path": "a"}}]<|END_ACTION|>
 */
export const cohereR7b: Dialect = jsonDialect({
  name: 'cohere-r7b',
  open: ['<|START_ACTION|>'],
  close: '<|END_ACTION|>',
  keys,
  reasoning: [...think, { open: '<|START_THINKING|>', close: '<|END_THINKING|>' }],
  silent: tokens,
  stop: ['<|START_TOOL_RESULT|>'],
  write: '<|START_ACTION|>[{call}]<|END_ACTION|>',
  result: { write: '<|START_TOOL_RESULT|>{result}<|END_TOOL_RESULT|>', id: 'tool_call_id' },
  lesson: jsonLesson(
    'a list of JSON objects between <|START_ACTION|> and <|END_ACTION|>',
    '<|START_ACTION|>[{"tool_name": "NAME", "parameters": {"PARAMETER": "value"}}]<|END_ACTION|>',
    'between <|START_TOOL_RESULT|> and <|END_TOOL_RESULT|>',
  ),
})

/** Command R: the word `Action:` and a list in a fence. */
export const cohereR: Dialect = jsonDialect({
  name: 'cohere-r',
  open: [{ mark: 'Action:\n```json', where: 'line' }],
  close: '```',
  keys,
  reasoning: think,
  silent: tokens,
  stop: ['<results>'],
  write: 'Action: ```json\n[{call}]\n```',
  result: { write: '<results>\n{result}\n</results>', id: 'tool_call_id' },
  lesson: jsonLesson(
    'the word Action: and a list of JSON objects in a fence, at the start of a line',
    'Action: ```json\n[{"tool_name": "NAME", "parameters": {"PARAMETER": "value"}}]\n```',
    'between <results> and </results>',
  ).replace(', outside of code fences', ''),
})
