import type { Chunk, ToolDefinition } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import { auto, hermes, parse, type Syntax, syntaxes, xml } from '@argot/core/syntax'
import { joinDeltas } from '@argot/core/testing'
import { describe, expect, test } from 'vitest'
import { summary } from './summary.ts'

type ParserOptions = NonNullable<Parameters<Syntax['parser']>[0]>

const tools: ToolDefinition[] = [{ name: 'f', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } }]

/** A call in hermes. */
const call = (a: string) => `<tool_call>\n{"name": "f", "arguments": {"a": "${a}"}}\n</tool_call>`

/** The summary of a text, after comparing it with that of every cut. */
function read(syntax: Syntax, text: string, options: ParserOptions = {}): string[] {
  const chosen: ParserOptions = { tools, reasoning: 'parts', ...options }
  const whole = joinDeltas(parse(syntax, text, chosen))
  const cuts = [text.split(''), ...Array.from(text, (_, at) => [text.slice(0, at), text.slice(at)])]
  for (const pieces of cuts) {
    const parser = syntax.parser(chosen)
    const chunks = pieces.flatMap(piece => parser.push(piece))
    expect(joinDeltas([...chunks, ...parser.end()])).toEqual(whole)
  }
  return summary(whole)
}

const noted = (chunks: readonly Chunk[]): unknown[] =>
  chunks.flatMap(chunk => (chunk.type === 'tool-input-available' ? [argotMetadata(chunk)?.inReasoning] : []))

describe.each([hermes, auto])('in $name, open reasoning', syntax => {
  test('that ends with calls of known tools gives them, and they say where they were written', () => {
    const text = `<think>I need it.\n${call('x')}\n${call('y')}\n<|im_end|>`
    expect(read(syntax, text)).toEqual([
      'reasoning "I need it.\\n"',
      'f {"a":"x"}',
      'text "\\n"',
      'f {"a":"y"}',
      'text "\\n"',
    ])
    expect(noted(parse(syntax, text, { tools }))).toEqual([true, true])
    expect(noted(parse(syntax, call('x'), { tools }))).toEqual([undefined])
  })

  test.each([
    ['thoughts follow', `hm ${call('x')} or not`],
    ['the call is cut', `hm ${call('x').slice(0, -14)}`],
    ['the tool is unknown', `hm ${call('x').replace('"f"', '"g"')}`],
    ['an unreadable call is the last', `hm ${call('x')}${call('y').replace('}}', '}]}')}`],
    ['the call is in a fence', `hm\n\`\`\`\n${call('x')}\n\`\`\``],
    ['the call is in a code span', `hm \`${call('x').replaceAll('\n', '')}\``],
    ['the call is in a comment', `hm <!-- ${call('x')} -->`],
    ['other reasoning begins in it', `hm\n<thinking>${call('x')}`],
    ['the call has no mark', '{"name": "f", "arguments": {"a": "x"}}'],
  ])('is only reasoning if %s', (_, thoughts) => {
    expect(read(syntax, `<think>${thoughts}`)).toEqual([`reasoning ${JSON.stringify(thoughts)}`])
  })

  test('holds a call from its mark on, and passes everything else', () => {
    const parser = syntax.parser({ tools, reasoning: 'parts' })
    const text = (chunks: Chunk[]) => chunks.map(chunk => ('delta' in chunk ? chunk.delta : '')).join('')
    expect(text(parser.push(`<think>a < b, so ${call('x')}`))).toBe('a < b, so ')
    expect(text(parser.push('\n '))).toBe('')
    expect(text(parser.push('Wait'))).toBe(`${call('x')}\n Wait`)
    expect(text(parser.push('.'))).toBe('.')
    expect(summary(parser.end())).toEqual([])
  })
})

test('calls count from the last unreadable one on', () => {
  const bad = call('x').replace('}}', '}]}')
  expect(read(hermes, `<think>${bad}\n${call('y')}`)).toEqual([
    `reasoning ${JSON.stringify(`${bad}\n`)}`,
    'f {"a":"y"}',
  ])
})

test('calls in one wrapper count together or not at all', () => {
  const one = (name: string) => `<invoke name="${name}"><parameter name="a">x</parameter></invoke>`
  const group = (...names: string[]) => `<function_calls>${names.map(one).join('')}</function_calls>`
  const invoke = syntaxes.get('invoke')
  expect(read(invoke, `<think>${group('f', 'f')}`)).toEqual(['f {"a":"x"}', 'f {"a":"x"}'])
  expect(read(invoke, `<think>${group('g', 'f')}`)).toEqual([`reasoning ${JSON.stringify(group('g', 'f'))}`])
})

test('reasoning that the template began is open too', () => {
  expect(read(hermes, `hm ${call('x')}`, { startsIn: 'reasoning' })).toEqual(['reasoning "hm "', 'f {"a":"x"}'])
  expect(read(hermes, `hm ${call('x')}</think>Yes.`, { startsIn: 'reasoning' })).toEqual([
    `reasoning ${JSON.stringify(`hm ${call('x')}`)}`,
    'text "Yes."',
  ])
})

test('in a field of reasoning no mark closes it', () => {
  const text = `a</think>${call('x')}`
  expect(read(hermes, `${text} b`, { startsIn: 'reasoning-field' })).toEqual([
    `reasoning ${JSON.stringify(`${text} b`)}`,
  ])
  expect(read(hermes, text, { startsIn: 'reasoning-field' })).toEqual(['reasoning "a</think>"', 'f {"a":"x"}'])
})

test('reasoning as text keeps its marks, and its calls are calls', () => {
  expect(read(hermes, `<think>hm ${call('x')}`, { reasoning: 'text' })).toEqual(['text "<think>hm "', 'f {"a":"x"}'])
})

test('nothing in reasoning is a call with `reasoningCalls: text`, or if no tool is known', () => {
  const text = `<think>${call('x')}`
  const asReasoning = [`reasoning ${JSON.stringify(call('x'))}`]
  expect(read(hermes, text, { reasoningCalls: 'text' })).toEqual(asReasoning)
  expect(read(hermes, text, { tools: [] })).toEqual(asReasoning)
})

test('limits and ids are those of the reply', () => {
  const options: ParserOptions = { limit: 'one', step: 7 }
  const chunks = parse(hermes, `<think>${call('x')}\n${call('y')}`, { tools, ...options })
  expect(chunks.flatMap(chunk => (chunk.type === 'tool-input-available' ? [chunk.toolCallId] : []))).toEqual([
    'tool-7-1',
  ])
  expect(read(hermes, `<think>${call('x')}\n${call('y')}`, options)).toContain(`remainder ${JSON.stringify(call('y'))}`)
})

test('an input that misses the schema is no call', () => {
  const strict: ToolDefinition[] = [{ name: 'f', inputSchema: { type: 'object', properties: {}, required: ['a'] } }]
  const text = '<tool:f></tool:f>'
  expect(read(xml, `<think>${text}`, { tools: strict })).toEqual([`reasoning "${text}"`])
})
