import type { Dialect } from '../generators/dialect.ts'
import { jsonDialect } from '../generators/json-dialect.ts'
import type { TaggedDialect } from '../generators/tables.ts'
import { taggedDialect } from '../generators/tagged-dialect.ts'
import { think, usualKeys } from './keys.ts'
import { jsonLesson, taggedLesson } from './lessons.ts'

/** Distilled models spell the first token in several ways. */
const calls = {
  open: [
    '<｜tool▁calls▁begin｜>',
    '<｜tool▁calls｜>',
    '<｜tool_calls_begin｜>',
    '<｜tool calls begin｜>',
    '<｜tool\\_calls\\_begin｜>',
  ],
  close: ['<｜tool▁calls▁end｜>', '<｜tool_calls_end｜>', '<｜tool calls end｜>', '<｜tool\\_calls\\_end｜>'],
}
/** Begins a call with its arguments in a fence. Some models leave out the first token. */
const fenced = [
  '<｜tool▁call▁begin｜>\nfunction<｜tool▁sep｜>\n{name}\n```json',
  '<｜tool▁call▁begin｜>\nfunction<｜tool▁sep｜>\n{name}\n```',
  { mark: 'function<｜tool▁sep｜>\n{name}\n```json', where: 'line' },
] as const
const results = 'between <｜tool▁output▁begin｜> and <｜tool▁output▁end｜>'
const shared = {
  wrapper: calls,
  keys: usualKeys,
  reasoning: think,
  silent: ['<｜end▁of▁sentence｜>'],
  stop: ['<｜tool▁outputs▁begin｜>'],
  result: { write: '<｜tool▁output▁begin｜>{result}<｜tool▁output▁end｜>', id: 'tool_call_id' },
}

/**
 * DeepSeek V3 and R1: the name after a separator, and the arguments in a fence.
 *
 *     <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file
 *     ```json
 *     {"path": "src/lib.rs"}
 *     ```<｜tool▁call▁end｜><｜tool▁calls▁end｜>
 */
export const deepseekV3: Dialect = jsonDialect({
  name: 'deepseek-v3',
  ...shared,
  open: fenced,
  close: ['```\n<｜tool▁call▁end｜>', '<｜tool▁call▁end｜>'],
  write:
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{arguments}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  lesson: jsonLesson(
    'the tokens below around the name and a JSON object with the arguments',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME\n```json\n{"PARAMETER": "value"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    results,
  ),
})

/** DeepSeek V3.1: the name, a separator and the arguments. */
export const deepseekV31: Dialect = jsonDialect({
  name: 'deepseek-v3.1',
  ...shared,
  open: ['<｜tool▁call▁begin｜>\n{name}\n<｜tool▁sep｜>'],
  close: '<｜tool▁call▁end｜>',
  write:
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  lesson: jsonLesson(
    'the tokens below around the name and a JSON object with the arguments',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{"PARAMETER": "value"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    results,
  ),
})

/** Both forms of DeepSeek V3, for when the exact model is unknown. */
export const deepseekAnyV3: Dialect = jsonDialect({
  name: 'deepseek-v3',
  ...shared,
  open: [...fenced, '<｜tool▁call▁begin｜>\n{name}\n<｜tool▁sep｜>'],
  close: ['```\n<｜tool▁call▁end｜>', '<｜tool▁call▁end｜>'],
  write:
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  lesson: '',
})

/** DSML: tags with a token in their names, and an attribute that tells strings from JSON. */
function dsml(name: string, wrapper: string): TaggedDialect {
  return {
    name,
    wrapper: { open: `<｜DSML｜${wrapper}>`, close: `</｜DSML｜${wrapper}>` },
    call: { open: '<｜DSML｜invoke name="{name}">', close: '</｜DSML｜invoke>' },
    parameter: { open: '<｜DSML｜parameter name="{name}"{attributes}>', close: '</｜DSML｜parameter>' },
    inline: true,
    jsonBody: true,
    attributes: {
      read: attributes =>
        /string="true"/.test(attributes) ? 'string' : /string="false"/.test(attributes) ? 'json' : undefined,
      write: value => ` string="${typeof value === 'string'}"`,
    },
    reasoning: think,
    silent: ['<｜end▁of▁sentence｜>'],
    stop: ['<function_results>'],
    result: [
      '<function_results>\n<result name="{name}" id="{id}" status="{status}">',
      '</result>\n</function_results>',
    ],
    lesson: taggedLesson(
      `<｜DSML｜${wrapper}>\n<｜DSML｜invoke name="NAME">\n<｜DSML｜parameter name="PARAMETER" string="true">value</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜${wrapper}>`,
      'Write string="false" where the value is JSON.',
      'between <function_results> and </function_results>',
    ),
  }
}

export const deepseekV32: Dialect = taggedDialect(dsml('deepseek-v3.2', 'function_calls'))

export const deepseekV4: Dialect = taggedDialect(dsml('deepseek-v4', 'tool_calls'))
