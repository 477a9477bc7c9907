import { parse, syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { finish, readReply, signCalls } from '../../src/reading/read-reply.ts'
import type { ExamplePlace, Reading } from '../../src/reading/reading.ts'
import { sampleReplies } from '../../src/state/samples.ts'
import { tools } from '../tools.ts'

const read = (text: string, syntax = 'auto'): Reading => finish(readReply({ text, syntax, tools }))
const call = '<tool_call>{"name": "delete_file", "arguments": {"path": "a"}}</tool_call>'

describe.each(sampleReplies.map(sample => [sample.name, sample] as const))('the sample %s', (_name, { text }) => {
  const reading = read(text)

  test('is covered by its segments, in order', () => {
    expect(reading.segments.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
    const starts = reading.segments.map(({ start }) => start)
    expect(starts).toEqual([0, ...reading.segments.slice(0, -1).map(({ end }) => end)])
  })

  test('has the calls that any program reads', () => {
    const chunks = parse('auto', text, { tools, reasoning: 'parts' })
    const inputs = chunks.filter(chunk => chunk.type === 'tool-input-available')
    expect(signCalls(reading.calls)).toBe(JSON.stringify(inputs.map(({ toolName, input }) => [toolName, input])))
  })

  test('has the text that any program reads', () => {
    const chunks = parse('auto', text, { tools, reasoning: 'parts' })
    const written = chunks.map(chunk => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')
    const isText = ({ kind, index = -1 }: Reading['segments'][number]): boolean =>
      kind === 'text' || (kind === 'example' && reading.examples[index]?.place !== 'reasoning')
    const shown = reading.segments.filter(isText).map(({ start, end }) => text.slice(start, end))
    expect(shown.join('')).toBe(written)
  })
})

test('each sample is of the family that it is named after', () => {
  const dialects = sampleReplies.map(({ name, text }) => [name, ...new Set(read(text).calls.map(each => each.dialect))])
  expect(dialects).toEqual([
    ['Hermes', 'hermes'],
    ['Qwen3-Coder', 'qwen3-coder'],
    ['DeepSeek', 'deepseek-v3'],
    ['gpt-oss', 'harmony'],
    ['Mistral', 'mistral'],
    ['Kimi', 'kimi-k2'],
    ['Llama 4', 'pythonic'],
    ['GLM', 'glm'],
    ['Caret', 'caret'],
    ['Examples', 'hermes'],
    ['Mistakes', 'hermes'],
    ['Cut off', 'hermes'],
  ])
})

test('a call has its exact range in the text, in every syntax', () => {
  const input = { query: 'a "b" <c>', limit: 3 }
  for (const name of syntaxes.names()) {
    const syntax = syntaxes.get(name)
    if (name === 'auto' || syntax.kind === 'native') continue
    const source = syntax.format({ toolCallId: 'c1', toolName: 'search', input }, tools[2])
    const text = `I'll look.\n\n${source}\n\n`
    const { calls } = read(text, name)
    const [found] = calls
    expect([name, calls.length, found?.input]).toEqual([name, 1, input])
    expect(text.slice(found?.start, found?.end).trim(), name).toBe(source)
  }
})

test('calls one after the other share no character', () => {
  const text = `${call}\n${call.replace('"a"', '"b"')}${call.replace('"a"', '"c"')}`
  const { calls } = read(text)
  expect(calls.map(({ start, end }) => text.slice(start, end))).toEqual([
    call,
    call.replace('"a"', '"b"'),
    call.replace('"a"', '"c"'),
  ])
})

test('text right after a call is text from its first character, also where it begins like another call', () => {
  const text = `${call}<<b> and so on`
  const { segments } = read(text)
  expect(segments.map(({ kind, start, end }) => [kind, text.slice(start, end)])).toEqual([
    ['call', call],
    ['text', '<<b> and so on'],
  ])
})

const places: [ExamplePlace, string][] = [
  ['block', `Look:\n\n\`\`\`\n${call}\n\`\`\`\n`],
  ['block', `~~~xml\n${call}\n~~~\n`],
  ['code', `Write \`${call}\` here.`],
  ['code', `Write <code>${call}</code> here.`],
  ['quote', `> ${call}\n`],
  ['list', `- ${call}\n`],
  ['list', `1. First\n\n   ${call}\n`],
  ['table', `| ${call} |\n`],
  ['footnote', `[^1]: ${call}\n`],
  ['indented', `Look:\n\n    ${call}\n`],
  ['html', `<!-- ${call} -->\n`],
  ['html', `<pre>\n${call}\n</pre>\n`],
  ['reasoning', `<think>\nMaybe ${call}\n</think>\nNo.`],
  ['escaped', `Write \\${call} here.`],
]

test.each(places)('an example in %s is text, and the reason is named: %j', (place, text) => {
  const { calls, examples, segments } = read(text)
  expect(calls).toEqual([])
  expect(examples.map(each => [each.place, each.toolName, text.slice(each.start, each.end)])).toEqual([
    [place, 'delete_file', call],
  ])
  expect(segments.some(({ kind }) => kind === 'example')).toBe(true)
})

test('a near miss is named with its place and its cure, beside calls too', () => {
  const text = `${call}\n\nAnd get_weather(city="Oslo") is none.`
  const { calls, misses } = read(text)
  expect(calls).toHaveLength(1)
  expect(misses).toEqual([expect.objectContaining({ code: 'SYNTAX_NEAR_MISS', toolName: 'get_weather' })])
  expect(text.slice(misses[0]?.offset).startsWith('get_weather(')).toBe(true)
  expect(misses[0]?.cure).not.toBe('')
})

test('a call that failed has a code and says what is wrong', () => {
  const [found] = read(call.replace('"a"', '7')).calls
  expect(found?.failure?.code).toBe('SYNTAX_BAD_VALUE')
})

test('names of prototypes are ordinary names', () => {
  const text = '<tool_call>{"name": "constructor", "arguments": {"__proto__": {"a": 1}, "toString": 2}}</tool_call>'
  const { calls } = finish(readReply({ text, syntax: 'auto', tools: [] }))
  expect(calls.map(each => each.toolName)).toEqual(['constructor'])
  expect(JSON.stringify(calls[0]?.input)).toBe('{"__proto__":{"a":1},"toString":2}')
})

test('a long reply keeps a bounded number of events', () => {
  const { events, length } = read(`${'Some words. '.repeat(3500)}${call}`)
  expect(events.length).toBeLessThan(22_000)
  expect(events.at(-1)?.end).toBe(length)
})
