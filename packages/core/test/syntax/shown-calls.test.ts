import type { ToolDefinition } from '@argot/core'
import { caret, hermes, mistral, parse, xml } from '@argot/core/syntax'
import { qwen3Coder } from '@argot/core/syntax/internal'
import { describe, expect, test } from 'vitest'
import { summary } from './summary.ts'

/** Calls that are only shown stay text, and what looked like a call of a known tool is said. */

const call = '<tool:f></tool:f>'
const tools: ToolDefinition[] = [{ name: 'f', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } }]

test.each<[string, string]>([
  ['inline code across a line break', `Write \`\n${call}\n\` so`],
  ['an unclosed code span', `Write \`${call} so`],
  ['`<pre>`', `<pre>\n${call}\n</pre>`],
  ['an HTML comment', `<!-- ${call} -->`],
  ['a table row', `| a | ${call} |`],
  ['a footnote', `[^1]: see ${call}`],
  ['`<code>`', `Write <code>x ${call}</code> so`],
  ['an unclosed `<code>` right before it', `Write <code>\n${call}`],
  ['a backslash', `Write \\${call}`],
  ['a fence in a list whose lines are not indented', `- so:\n  \`\`\`\nx\n\n${call}\n  \`\`\``],
  ['a fence in a list, without an empty line', `- so:\n  \`\`\`\n  x\n${call}`],
])('stays text in %s', (_, source) => {
  expect(summary(parse(xml, source))).toEqual([`text ${JSON.stringify(source)}`])
})

test.each<[string, string]>([
  ['`<code>` on the line before', `Write <code>x\n${call}`],
  ['two backslashes', `a\\\\${call}`],
  ['a code span that is closed', `Write \`x\`\n${call}`],
  ['an example that is closed', `\`\n${call}\n\`\n${call}`],
  ['a comment that is closed', `<!-- x -->\n${call}`],
  ['a list item that ends within a fence', `- so:\n  \`\`\`\n  x\n\n${call}`],
])('is read behind %s', (_, source) => {
  expect(summary(parse(xml, source))).toContain('f {}')
})

test('nothing in an example runs', () => {
  const source =
    '`\n<tool_call>\n<function=f>\n<parameter=a>\n<function=g></function>\n</parameter>\n</function>\n</tool_call>`'
  expect(summary(parse(qwen3Coder, source))).toEqual([`text ${JSON.stringify(source)}`])
})

describe('reasoning', () => {
  test('is what a text begins in, where the template opened it', () => {
    const source = `I could use ${call}.</think>\n${call}`
    expect(summary(parse(xml, source, { startsIn: 'reasoning', reasoning: 'parts' }))).toEqual([
      `reasoning ${JSON.stringify(`I could use ${call}.`)}`,
      'text "\\n"',
      'f {}',
    ])
  })

  test.each([
    ['[THINK]', '[/THINK]'],
    ['<seed:think>', '</seed:think>'],
    ['<mm:think>', '</mm:think>'],
    ['<|START_THINKING|>', '<|END_THINKING|>'],
  ])('has the marks %s', (open, close) => {
    const source = `${open}use ${call}${close}${call}`
    expect(summary(parse(xml, source, { reasoning: 'parts' }))).toEqual([`reasoning "use ${call}"`, 'f {}'])
  })

  test('is found within a line where the models of a dialect write so', () => {
    const source = 'So. [THINK]use [TOOL_CALLS]f{"a": "x"}[/THINK][TOOL_CALLS]f{"a": "y"}'
    expect(summary(parse(mistral, source, { reasoning: 'parts' }))).toEqual([
      'text "So. "',
      'reasoning "use [TOOL_CALLS]f{\\"a\\": \\"x\\"}"',
      'f {"a":"y"}',
    ])
  })

  test('that never closes and ends with thoughts is reported, if a call is in it', () => {
    expect(diagnose(xml.parser({ tools }), `<think>\n${call}\nor not`)).toEqual([['SYNTAX_EXAMPLE', 'f', false]])
  })
})

test('silent tokens of the template are not text', () => {
  expect(summary(parse(hermes, 'Done.<|im_end|>'))).toEqual(['text "Done."'])
})

describe('a call that was missed', () => {
  test.each<[string, string, [string, string, boolean][]]>([
    ['an example at the end', `Now:\n\`\`\`\n${call}\n\`\`\``, [['SYNTAX_EXAMPLE', 'f', true]]],
    ['an example before more text', `\`\`\`\n${call}\n\`\`\`\nis how it is done.`, [['SYNTAX_EXAMPLE', 'f', false]]],
    ['an example in `<code>`', `Write <code>${call}</code> here.`, [['SYNTAX_EXAMPLE', 'f', false]]],
    [
      'a lost opening tag',
      'tool:f><param:a>x</param:a></tool:f>',
      [
        ['SYNTAX_NEAR_MISS', 'f', true],
        ['SYNTAX_NEAR_MISS', 'f', true],
      ],
    ],
    ['a JSON object', '{"name": "f", "arguments": {}}', [['SYNTAX_NEAR_MISS', 'f', true]]],
    ['a tool that nobody knows', `\`\`\`\n${call.replaceAll('f>', 'g>')}\n\`\`\``, []],
    ['prose', 'I would use f, or "f" if you like.', []],
    ['a reply with a call', `${call}\n\`\`\`\n${call}\n\`\`\``, []],
  ])('is said of %s', (_, source, wanted) => {
    expect(diagnose(xml.parser({ tools }), source)).toEqual(wanted)
  })

  test('is said of a block in a quote', () => {
    expect(diagnose(caret.parser({ tools }), '```\n^^^f\na: x\n^^^\n```')).toEqual([['SYNTAX_EXAMPLE', 'f', true]])
  })
})

function diagnose(parser: ReturnType<typeof xml.parser>, source: string) {
  parser.push(source)
  parser.end()
  return (parser.diagnostics ?? []).map(({ code, toolName, final }) => [code, toolName, final])
}
