import type { Chunk } from '@argot/core'
import { createStreamChunks, formatCallout, type MarkdownChunk, parseMarkdownIntoChunks } from '@argot/core/callout'
import { callout, parse } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { textOf } from '../text-of.ts'

type MarkdownToolChunk = Extract<MarkdownChunk, { type: 'tool' }>

/** The example of the seed, `markdown-tool-call-blocks.md`. */
const example = `The assistant is going to search for cats.

> [!tool search call_123]
> state: output-available
> input:
>   query: cats
> output:
>   results:
>     - title: All About Cats
>       url: https://example.com/cats

Here are the results we found!
`

const output = { results: [{ title: 'All About Cats', url: 'https://example.com/cats' }] }

test('reads the example of the seed', () => {
  expect(parseMarkdownIntoChunks(example)).toEqual([
    ...['The ', 'assistant ', 'is ', 'going ', 'to ', 'search ', 'for ', 'cats.\n\n'].map(word),
    {
      type: 'tool',
      toolCallId: 'call_123',
      toolName: 'search',
      state: 'output-available',
      input: { query: 'cats' },
      output,
    },
    ...['\n\n', 'Here ', 'are ', 'the ', 'results ', 'we ', 'found!\n'].map(word),
  ])
})

test('makes of the example of the seed the stream that it could have been', () => {
  expect(createStreamChunks(parseMarkdownIntoChunks(example))).toEqual([
    { type: 'text-start', id: 'text-1' },
    ...['The ', 'assistant ', 'is ', 'going ', 'to ', 'search ', 'for ', 'cats.\n\n'].map(delta('text-1')),
    { type: 'text-end', id: 'text-1' },
    { type: 'tool-input-available', toolCallId: 'call_123', toolName: 'search', input: { query: 'cats' } },
    { type: 'tool-output-available', toolCallId: 'call_123', output },
    { type: 'text-start', id: 'text-2' },
    ...['\n\n', 'Here ', 'are ', 'the ', 'results ', 'we ', 'found!\n'].map(delta('text-2')),
    { type: 'text-end', id: 'text-2' },
  ])
})

describe('each field of the seed’s table', () => {
  test.each<[string, string, Partial<MarkdownToolChunk>, string[]]>([
    [
      'nothing',
      '[!tool]',
      { toolCallId: 'tool-call-1', toolName: 'tool', state: 'input-available', input: {} },
      ['input {}'],
    ],
    ['`toolCallId`', '[!tool]\ntoolCallId: a', { toolCallId: 'a' }, ['input {}']],
    ['`id`', '[!tool]\nid: a', { toolCallId: 'a' }, ['input {}']],
    ['an id in the header', '[!tool id=a]\nid: b', { toolCallId: 'a' }, ['input {}']],
    ['`toolName`', '[!tool]\ntoolName: Web search', { toolName: 'Web search' }, ['input {}']],
    ['`name`', '[!tool]\nname: search', { toolName: 'search' }, ['input {}']],
    ['`state: input-streaming`', '[!tool]\nstate: input-streaming', { state: 'input-streaming' }, ['input {}']],
    ['`state: input-available`', '[!tool]\nstate: input-available', { state: 'input-available' }, ['input {}']],
    [
      '`state: output-available`',
      '[!tool]\nstate: output-available',
      { state: 'output-available', output: null },
      ['input {}', 'output null'],
    ],
    [
      '`state: output-error`',
      '[!tool]\nstate: output-error',
      { state: 'output-error', errorText: 'Tool failed' },
      ['input {}', 'failed Tool failed'],
    ],
    ['`input`', '[!tool]\ninput: {a: [1]}', { input: { a: [1] } }, ['input {"a":[1]}']],
    ['`output`', '[!tool]\noutput: 5', { state: 'output-available', output: 5 }, ['input {}', 'output 5']],
    ['`errorText`', '[!tool]\nerrorText: no', { state: 'output-error', errorText: 'no' }, ['input {}', 'failed no']],
    ['`error`', '[!tool]\nerror: no', { state: 'output-error', errorText: 'no' }, ['input {}', 'failed no']],
    [
      'an output beside an error',
      '[!tool]\nstate: output-available\noutput: 5\nerror: no',
      { state: 'output-available', output: 5, errorText: 'no' },
      ['input {}', 'preview 5', 'failed no'],
    ],
  ])('reads %s', (_, block, fields, events) => {
    const [chunk, ...rest] = parseMarkdownIntoChunks(quote(block))
    expect(rest).toEqual([])
    expect(chunk).toMatchObject({ type: 'tool', ...fields })
    expect(createStreamChunks([chunk as MarkdownChunk]).map(event)).toEqual(events)
  })

  test('keeps every other field, wherever it stands', () => {
    const [chunk] = parseMarkdownIntoChunks(quote('[!tool t c]\ntook: 12\ninput: {a: 1}\ntags: [x, y]\nby: {name: me}'))
    expect(chunk).toEqual({
      type: 'tool',
      toolCallId: 'c',
      toolName: 't',
      state: 'input-available',
      input: { a: 1 },
      took: 12,
      tags: ['x', 'y'],
      by: { name: 'me' },
    })
    expect(createStreamChunks([chunk as MarkdownChunk])).toEqual([
      {
        type: 'tool-input-available',
        toolCallId: 'c',
        toolName: 't',
        input: { a: 1 },
        providerMetadata: { argot: { extra: { took: 12, tags: ['x', 'y'], by: { name: 'me' } } } },
      },
    ])
  })

  test('lets no other field take the place of one that has a meaning', () => {
    const [chunk] = parseMarkdownIntoChunks(quote('[!tool t c]\ntype: text\nrawInput: x\n__proto__: {input: 1}'))
    expect(chunk).toMatchObject({ type: 'tool', input: {} })
    expect(Object.getPrototypeOf(chunk)).toBe(Object.prototype)
  })
})

test('gives a callout that cannot be read as a call that failed, with its source', () => {
  const source = '> [!tool t c]\n> input: {a: *x}'
  const [chunk] = parseMarkdownIntoChunks(source)
  expect(chunk).toEqual({
    type: 'tool',
    toolCallId: 'c',
    toolName: 't',
    state: 'output-error',
    input: {},
    rawInput: source,
    errorText: expect.stringMatching(/^Line 2, column 14: Aliases/),
  })
  expect(createStreamChunks([chunk as MarkdownChunk]).map(event)).toEqual(['unreadable'])
})

test('gives what goes wrong behind the input as an error of the result', () => {
  const [chunk] = parseMarkdownIntoChunks('> [!tool t c]\n> input: {a: 1}\n> state: done\n')
  expect(chunk).toMatchObject({ state: 'output-error', input: { a: 1 }, errorText: expect.stringMatching(/^Line 3/) })
  expect(createStreamChunks([chunk as MarkdownChunk]).map(event)[0]).toBe('input {"a":1}')
})

test.each([
  ['blanks at both ends', '  \n a\tb \r\n\n'],
  ['blanks alone', ' \n'],
  ['nothing', ''],
  ['callouts and quotes', `${example}> quote\n\n${example}\`\`\`\n${example}\`\`\`\n> [!tool a b`],
  ['callouts at both ends', '> [!tool a b]\n\n> [!tool a b]'],
])('joins the words to the source outside calls: %s', (_, source) => {
  const words = parseMarkdownIntoChunks(source).map(chunk => (chunk.type === 'text' ? chunk.text : ''))
  expect(words.join('')).toBe(textOf(parse(callout, source)))
  for (const each of words.filter(text => text !== '')) expect(each).toMatch(/^(\S+\s*|\s+)$/)
})

test('gives ids that are unique in the document', () => {
  const calls = parseMarkdownIntoChunks([example, example, '> [!tool]\n', '> [!tool]'].join('\n')).filter(isTool)
  expect(calls.map(call => call.toolCallId)).toEqual(['call_123', 'call_123-2', 'tool-call-3', 'tool-call-4'])
})

test('gives the tool chunks of the parser, but for the start and the deltas', () => {
  const source = ['input: {a: 1}', 'output: 5', 'error: no', 'state: output-available', 'note: 1\ninput: [x]']
    .map((body, i) => quote(`[!tool t c${i}]\n${body}`))
    .join('\n\n')
  const streamed = parse(callout, source).filter(
    ({ type }) => type.startsWith('tool-') && type !== 'tool-input-start' && type !== 'tool-input-delta',
  )
  const events = createStreamChunks(parseMarkdownIntoChunks(source)).filter(({ type }) => type.startsWith('tool-'))
  expect(events).toEqual(streamed)
})

test('reads back what `formatCallout` writes', () => {
  for (const call of parseMarkdownIntoChunks(example).filter(isTool)) {
    const { type, toolCallId, toolName, state, input, output: result, errorText, ...extra } = call
    const source = formatCallout(
      {
        toolCallId,
        toolName,
        state,
        input,
        ...(result === undefined ? {} : { output: result }),
        ...(errorText === undefined ? {} : { errorText }),
      },
      extra,
    )
    expect(parseMarkdownIntoChunks(source)).toEqual([call])
    expect(example).toContain(`\n${source}\n`)
  }
})

test('takes chunks that a program made', () => {
  const made: MarkdownChunk[] = [
    { type: 'tool', toolCallId: 'c', toolName: 't', state: 'output-available', input: 5 },
    { type: 'text', text: 'Done.' },
  ]
  expect(createStreamChunks(made).map(({ type }) => type)).toEqual([
    'tool-input-available',
    'tool-output-available',
    'text-start',
    'text-delta',
    'text-end',
  ])
})

function quote(block: string): string {
  return block.replaceAll(/^/gm, '> ')
}

function word(text: string): MarkdownChunk {
  return { type: 'text', text }
}

function delta(id: string): (text: string) => Chunk {
  return text => ({ type: 'text-delta', id, delta: text })
}

function isTool(chunk: MarkdownChunk): chunk is MarkdownToolChunk {
  return chunk.type === 'tool'
}

function event(chunk: Chunk): string {
  switch (chunk.type) {
    case 'tool-input-available':
      return `input ${JSON.stringify(chunk.input)}`
    case 'tool-output-available':
      return `${chunk.preliminary === true ? 'preview' : 'output'} ${JSON.stringify(chunk.output)}`
    case 'tool-output-error':
      return `failed ${chunk.errorText}`
    case 'tool-input-error':
      return 'unreadable'
    default:
      return chunk.type
  }
}
