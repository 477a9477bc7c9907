import type { Chunk } from '@argot/core'
import { type MarkdownChunk, parseMarkdownIntoChunks } from '@argot/core/callout'
import { argotMetadata } from '@argot/core/stream'
import { callout, fence, parse } from '@argot/core/syntax'
import { joinDeltas } from '@argot/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { same } from '../stream/laws.ts'
import { textOf } from '../text-of.ts'
import { summary } from './summary.ts'
import { tools } from './tools.ts'

/** A callout of the tool `t` with these lines of YAML. */
const t = (...lines: string[]) => ['> [!tool t c]', ...lines.map(line => `> ${line}`)].join('\n')

describe('values', () => {
  test.each<[string, string[], unknown]>([
    ['no input', [], {}],
    ['an empty input', ['input:'], {}],
    ['`{}`', ['input: {}'], {}],
    ['null', ['input: null'], null],
    ['a list', ['input: [1, two]'], [1, 'two']],
    ['a list that is not indented', ['input:', '- 1', '- two', 'note: x'], [1, 'two']],
    ['a string', ['input: just text'], 'just text'],
    [
      'words, numbers, booleans and null',
      ['input: {a: x y, b: -1.5, c: true, d: null, e: ~}'],
      { a: 'x y', b: -1.5, c: true, d: null, e: null },
    ],
    [
      'words that only YAML 1.1 knows',
      ['input: {a: yes, b: no, c: on, d: 1_000, e: 012}'],
      { a: 'yes', b: 'no', c: 'on', d: '1_000', e: 12 },
    ],
    [
      'dates as strings',
      ['input: {a: 2024-01-31, b: 2024-01-31T10:00:00Z}'],
      { a: '2024-01-31', b: '2024-01-31T10:00:00Z' },
    ],
    ['integers up to 2^53', ['input: [9007199254740991, -9007199254740991]'], [9007199254740991, -9007199254740991]],
    [
      'integers beyond 2^53 as strings',
      ['input: [9007199254740992, -12345678901234567890]'],
      ['9007199254740992', '-12345678901234567890'],
    ],
    ['large numbers with an exponent', ['input: [1e20, 1.5e+300]'], [1e20, 1.5e300]],
    ['hexadecimal and octal numbers', ['input: [0x1F, 0o17, 0xFFFFFFFFFFFFFFFF]'], [31, 15, '0xFFFFFFFFFFFFFFFF']],
    [
      'keys of any kind as strings',
      ['input: {1: a, true: b, "c d": e, ~: f}'],
      { 1: 'a', true: 'b', 'c d': 'e', '~': 'f' },
    ],
    [
      '`__proto__` and `constructor` as keys',
      ['input: {__proto__: {a: 1}, constructor: 2}'],
      JSON.parse('{"__proto__":{"a":1},"constructor":2}'),
    ],
    ['`<<` as a key', ['input: {<<: {a: 1}}'], { '<<': { a: 1 } }],
    ['core tags', ['input: {a: !!str 5, b: !!int "6"}'], { a: '5', b: 6 }],
    ['an anchor that nothing refers to', ['input: {a: &x 5}'], { a: 5 }],
    ['comments', ['# first', 'input: # second', '  a: 1 # third', '# fourth', '  b: 2'], { a: 1, b: 2 }],
    [
      'JSON over several lines',
      ['input: {', '  "a": ["\\ud83d\\ude42"],', '  "b": {"c": null}', '}', 'note: x'],
      { a: ['🙂'], b: { c: null } },
    ],
    [
      'a block of text',
      ['input:', '  a: |', '    one', '', '      two', '  b: >-', '    three', '    four'],
      { a: 'one\n\n  two\n', b: 'three four' },
    ],
    ['a depth of 500', [`input: ${'['.repeat(500)}${']'.repeat(500)}`], JSON.parse('['.repeat(500) + ']'.repeat(500))],
    ['a fence in a block of text', ['input:', '  a: |', '    ```js', '    x', '    ```'], { a: '```js\nx\n```\n' }],
    [
      'a callout in a block of text',
      ['input:', '  a: |-', '    > [!tool x y]', '    > input: {}', '    [!tool x y]'],
      { a: '> [!tool x y]\n> input: {}\n[!tool x y]' },
    ],
    ['a fence at the start of a line', ['input:', '  a: |', '    x', '```: y'], { a: 'x\n' }],
    ['tabs in a block of text', ['input:', '  a: |', '    all:', '    \tcc'], { a: 'all:\n\tcc\n' }],
    ['a body that is indented', ['  input:', '    a: 1', '  state: input-available'], { a: 1 }],
    ['quoted field names', ['"input": {"a": 1}', "'state': input-available"], { a: 1 }],
    ['a flow mapping as the body', ['{input: {a: 1}, state: input-available}'], { a: 1 }],
    [
      'JSON as the body',
      ['{', '  "state": "input-available",', '  "input": {"a": [1, {"b": 2}]}', '}'],
      { a: [1, { b: 2 }] },
    ],
    ['a body behind `---`', ['---', 'input:', '  a: 1'], { a: 1 }],
    ['a body between two `---`', ['---', 'input: {a: 1}', '---'], { a: 1 }],
    ['a body with an explicit key', ['? input', ': a: 1'], { a: 1 }],
  ])('reads %s', (_, lines, input) => {
    const chunks = readEveryCut(t(...lines))
    const available = chunks.find(chunk => chunk.type === 'tool-input-available')
    expect(plain(available?.input)).toEqual(input)
    expect(chunks.some(chunk => chunk.type === 'tool-output-error')).toBe(lines.includes('```: y'))
  })

  test('reads -0 as 0, which is what JSON makes of it', () => {
    const available = parse(callout, t('input: [-0, -0.0]')).find(chunk => chunk.type === 'tool-input-available')
    expect(available?.input).toStrictEqual([0, 0])
  })

  test.each<[string, string, unknown]>([
    ['a number where text is wanted', 'pattern: 0123', { pattern: '0123' }],
    ['a date, a boolean and nothing where text is wanted', 'pattern: true', { pattern: 'true' }],
    ['an empty value where text is wanted', 'pattern:', { pattern: '' }],
    ['quoted digits where a number is wanted', 'integer: "5"', { integer: 5 }],
    ['one value where a list is wanted', 'numbers: 5', { numbers: [5] }],
    ['the singular of a list', 'query: 007', { queries: ['007'] }],
    ['numbers in a list of texts', 'queries: [1, 2.50]', { queries: ['1', '2.50'] }],
    ['one object where a list of them is wanted', 'objects: {x: 1}', { objects: [{ x: 1 }] }],
    ['null where it is allowed', 'maybe: null', { maybe: null }],
    ['a number where text or null is allowed', 'maybe: 5', { maybe: '5' }],
    ['what the schema does not know', 'other: [5]', { other: [5] }],
    ['what the schema leaves open', 'free: 5', { free: 5 }],
  ])('makes of %s what the schema says', (_, line, input) => {
    const chunks = parse(callout, `> [!tool any c]\n> input:\n>   ${line}`, { tools })
    expect(chunks.at(-1)).toMatchObject({ type: 'tool-input-available', input })
  })

  test.each<[string, string, string]>([
    [
      'a value that does not fit',
      '> [!tool any c]\n> input: {integer: many}',
      'Parameter `integer` of `any` must be an integer, but was "many".',
    ],
    [
      'null for text',
      '> [!tool any c]\n> input: {pattern: null}',
      'Parameter `pattern` of `any` must be a string, but was "null".',
    ],
    [
      'an object for a number',
      '> [!tool any c]\n> input: {number: {x: 1}}',
      'Parameter `number` of `any` must be a number, but was "{\\"x\\":1}".',
    ],
    [
      'a parameter that is missing',
      '> [!tool write_file c]\n> input: {path: a}',
      'Parameter `content` of `write_file` is required and missing.',
    ],
    ['an input that is not an object', '> [!tool any c]\n> input: [1]', 'The input of `any` must be an object.'],
    [
      'a parameter in the singular and the plural',
      '> [!tool any c]\n> input: {query: a, queries: [b]}',
      'Parameter `queries` of `any` is given twice.',
    ],
  ])('reports %s', (_, source, message) => {
    const [error] = parse(callout, source, { tools }).filter(chunk => chunk.type === 'tool-input-error')
    expect(error?.errorText).toContain(message)
    expect(error?.errorText).toMatch(/\nWrite|Write the call like this:\n> \[!tool /)
  })
})

describe('the result', () => {
  test.each<[string, string[], string[]]>([
    ['no state', ['input: {a: 1}'], ['t {"a":1}']],
    ['an output', ['output: {b: 1}'], ['t {}', 'output {"b":1}']],
    ['an empty output', ['output:'], ['t {}', 'output null']],
    ['`input-available`', ['state: input-available'], ['t {}']],
    ['`input-streaming`', ['state: input-streaming', 'input: {a: 1}'], ['t {"a":1}']],
    ['`output-available` without an output', ['state: output-available'], ['t {}', 'output null']],
    ['`output-available` with one', ['state: output-available', 'output: 5'], ['t {}', 'output 5']],
    ['`output-error` without a text', ['state: output-error'], ['t {}', 'failed "Tool failed"']],
    ['an error text', ['errorText: no luck'], ['t {}', 'failed "no luck"']],
    ['the short name of an error', ['error: |', '  no', '  luck'], ['t {}', 'failed "no\\nluck\\n"']],
    ['an error that is a number', ['error: 404'], ['t {}', 'failed "404"']],
    ['an error that is an object', ['error: {code: 404}'], ['t {}', 'failed "{\\"code\\":404}"']],
    ['an error that is empty', ['error: ""'], ['t {}']],
    ['an error that is null', ['error: null', 'output: 5'], ['t {}', 'output 5']],
    ['an output beside an error', ['output: 5', 'error: late'], ['t {}', 'preview 5', 'failed "late"']],
    [
      'an output beside `output-error`',
      ['state: output-error', 'output: 5'],
      ['t {}', 'preview 5', 'failed "Tool failed"'],
    ],
    [
      'an error beside `output-available`',
      ['state: output-available', 'error: no'],
      ['t {}', 'preview null', 'failed "no"'],
    ],
    ['an empty state', ['state:', 'output: 5'], ['t {}', 'output 5']],
    [
      'fields in another order',
      ['error: no', 'output: 5', 'input: {a: 1}', 'state: output-error'],
      ['t {"a":1}', 'preview 5', 'failed "no"'],
    ],
  ])('reads %s', (_, lines, expected) => {
    expect(summary(readEveryCut(t(...lines)))).toEqual(expected)
  })
})

describe('other fields', () => {
  const extras = (source: string) =>
    readEveryCut(source).flatMap(chunk => {
      const extra = argotMetadata(chunk)?.extra
      return extra === undefined ? [] : [[chunk.type, plain(extra)]]
    })

  test('ride on the input when they come before the result, and on the result when they come later', () => {
    const source = t('took: 12', 'input: {a: 1}', 'tags: [x]', 'output: 5', 'more: {__proto__: 1}')
    expect(extras(source)).toEqual([
      ['tool-input-available', { took: 12, tags: ['x'] }],
      ['tool-output-available', JSON.parse('{"more":{"__proto__":1}}')],
    ])
  })

  test('ride on the input of a call without one, wherever they stand', () => {
    expect(extras(t('a: 1', 'state: output-error', 'b: 2'))).toEqual([['tool-input-available', { a: 1, b: 2 }]])
  })

  test.each<[string, string[]]>([
    ['nothing else', ['input: {a: 1}', 'note: x', 'tags: [y]']],
    ['parameters on lines of their own', ['input:', '  a: 1', '  b: |', '    text', 'note: x', 'tags: [y]']],
    ['no result', ['input: {a: 1}', 'state: input-available', 'note: x', 'tags: [y]']],
    ['an error that says nothing', ['input: {a: 1}', 'error: ""', 'note: x', 'error_code:', 'tags: [y]']],
  ])('ride on the input when they come after it, with %s', (_, lines) => {
    const [[type, extra] = [], ...more] = extras(t(...lines))
    expect([type, extra, more]).toMatchObject(['tool-input-available', { note: 'x', tags: ['y'] }, []])
  })

  test('ride on the error when something after the input cannot be read', () => {
    expect(extras(t('state: output-available', 'input: {a: 1}', 'note: x', 'state: output-error'))).toEqual([
      ['tool-output-available', { note: 'x' }],
    ])
    expect(extras(t('state: output-error', 'input: {a: 1}', 'note: x', 'more: ['))).toEqual([
      ['tool-output-error', { note: 'x' }],
    ])
    expect(extras(t('input: {a: 1}', 'note: x', 'more: ['))).toEqual([['tool-input-available', { note: 'x' }]])
    // A call that cannot be read at all is its source.
    const source = t('note: x', 'input: {a: *b}', 'more: y')
    expect(extras(source)).toEqual([])
    expect(readEveryCut(source).at(-1)).toMatchObject({ type: 'tool-input-error', input: source })
  })

  test('are in exactly one chunk each, in any order and at every cut, in callouts and fences', () => {
    const fields: Record<string, string[]> = {
      input: ['input: {a: 1}'],
      parameters: ['input:', '  a: 1', '  b: "two', '    lines"'],
      text: ['input:', '  a: |', '    text'],
      state: ['state: output-available'],
      failed: ['state: output-error'],
      waiting: ['state: input-available'],
      output: ['output: 5'],
      error: ['error: no'],
      silence: ['error: ""'],
      note: ['note: x'],
      tags: ['tags:', '  - y'],
      took: ['took: 12'],
    }
    const values: Record<string, unknown> = { note: 'x', tags: ['y'], took: 12 }
    const names = fc.uniqueArray(fc.constantFrom(...Object.keys(fields)), { minLength: 1, maxLength: 7 })
    fc.assert(
      fc.property(names, picked => {
        const lines = picked.flatMap(name => fields[name] ?? [])
        if (new Set(lines.map(line => line.split(':')[0])).size < lines.length) return
        const expected = Object.fromEntries(picked.flatMap(name => (name in values ? [[name, values[name]]] : [])))
        for (const source of [t(...lines), ['```tool t c', ...lines, '```'].join('\n')]) {
          const chunks = readEveryCut(source, source.startsWith('>') ? callout : fence)
          const carried = chunks.flatMap(chunk => Object.entries(argotMetadata(chunk)?.extra ?? {}))
          expect(carried).toHaveLength(Object.keys(expected).length)
          expect(plain(Object.fromEntries(carried))).toEqual(expected)
        }
      }),
      { numRuns: shareOf(300), seed: 1 },
    )
  })
})

describe('errors', () => {
  test.each<[string, string[], string, number, number]>([
    ['an unknown state', ['input: {}', 'state: done'], 'SYNTAX_BAD_STATE', 0, 0],
    ['an unknown state before the input', ['state: done', 'input: {}'], 'SYNTAX_BAD_STATE', 4, 3],
    ['a state that is a list', ['state: [a]'], 'SYNTAX_BAD_VALUE', 4, 3],
    ['a state that is a mapping', ['state:', '  a: 1'], 'SYNTAX_BAD_VALUE', 4, 3],
    ['a value with `: `', ['input:', '  query: cats: dogs'], 'SYNTAX_BAD_YAML', 5, 12],
    ['a quote that is not closed', ['input:', '  a: "x', 'note: y'], 'SYNTAX_BAD_YAML', 5, 10],
    ['a bracket that is not closed', ['input: {a: 1', 'note: y'], 'SYNTAX_BAD_YAML', 4, 15],
    ['a tab as indentation', ['input:', '\ta: 1'], 'SYNTAX_BAD_YAML', 5, 3],
    ['a line that is not a field', ['input: {}', 'and so on'], 'SYNTAX_BAD_YAML', 0, 0],
    ['a body that is not a mapping', ['just text'], 'SYNTAX_BAD_YAML', 4, 3],
    ['a body that is a list', ['- a', '- b'], 'SYNTAX_BAD_YAML', 4, 3],
    ['a key twice', ['input:', '  a: 1', '  b: 2', '  a: 3'], 'SYNTAX_BAD_YAML', 7, 5],
    ['a key twice further down', ['input:', '  a: [{b: 1, b: 2}]'], 'SYNTAX_BAD_YAML', 5, 16],
    ['a field twice', ['state: output-error', 'state: output-error'], 'SYNTAX_BAD_YAML', 5, 3],
    ['a key that is a list', ['input:', '  ? [a]', '  : b'], 'SYNTAX_BAD_YAML', 5, 7],
    ['an alias', ['input:', '  a: &x 1', '  b: *x'], 'SYNTAX_BAD_YAML', 6, 8],
    ['an alias to nothing', ['input:', '  b: *x'], 'SYNTAX_BAD_YAML', 5, 8],
    ['a tag', ['input:', '  a: !foo 1'], 'SYNTAX_BAD_YAML', 5, 13],
    ['a tag of YAML 1.1', ['input:', '  a: !!binary aGk='], 'SYNTAX_BAD_YAML', 5, 17],
    ['a tag on a mapping', ['input: !foo {a: 1}'], 'SYNTAX_BAD_YAML', 4, 15],
    ['`.nan`', ['input:', '  a: .nan'], 'SYNTAX_BAD_YAML', 5, 8],
    ['`-.inf`', ['input: [1, -.inf]'], 'SYNTAX_BAD_YAML', 4, 14],
    ['a number that is too large', ['input: {a: 1e999}'], 'SYNTAX_BAD_YAML', 4, 14],
    ['a field indented less than the first', ['  state: input-available', 'input:', '  a: 1'], 'SYNTAX_BAD_YAML', 5, 3],
    ['a second document', ['---', 'input: {a: 1}', '---', 'b: 1'], 'SYNTAX_BAD_YAML', 7, 3],
    ['an error in a flow mapping', ['{', '  "input": {"a": 1},', '  "state": "no"', '}'], 'SYNTAX_BAD_STATE', 6, 5],
    ['a depth of 600', [`input: ${'['.repeat(600)}${']'.repeat(600)}`], 'SYNTAX_TOO_DEEP', 4, 521],
  ])('reports %s', (_, lines, code, line, column) => {
    const source = t(...lines)
    const chunks = readEveryCut(`Some text.\n\n${source}\n\nMore.`)
    const error = chunks.find(chunk => chunk.type === 'tool-input-error' || chunk.type === 'tool-output-error')
    expect(argotMetadata(error ?? {})?.code).toBe(code)
    const text = error !== undefined && 'errorText' in error ? error.errorText : ''
    expect(text).toContain('Write the call like this:\n> [!tool t call_1]\n> input:')
    if (line > 0) {
      expect(error).toMatchObject({ type: 'tool-input-error', input: source })
      expect(text.split(':', 1)[0]).toBe(`Line ${line}, column ${column}`)
    }
    expect(textOf(chunks)).toBe('Some text.\n\n\n\nMore.')
  })

  test('counts lines as editors do, also across CRLF and pieces', () => {
    const source = 'a\r\nb\r\n\r\n> [!tool t c]\r\n>   input:\r\n>     a: *x\r\n'
    const parser = callout.parser()
    const chunks = [...source].flatMap(character => parser.push(character)).concat(parser.end())
    const error = chunks.find(chunk => chunk.type === 'tool-input-error')
    expect(error?.errorText).toMatch(/^Line 6, column 10: Aliases/)
    expect(error?.input).toBe(source.slice(8).trimEnd())
  })

  test('points behind tabs', () => {
    const source = '> [!tool t c]\n>\tinput:\n>\t\ta: *x'
    expect(parse(callout, source).find(chunk => chunk.type === 'tool-input-error')?.errorText).toMatch(
      /^Line 3, column 7:/,
    )
  })

  test('is an error of the result once the input has gone out, with its place, and keeps the output', () => {
    const source = t('input: {a: 1}', 'output: 5', 'state: [')
    const chunks = parse(callout, source)
    expect(summary(chunks)).toEqual(['t {"a":1}', 'preview 5', 'failed SYNTAX_BAD_YAML'])
    expect(chunks.at(-1)).toMatchObject({ errorText: expect.stringMatching(/^Line 4, column 11: /) })
  })

  test('is the only error of the result', () => {
    const chunks = parse(callout, t('input: {a: 1}', 'error: no', 'state: ['))
    expect(summary(chunks)).toEqual(['t {"a":1}', 'failed SYNTAX_BAD_YAML'])
  })

  test('tells all that is wrong', () => {
    const error = parse(callout, t('state: done', 'note: *x', 'input: {a: .nan}')).at(-1)
    expect(error).toMatchObject({ errorText: expect.stringMatching(/^Line 2, .* Line 3, column 9: /) })
  })

  test('calls a call `unknown` whose name could not be read', () => {
    expect(summary(parse(callout, '> [!tool]\n> name: "x'))).toEqual([
      'unknown SYNTAX_BAD_YAML "> [!tool]\\n> name: \\"x"',
    ])
  })
})

test('reads the fields one by one as YAML reads the whole body', () => {
  const lines = [
    ...['input:', '  a: 1', '  b:', '    - x', '- y', '-', 'output: {c: 2}', 'note: |', '  text', '   more', '', ' '],
    ...['# c', '  # d', '"q": "z"', 'state: output-error', '}', ']', 'k: [1,', ' 2]', 'j: {', '"x y": \'z\'', 'w: >-'],
    ...[
      '\ttab',
      'e: "a',
      '  b"',
      'm: a',
      '  b c',
      '? z',
      ': y',
      'n: &a 5',
      'o: !!str 5',
      'p: - q',
      'r:s',
      't :u',
      '-x: 1',
    ],
  ]
  let readable = 0
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...lines), { minLength: 1, maxLength: 7 }), body => {
      const oneByOne = callOf(parseMarkdownIntoChunks(t(...body)))
      if (oneByOne !== undefined) readable++
      expect(oneByOne).toEqual(callOf(parseMarkdownIntoChunks(t('---', ...body))))
    }),
    { numRuns: shareOf(3000), seed: 1 },
  )
  expect(readable).toBeGreaterThan(shareOf(300))
})

/** The call, unless something in it could not be read. */
function callOf([chunk]: MarkdownChunk[]): MarkdownChunk | undefined {
  return chunk?.type === 'tool' && /^Line \d/.test(chunk.errorText ?? '') ? undefined : chunk
}

/** The chunks of a text, which are the same wherever it is cut. */
function readEveryCut(source: string, syntax = callout): Chunk[] {
  const whole = joinDeltas(parse(syntax, source))
  const expected = JSON.stringify(whole)
  const pieces = [source.split(''), ...Array.from(source, (_, at) => [source.slice(0, at), source.slice(at)])]
  for (const cut of source.length < 400 ? pieces : []) {
    const parser = syntax.parser()
    same(JSON.stringify(joinDeltas([...cut.flatMap(piece => parser.push(piece)), ...parser.end()])), expected)
  }
  return whole
}

/** Data without the missing prototypes, for comparisons. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
