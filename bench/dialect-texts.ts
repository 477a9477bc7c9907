import type { ToolDefinition } from '@argot/core'
import type { Syntax } from '@argot/core/syntax'

/** A text, and the inputs of the calls of `note` in it. */
export interface DialectText {
  text: string
  inputs: readonly object[]
}

const note: ToolDefinition = {
  name: 'note',
  description: 'Keeps a note.',
  inputSchema: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      line: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' } },
      more: { type: 'object' },
    },
    required: ['text'],
  },
}

/** The tools that are known while the texts are read. */
export const tools: readonly ToolDefinition[] = [note]

const inputs: readonly object[] = [
  { text: 'Oslo' },
  { text: 'two words', line: 12 },
  { text: 'it\'s "quoted" \\ and <b>tagged</b>' },
  { text: 'first line\nsecond line\n\n  indented' },
  { text: 'größer, 東京, 🙂' },
  { text: 'a', tags: ['red', 'blue'] },
  { text: 'a', more: { zip: 7, open: true, none: null } },
]

/** The same kinds of text in any syntax. */
export function dialectTexts(syntax: Syntax): DialectText[] {
  const write = (input: object, id = 'functions.note:0') =>
    syntax.format({ toolCallId: id, toolName: note.name, input }, note)
  const [first = {}, second = {}] = inputs
  const one = write(first)
  const two = `${one}\n${write(second, 'functions.note:1')}\n`
  return [
    ...inputs.map(input => ({ text: `${write(input)}\n`, inputs: [input] })),
    { text: `I keep a note.\n\n${one}\n`, inputs: [first] },
    { text: `<think>\nA note, then.\n</think>\n\n${one}\n`, inputs: [first] },
    { text: two, inputs: [first, second] },
    { text: `So:\n\n\`\`\`\`\`\`\n${one}\n\`\`\`\`\`\`\n\nThat is how.\n`, inputs: [] },
    // Nothing marks the end of a callout, so the end of the text ends it.
    ...(syntax.name === 'callout' ? [] : [{ text: one.slice(0, one.indexOf('Oslo') + 2), inputs: [] }]),
  ]
}
