import type { Dialect } from '../generators/dialect.ts'
import { jsonDialect } from '../generators/json-dialect.ts'
import { think, usualKeys } from './keys.ts'
import { jsonLesson } from './lessons.ts'

const channels = ['commentary', 'analysis', 'final']
const constrained = '\n<|constrain|>json'
/** How the arguments begin. Models forget the last token. */
const formats = [
  '\n<|message|>',
  `${constrained}\n<|message|>`,
  '\njson\n<|message|>',
  '\ncode\n<|message|>',
  constrained,
]

/** The recipient comes after the channel, before it, or after the format. */
function openers(recipient: string): string[] {
  return channels.flatMap(channel => [
    ...formats.flatMap(format => [
      `<|channel|>${channel} to=${recipient}${format}`,
      `<|start|>assistant to=${recipient}\n<|channel|>${channel}${format}`,
    ]),
    `<|channel|>${channel}${constrained} to=${recipient}\n<|message|>`,
  ])
}

/** If the template ends with the role, the reply begins with the recipient. */
const firstOpeners = channels.flatMap(channel =>
  formats.map(format => `to=functions.{name}\n<|channel|>${channel}${format}`),
)

/** What is left when servers drop the tokens. */
const bareOpeners = ['', 'assistant'].map(role => `${role}commentary to=functions.{name}\njson`)

/**
 * gpt-oss: channels. One carries the calls and one the reasoning.
 *
 *     <|channel|>analysis<|message|>Let me look.<|end|><|start|>assistant<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path": "a"}<|call|>
 */
export const harmony: Dialect = jsonDialect({
  name: 'harmony',
  open: [
    ...openers('functions.{name}'),
    // Models forget the namespace. Without it, accept only unmistakable calls, because these models also have built-in
    // tools.
    ...openers('{name}').map(mark => ({ mark, where: 'anywhere', known: true }) as const),
    ...firstOpeners.map(mark => ({ mark, where: 'start' }) as const),
    ...bareOpeners.map(mark => ({ mark, where: 'line', known: true }) as const),
  ],
  close: ['<|call|>', '<|end|>', '<|return|>'],
  keys: usualKeys,
  reasoning: [...think, { open: '<|channel|>analysis<|message|>', close: '<|end|>', closes: ['<|return|>'] }],
  silent: [
    '<|start|>assistant',
    '<|channel|>final<|message|>',
    '<|channel|>commentary<|message|>',
    '<|end|>',
    '<|return|>',
    '<|call|>',
  ],
  stop: ['<|call|>', '<|return|>'],
  write: '<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{arguments}<|call|>',
  result: {
    write: '<|start|>functions<|channel|>commentary to=assistant<|message|>{result}<|end|>',
    id: 'tool_call_id',
  },
  lesson: jsonLesson(
    'a message to functions. and the name, with a JSON object of the arguments',
    '<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{"PARAMETER": "value"}<|call|>',
    'as messages from functions',
  ),
})
