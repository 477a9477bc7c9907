import type { Chunk } from '@argot/core'
import { formatCallout } from '@argot/core/callout'
import { argotMetadata } from '@argot/core/stream'
import { callout, parse, syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { textOf } from '../text-of.ts'
import { testConformance } from './conformance.ts'
import { summary } from './summary.ts'
import { tools } from './tools.ts'

/** A callout of the tool `t` with these lines of YAML. */
const t = (...lines: string[]) => ['> [!tool t c]', ...lines.map(line => `> ${line}`)].join('\n')

/** What is written, and what is read. */
const readable: [string, string, string[]][] = [
  ['a header alone', '> [!tool t c]', ['t {}']],
  ['the end of the text without a line break', t('input:', '  a: 1'), ['t {"a":1}']],
  ['a line without `>` as its end', `${t('input: {a: 1}')}\ntext`, ['t {"a":1}', 'text "\\ntext"']],
  ['an empty line as its end', `${t('input: {a: 1}')}\n\n> quote`, ['t {"a":1}', 'text "\\n\\n> quote"']],
  ['no lazy continuation', `${t('input:')}\n  a: 1\n`, ['t {}', 'text "\\n  a: 1\\n"']],
  ['two in a row', `${t('input: {a: 1}')}\n${t('input: {a: 2}')}`, ['t {"a":1}', 'text "\\n"', 't {"a":2}']],
  ['three headers in a row', [t(), t(), t()].join('\n'), ['t {}', 'text "\\n"', 't {}', 'text "\\n"', 't {}']],
  ['a header without a blank', '>[!tool t c]\n>input: {a: 1}', ['t {"a":1}']],
  ['up to three blanks before `>`', '   > [!tool t c]\n  > input: {a: 1}\n', ['text "   "', 't {"a":1}', 'text "\\n"']],
  ['four blanks before `>` as text', '> [!tool t c]\n    > input: {a: 1}', ['t {}', 'text "\\n    > input: {a: 1}"']],
  [
    'CRLF',
    'Hi\r\n> [!tool t c]\r\n> input:\r\n>   a: x\r\n\r\nBye',
    ['text "Hi\\r\\n"', 't {"a":"x"}', 'text "\\r\\n\\r\\nBye"'],
  ],
  ['tabs behind `>`', '>\t[!tool\tt\tc]\t\n>\tinput:\n>\t\ta: 1\n>\t\tb:\t2\t\n', ['t {"a":1,"b":2}', 'text "\\n"']],
  ['tabs that are as wide as in Markdown', '> [!tool t c]\n> input:\n>\ta: 1\n>   b: 2', ['t {"a":1,"b":2}']],
  ['a paragraph right before it', `Text:\n${t()}`, ['text "Text:\\n"', 't {}']],
  ['a list right before it', `- item\n${t()}`, ['text "- item\\n"', 't {}']],
  ['`[!toolbox]` in it as a line that is wrong', t('[!toolbox]', 'input: {}'), ['t SYNTAX_BAD_YAML']],
  ['half a reasoning tag behind it', `${t()}\n\n<thin`, ['t {}', 'text "\\n\\n<thin"']],
  ['blank lines in its body', t('', 'input:', '', '  a: |', '    x', '', '    y', ''), ['t {"a":"x\\n\\ny\\n"}']],
]

/** What looks like a callout and is text. */
const quoted: [string, string][] = [
  ['`[!toolbox]`', '> [!toolbox]\n> input: {}'],
  ['`[!tools a b]`', '> [!tools a b]'],
  ['another callout', '> [!note]\n> Take care.'],
  ['a header that is not closed', '> [!tool t c\n> input: {}'],
  ['a header over two lines', '> [!tool t\n> c]'],
  ['a header without `>`', '[!tool t c]'],
  ['a header behind text', '> see [!tool t c]'],
  ['two blanks before the header', '>  [!tool t c]'],
  ['capital letters', '> [!TOOL t c]'],
  ['a nested quote', '> > [!tool t c]\n> > input: {}'],
  ['a nested quote without blanks', '>>[!tool t c]'],
  ['a header within a quote', '> Write it like this:\n> [!tool t c]\n> input: {}'],
  ['a list item', '- > [!tool t c]\n  > input: {}'],
  ['the lines below a list item', '1. item\n\n   > [!tool t c]\n   > input: {}'],
  ['a code span', 'Write `> [!tool t c]` first.'],
  ['a code span at the start of a line', '`> [!tool t c]`'],
  ['a fence', '```\n> [!tool t c]\n> input: {}\n```'],
  ['a fence with a language', '~~~markdown\n> [!tool t c]\n~~~'],
  ['reasoning', '<thinking>\n> [!tool t c]\n</thinking>'],
  ['four blanks', '    > [!tool t c]'],
  ['a tab', '\t> [!tool t c]'],
]

describe('the laws', () => {
  const shards = [
    ...['> [!tool a b]\n', '> [!tool]\n', '> [!tool a]\r\n', '>[!tool a b] \n', '> [!tool name=a id=b]', '> [!tool'],
    ...['> [!toolbox]\n', '> [!tool a b c]\n', '> [!tool a b] c\n', '[!tool a b]\n', '> [!', '>', '> ', '>\t', '>\n'],
    ...[
      '> input:\n',
      '>   q: cats\n',
      '> input: {a: 1}\n',
      '> input: |\n',
      '>   > [!tool x y]\n',
      '\n',
      '\r\n',
      'text',
    ],
    ...['> state: output-error\n', '> state: x\n', '> output: 5\n', '> error: "no"\n', '> id: c\n', '> name: d\n'],
    ...['> note: *x\n', '> "\n', '> - a\n', '> {"input": {"a": 1}}\n', '> ---\n', '>  q: 1\n', '> # c\n', '> }\n'],
    '   > a: 1\n',
  ]
  testConformance(callout, {
    test,
    shards,
    texts: [...readable, ...quoted].map(([, source]) => source),
    skip: {
      cutOff: 'nothing marks the end of a callout, so the end of the text ends it; see the test about `end` below',
    },
  })
})

test('gives a call as one start, its input as JSON and as data, and its result', () => {
  expect(parse(callout, `I look.\n\n${t('input:', '  a: x', 'output: [1]')}\n\nDone.`)).toEqual([
    { type: 'text-start', id: 'text-0-1' },
    { type: 'text-delta', id: 'text-0-1', delta: 'I look.\n\n' },
    { type: 'text-end', id: 'text-0-1' },
    { type: 'tool-input-start', toolCallId: 'c', toolName: 't' },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"a":"x"}' },
    { type: 'tool-input-available', toolCallId: 'c', toolName: 't', input: { a: 'x' } },
    { type: 'tool-output-available', toolCallId: 'c', output: [1] },
    { type: 'text-start', id: 'text-0-2' },
    { type: 'text-delta', id: 'text-0-2', delta: '\n\nDone.' },
    { type: 'text-end', id: 'text-0-2' },
  ])
})

describe('where a callout begins and ends', () => {
  test.each(readable)('reads %s', (_, source, lines) => {
    expect(summary(parse(callout, source)).map(short)).toEqual(lines)
  })

  test.each(quoted)('takes %s as text', (_, source) => {
    expect(summary(parse(callout, source))).toEqual([`text ${JSON.stringify(source)}`])
  })
})

describe('the header', () => {
  test.each<[string, string, string, string]>([
    ['nothing', '[!tool]', 'tool', 'tool-call-1'],
    ['blanks', '[!tool ]', 'tool', 'tool-call-1'],
    ['a name', '[!tool search]', 'search', 'tool-call-1'],
    ['a name and an id', '[!tool search call_1]', 'search', 'call_1'],
    ['a name with hyphens and dots', '[!tool my-server.read-file call-1]', 'my-server.read-file', 'call-1'],
    ['assignments', '[!tool name=search id=call_1]', 'search', 'call_1'],
    ['assignments in the other order', '[!tool id=call_1 name=search]', 'search', 'call_1'],
    ['the long names', '[!tool toolCallId=call_1 toolName=search]', 'search', 'call_1'],
    ['an id alone', '[!tool id=call_1]', 'tool', 'call_1'],
    ['a name and an assignment', '[!tool search id=call_1]', 'search', 'call_1'],
    ['an assignment before a name', '[!tool id=call_1 search]', 'search', 'call_1'],
    ['a name given, an id behind it', '[!tool name=search call_1]', 'search', 'call_1'],
    ['quotes', '[!tool name="web search" id="1 2"]', 'web search', '1 2'],
    ['`=` in an id', '[!tool search id=a=b==]', 'search', 'a=b=='],
  ])('reads %s', (_, header, toolName, toolCallId) => {
    expect(parse(callout, `> ${header}`)[0]).toEqual({ type: 'tool-input-start', toolName, toolCallId })
  })

  test.each([
    ['a third word', '> [!tool a b c]'],
    ['an unknown assignment', '> [!tool name=a x=b]'],
    ['a name twice', '> [!tool name=a name=b]'],
    ['an assignment without a value', '> [!tool name= id=b]'],
    ['text behind it', '> [!tool a b] and more'],
  ])('reports %s', (_, source) => {
    const error = parse(callout, `Hi.\n\n${source}\n> input: {}`).find(chunk => chunk.type === 'tool-input-error')
    expect(error).toMatchObject({ input: `${source}\n> input: {}` })
    expect(error?.errorText).toMatch(/^Line 3, column 1: .*\n> \[!tool /s)
    expect(argotMetadata(error ?? {})).toEqual({ code: 'SYNTAX_BAD_HEADER', offset: 5 })
  })

  test.each<[string, string[], string, string]>([
    ['names and ids of the body', ['toolName: search', 'toolCallId: call_1'], 'search', 'call_1'],
    ['the short names', ['id: call_1', 'name: search'], 'search', 'call_1'],
    ['a number as an id', ['id: 0123'], 'tool', '0123'],
    ['an empty id as none', ['id:', 'name: null'], 'tool', 'tool-call-1'],
    ['the first of two spellings', ['id: a', 'toolCallId: b', 'toolName: c', 'name: d'], 'c', 'a'],
    ['the first of two names', ['toolName: c', 'name: d', 'id: a'], 'c', 'a'],
  ])('takes %s', (_, lines, toolName, toolCallId) => {
    const chunks = parse(callout, ['[!tool]', ...lines].map(line => `> ${line}`).join('\n'))
    expect(chunks[0]).toEqual({ type: 'tool-input-start', toolName, toolCallId })
    expect(chunks.at(-1)).toEqual({ type: 'tool-input-available', toolName, toolCallId, input: {} })
  })

  test('wins over the body', () => {
    for (const header of ['[!tool search call_1]', '[!tool search]', '[!tool id=call_1]']) {
      const [start] = parse(callout, `> ${header}\n> name: other\n> id: call_2`)
      expect(start).toMatchObject({ toolName: header.includes('search') ? 'search' : 'other' })
      expect(start).toMatchObject({ toolCallId: header.includes('call_1') ? 'call_1' : 'call_2' })
    }
  })

  test('gives ids that are unique in the document', () => {
    const given = ['x', 'x', '', 'x-3', 'x', 'tool-call-7', '', 'tool-call-7', 'x']
    const headers = given.map(id => `[!tool a ${id}]`)
    const ids = parse(callout, headers.map(header => `> ${header}`).join('\n'))
      .filter(chunk => chunk.type === 'tool-input-start')
      .map(chunk => chunk.toolCallId)
    const expected = ['x', 'x-2', 'tool-call-3', 'x-3', 'x-4', 'tool-call-7', 'tool-call-8', 'tool-call-7-2', 'x-5']
    expect(ids).toEqual(expected)
  })

  test('leaves ids to `nextId`, and to the number of the step, where these are given', () => {
    const idOf = (options: object) => parse(callout, '> [!tool a]', options)[0]
    expect(idOf({ nextId: (name: string) => `${name}!` })).toMatchObject({ toolCallId: 'a!' })
    expect(idOf({ step: 7 })).toMatchObject({ toolCallId: 'tool-7-1' })
  })
})

describe('limits', () => {
  const error = (source: string) => {
    const chunk = parse(callout, source).find(each => each.type === 'tool-input-error')
    return argotMetadata(chunk ?? {})?.code
  }
  const many = (count: number, before = '') => Array.from({ length: count }, (_, i) => `${before}k${i}: ${i}`)

  test('takes 1 000 parameters and no more', () => {
    expect(error(t('input:', ...many(1000, '  ')))).toBeUndefined()
    expect(error(t('input:', ...many(1001, '  ')))).toBe('SYNTAX_TOO_MANY_PARAMETERS')
  })

  test('takes 1 000 fields and no more', () => {
    expect(error(t(...many(1000)))).toBeUndefined()
    expect(error(t(...many(1001)))).toBe('SYNTAX_TOO_MANY_PARAMETERS')
  })

  test('reads an output of very many keys', () => {
    const chunks = parse(callout, t('output:', ...many(shareOf(40_000), '  ')))
    const output = chunks.find(chunk => chunk.type === 'tool-output-available')?.output
    expect(Object.keys(output ?? {})).toHaveLength(shareOf(40_000))
  })

  test('refuses an alias bomb without expanding it', () => {
    const levels = Array.from({ length: 30 }, (_, i) => `  a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]`)
    expect(error(t('input:', '  a0: &a0 [lol]', ...levels))).toBe('SYNTAX_BAD_YAML')
  })

  test.each([
    ['a name that is too long', `> [!tool ${'n'.repeat(129)} c]`, 'SYNTAX_NAME_TOO_LONG'],
    ['a parameter whose name is too long', t(`input: {${'n'.repeat(129)}: 1}`), 'SYNTAX_NAME_TOO_LONG'],
    ['a call that is too long', t(`input: ${'x'.repeat(8 * 1024 * 1024)}`, 'note: y'), 'SYNTAX_CALL_TOO_LONG'],
    ['nesting that is too deep for the stack', t(`input: ${'['.repeat(shareOf(200_000))}`), 'SYNTAX_TOO_DEEP'],
    ['lists that are too deep for the stack', t('input:', `  ${'- '.repeat(shareOf(100_000))}x`), 'SYNTAX_TOO_DEEP'],
  ])('reports %s', (_, source, code) => {
    expect(error(source)).toBe(code)
  })
})

describe('while it streams', () => {
  /** For each type of chunk, how many characters had been pushed when it came first; `end` when it came with the end. */
  function arrivals(source: string): Record<string, string> {
    const parser = callout.parser()
    const first: Record<string, string> = {}
    const note = (chunks: Chunk[], when: string) => {
      for (const { type } of chunks) first[type] ??= when
    }
    for (let i = 0; i < source.length; i++) note(parser.push(source.charAt(i)), source.slice(0, i + 1).slice(-10))
    note(parser.end(), 'end')
    return first
  }

  test('starts a call at the end of a header with name and id', () => {
    expect(arrivals('> [!tool t c]\n> input:\n>   a: 1\n')['tool-input-start']).toBe('tool t c]\n')
  })

  test('starts a call as soon as the body has named it', () => {
    expect(arrivals('> [!tool]\n> id: c\n> name: t\n> input:\n>   a: 1\n')['tool-input-start']).toBe('ame: t\n> i')
  })

  test('starts a call without an id when nothing can give it one', () => {
    expect(arrivals('> [!tool t]\n> input:\n>   a: 1\n\n')['tool-input-start']).toBe('>   a: 1\n\n')
  })

  test('gives the input when its result begins, not only when the block has ended', () => {
    expect(arrivals('> [!tool t c]\n> input:\n>   a: 1\n> output:\n>   b: 5\n\nx')).toMatchObject({
      'tool-input-available': '> output:\n',
      'tool-output-available': '>   b: 5\n\n',
    })
  })

  test('gives the input when its value has ended and the state has announced a result', () => {
    const source = '> [!tool t c]\n> state: output-error\n> input:\n>   a: 1\n> note: 5\n\nx'
    expect(arrivals(source)['tool-input-available']).toBe('  a: 1\n> n')
  })

  test('does the same for lines that end in CRLF', () => {
    expect(arrivals('> [!tool t c]\r\n> input:\r\n>   a: 1\r\n> output: 5\r\n')['tool-input-available']).toBe(
      'utput: 5\r\n',
    )
  })

  test('holds the input that stands before the name until the name is there', () => {
    expect(arrivals('> [!tool]\n> input: {a: 1}\n> id: c\n> name: t\n> output: 5\n')['tool-input-available']).toBe(
      'output: 5\n',
    )
  })

  test('gives what the end of the text decides only with `end`', () => {
    const source = callout.format({ toolCallId: 'c', toolName: 't', input: { a: 'one two', b: ['x', 'y'] } })
    for (let end = 1; end <= source.length; end++) {
      expect(
        callout
          .parser()
          .push(source.slice(0, end))
          .filter(chunk => chunk.type === 'tool-input-available'),
      ).toEqual([])
    }
  })

  test('holds back no prose, and of a quote only what may be a header', () => {
    const parser = callout.parser()
    for (const character of 'Prose, `code` and\nmore.\n') expect(textOf(parser.push(character))).toBe(character)
    expect(textOf(parser.push('> [!no'))).toBe('> [!no')
  })
})

describe('writing', () => {
  test.each<[string, unknown]>([
    ['nothing', {}],
    [
      'text with lines, blanks and marks',
      { a: ' x\n\n> [!tool a b]\n```\n', b: '- a: "b" # c', c: '\t\n', d: '', e: ' \n' },
    ],
    ['numbers of any size', { a: 2 ** 53, b: -1e20, c: 5e-324, d: 0.1 }],
    ['what looks like something else', { a: '5', b: 'null', c: '2024-01-01', d: '.nan', e: '0x1', f: '~' }],
    ['any key', { 'a b': 1, '': 2, 'x: y': 3, '\n': 4, '- ': { '? ': 5 } }],
    ['a list', [1, [2, []], {}]],
    ['a string', 'text'],
    ['null', null],
  ])('reads back %s', (_, input) => {
    const source = callout.format({ toolCallId: 'c', toolName: 't', input })
    expect(plain(parse(callout, source).find(chunk => chunk.type === 'tool-input-available')?.input)).toEqual(input)
  })

  test('puts into the header what fits there, and the rest into the body', () => {
    expect(callout.format({ toolCallId: '', toolName: 't' })).toBe('> [!tool t]\n> input: {}')
    expect(callout.format({ toolCallId: 'a b', toolName: 't' })).toBe('> [!tool t]\n> toolCallId: a b\n> input: {}')
    expect(callout.format({ toolCallId: 'c', toolName: 'my tool' })).toBe(
      '> [!tool id=c]\n> toolName: my tool\n> input: {}',
    )
  })

  test.each([
    ['a function', { a: () => 1 }],
    ['NaN', { a: [Number.NaN] }],
    ['more than 1 000 parameters', Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`k${i}`, i]))],
    ['a parameter with a long name', { ['n'.repeat(129)]: 1 }],
  ])('refuses %s', (_, input) => {
    expect(() => callout.format({ toolCallId: 'c', toolName: 't', input })).toThrow(
      expect.objectContaining({ code: 'SYNTAX_CANNOT_WRITE' }),
    )
  })

  test('refuses what refers to itself', () => {
    const input: Record<string, unknown> = {}
    input.self = input
    expect(() => callout.format({ toolCallId: 'c', toolName: 't', input })).toThrow('The call cannot be written')
  })

  test('writes a call without its result, which is the tool’s to give', () => {
    const call = { toolCallId: 'c', toolName: 't', input: { a: 1 }, state: 'output-available', output: 5 } as const
    expect(callout.format(call)).toBe('> [!tool t c]\n> input:\n>   a: 1')
  })

  test('writes a whole record where that is wanted', () => {
    const call = {
      toolCallId: 'c',
      toolName: 't',
      input: {},
      state: 'output-error',
      output: [5],
      errorText: 'late',
    } as const
    const source = formatCallout(call, { took: 12 })
    expect(source).toBe(t('took: 12', 'state: output-error', 'input: {}', 'output:', '  - 5', 'errorText: late'))
    expect(summary(parse(callout, source))).toEqual(['t {}', 'preview [5]', 'failed "late"'])
  })

  test('describes tools with an example that is a call', () => {
    const text = callout.describe(tools)
    expect(text).toContain('> [!tool NAME ID]')
    const usage = text
      .split('Usage:\n')
      .slice(1)
      .map(part => part.split('\n\n## ', 1)[0] ?? '')
    expect(usage.map(source => summary(parse(callout, source, { tools }))[0]?.split(' ')[0])).toEqual(
      tools.map(tool => tool.name),
    )
    expect(usage[1]).toBe(
      '> [!tool write_file call_1]\n> input:\n>   content: |-\n>     the first line\n>     the second line\n>   path: src/lib.rs\n>   mode: create',
    )
  })

  test('quotes a result', () => {
    const result = { toolCallId: 'c', toolName: 't', state: 'output-available', output: '> [!tool a b]' } as const
    expect(callout.formatResult(result)).toBe('> [!result t c success]\n```\n> [!tool a b]\n```\n> [!end of result]')
  })

  test('is registered', () => {
    expect(syntaxes.get('callout')).toBe(callout)
  })
})

/** Data without the missing prototypes, for comparisons. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

/** A line of a summary without the source of an error. */
function short(line: string): string {
  return line.replace(/^(\S+ SYNTAX_\w+) .*$/, '$1')
}
