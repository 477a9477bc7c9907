import type { Dialect } from '../generators/dialect.ts'
import { taggedDialect } from '../generators/tagged-dialect.ts'
import { taggedLesson } from './lessons.ts'

/**
 * Muse Glimmer: messages to self, to the user or to a tool. Only those to a tool carry calls.
 *
 *     to=self<|message|>Let me look.<|eom|><|start|>assistant to=read_file<|message|><atem:function_calls>
 *     <atem:invoke name="read_file">
 *     <atem:parameter name="path">src/lib.rs</atem:parameter>
 *     </atem:invoke>
 *     </atem:function_calls>
 */
export const museGlimmer: Dialect = taggedDialect({
  name: 'muse-glimmer',
  wrapper: {
    // If the server drops tokens, the recipient is what is left.
    open: ['to={name}<|message|>\n<atem:function_calls>', 'to={name}\n<atem:function_calls>'],
    close: '</atem:function_calls>',
  },
  wrapped: true,
  call: { open: '<atem:invoke name="{name}">', close: '</atem:invoke>' },
  parameter: { open: '<atem:parameter name="{name}">', close: '</atem:parameter>' },
  inline: true,
  reasoning: [{ open: 'to=self<|message|>', close: '<|eom|>', closes: ['<|eot|>'] }],
  silent: ['<|start|>assistant ', 'to=user<|message|>', '<|eom|>', '<|eot|>', '<|end_of_text|>'],
  stop: ['<|eot|>'],
  result: ['<tool_response name="{name}" id="{id}" status="{status}">', '</tool_response>'],
  lesson: taggedLesson(
    'to=NAME<|message|><atem:function_calls>\n<atem:invoke name="NAME">\n<atem:parameter name="PARAMETER">value</atem:parameter>\n</atem:invoke>\n</atem:function_calls>',
    'A value that contains its closing tag goes into marked tags: <atem:parameter name="PARAMETER#1"> and </atem:parameter#1>.',
    'between <tool_response> and </tool_response>',
  ),
})
