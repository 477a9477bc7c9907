import { caret, parse } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { testConformance } from './conformance.ts'
import { summary } from './summary.ts'
import { tools } from './tools.ts'

/** A block of the tool `t` with these lines. */
const t = (...lines: string[]) => ['^^^t', ...lines, '^^^'].join('\n')

test('gives a call as one start, deltas of JSON, and the input', () => {
  expect(parse(caret, `I look.\n${t('a: x "y"')}`)).toEqual([
    { type: 'text-start', id: 'text-0-1' },
    { type: 'text-delta', id: 'text-0-1', delta: 'I look.\n' },
    { type: 'text-end', id: 'text-0-1' },
    { type: 'tool-input-start', toolCallId: 'tool-0-1', toolName: 't' },
    { type: 'tool-input-delta', toolCallId: 'tool-0-1', inputTextDelta: '{"a":"x \\"y\\""' },
    { type: 'tool-input-delta', toolCallId: 'tool-0-1', inputTextDelta: '}' },
    { type: 'tool-input-available', toolCallId: 'tool-0-1', toolName: 't', input: { a: 'x "y"' } },
  ])
})

const readings: [string, string, string[]][] = [
  [
    'the example of the specification',
    '^^^write_file\nproject: code-assistant\npath: src/lib.rs\ncontent ---\n//! hello\nfn main() {}\n--- content\n^^^',
    ['write_file {"project":"code-assistant","path":"src/lib.rs","content":"//! hello\\nfn main() {}"}'],
  ],
  [
    'the example of the page',
    '^^^read_files\nproject: my_proj\npaths: [\nsrc/main.rs\nCargo.toml\n]\nnote ---\nany text,\n--- with dashes\n--- note\n^^^',
    ['read_files {"project":"my_proj","paths":["src/main.rs","Cargo.toml"],"note":"any text,\\n--- with dashes"}'],
  ],
  [
    'read_files, single parameter',
    '^^^read_files\nproject: my_proj\npath: src/main.rs\n^^^\n',
    ['read_files {"project":"my_proj","path":"src/main.rs"}', 'text "\\n"'],
  ],
  [
    'read_files, array parameter',
    '^^^read_files\nproject: my_proj\npaths: [\nsrc/main.rs\nCargo.toml\ndocs/README.md\n]\n^^^',
    ['read_files {"project":"my_proj","paths":["src/main.rs","Cargo.toml","docs/README.md"]}'],
  ],
  [
    'replace_in_file, multi-line diff parameter',
    '^^^replace_in_file\nproject: cool_proj\npath: src/lib.rs\ndiff ---\n[SEARCH/REPLACE block content here]\n--- diff\n^^^',
    ['replace_in_file {"project":"cool_proj","path":"src/lib.rs","diff":"[SEARCH/REPLACE block content here]"}'],
  ],
  [
    'write_file, multi-line content parameter',
    '^^^write_file\nproject: notes\npath: design.md\ncontent ---\n# Title\nMultiline\nbody.\n--- content\n^^^',
    ['write_file {"project":"notes","path":"design.md","content":"# Title\\nMultiline\\nbody."}'],
  ],
  [
    'several multi-line parameters',
    '^^^replace_in_file\nproject: my_proj\npath: src/main.rs\ndiff ---\n[SEARCH/REPLACE block for code changes]\n--- diff\ncomment ---\nThis change updates the function name\nto better reflect its purpose.\n--- comment\n^^^',
    [
      'replace_in_file {"project":"my_proj","path":"src/main.rs","diff":"[SEARCH/REPLACE block for code changes]","comment":"This change updates the function name\\nto better reflect its purpose."}',
    ],
  ],
  ['a call without parameters', t(), ['t {}']],
  ['a call between text', `a\n${t()}\nb`, ['text "a\\n"', 't {}', 'text "\\nb"']],
  ['calls that follow each other', `${t()}\n${t('a: 1')}`, ['t {}', 'text "\\n"', 't {"a":"1"}']],
  ['names with hyphens and dots', '^^^a-b.c_9\nx-y.z: 1\n^^^', ['a-b.c_9 {"x-y.z":"1"}']],
  ['names of the prototype', t('__proto__: 1', 'constructor: 2'), ['t {"__proto__":"1","constructor":"2"}']],
  ['blanks and CR LF on fence lines', '^^^t \t\r\na: 1\r\n^^^ \r\n', ['t {"a":"1"}', 'text "\\n"']],
  ['four carets as text', '^^^^t\na: 1\n^^^^', ['text "^^^^t\\na: 1\\n^^^^"']],
  ['two carets as text', '^^t\n^^', ['text "^^t\\n^^"']],
  ['a blank before the name as text', '^^^ t\n^^^', ['text "^^^ t\\n^^^"']],
  [
    'a compiler picture as text',
    'let x = y;\n    ^^^ not found\n^^^^^ here\n^^^ there',
    ['text "let x = y;\\n    ^^^ not found\\n^^^^^ here\\n^^^ there"'],
  ],
  ['more words behind the name as text', '^^^t u\n^^^', ['text "^^^t u\\n^^^"']],
  ['an indented fence as text', ' ^^^t\n ^^^', ['text " ^^^t\\n ^^^"']],
  ['a fence within a line as text', 'use ^^^t\n^^^', ['text "use ^^^t\\n^^^"']],
  ['carets without a name as text', '^^^\na: 1\n^^^', ['text "^^^\\na: 1\\n^^^"']],
  ['the first colon as the one that counts', t('url: http://x:80'), ['t {"url":"http://x:80"}']],
  ['a value without blanks around it', t('a:   x y  '), ['t {"a":"x y"}']],
  ['a value directly behind the colon', t('a:x'), ['t {"a":"x"}']],
  ['blanks before the colon and the name', t('  a : x'), ['t {"a":"x"}']],
  ['an empty value', t('a:', 'b: 1'), ['t {"a":"","b":"1"}']],
  ['blank lines between parameters', t('', 'a: 1', '', '  ', 'b: 2', ''), ['t {"a":"1","b":"2"}']],
  ['carets in a value', t('a: ^^^'), ['t {"a":"^^^"}']],
  ['brackets that are a string', t('a: [a-z]', 'b: []', 'c: [ x'), ['t {"a":"[a-z]","b":"[]","c":"[ x"}']],
  ['an array with blank lines', t('a: [', '', ' x ', '', 'y', ']'), ['t {"a":["x","y"]}']],
  ['an empty array', t('a: [', ']'), ['t {"a":[]}']],
  ['an array of one item', t('a: [', 'x', ']'), ['t {"a":["x"]}']],
  ['markup in an array as items', t('a: [', '^^^', 'b: 1', '--- a', ']'), ['t {"a":["^^^","b: 1","--- a"]}']],
  ['an array with CR LF', t('a: [\r', 'x\r', ']\r'), ['t {"a":["x"]}']],
  ['a YAML list', t('a:', '- x', '- y z ', 'b: 1'), ['t {"a":["x","y z"],"b":"1"}']],
  ['an indented YAML list with blank lines', t('a:', '', '  - x', '', '  - y'), ['t {"a":["x","y"]}']],
  ['a YAML list with an empty item', t('a:', '-', '- x'), ['t {"a":["","x"]}']],
  ['a name that begins with a dash behind an empty value', t('a:', '-b: 1'), ['t {"a":"","-b":"1"}']],
  ['repeated names as an array', t('a: 1', 'a: 2'), ['t {"a":["1","2"]}']],
  ['repeated blocks as an array', t('a ---', 'x', '--- a', 'a ---', 'y', '--- a'), ['t {"a":["x","y"]}']],
  ['a list and a line of one name as one array', t('a: [', 'x', ']', 'a: y'), ['t {"a":["x","y"]}']],
  ['a fence in a value', t('a ---', '^^^', '^^^u', '--- a'), ['t {"a":"^^^\\n^^^u"}']],
  [
    'other markup in a value',
    t('a ---', 'b: 1', 'c ---', '--- c', ']', '--- a'),
    ['t {"a":"b: 1\\nc ---\\n--- c\\n]"}'],
  ],
  ['blank lines in a value', t('a ---', '', '', 'x', '', '--- a'), ['t {"a":"\\n\\nx\\n"}']],
  ['an empty block', t('a ---', '--- a'), ['t {"a":""}']],
  ['a block with one empty line', t('a ---', '', '--- a'), ['t {"a":""}']],
  ['a longer marker', t('a ----', '--- a', '---- a'), ['t {"a":"--- a"}']],
  [
    'a shorter and a longer marker in a value',
    t('a ----', '--- a', '----- a', '---- a'),
    ['t {"a":"--- a\\n----- a"}'],
  ],
  ['a marker of another name in a value', t('a ---', '--- ab', '--- b', '--- a'), ['t {"a":"--- ab\\n--- b"}']],
  ['an indented marker in a value', t('a ---', ' --- a', '--- a'), ['t {"a":" --- a"}']],
  ['a marker with words behind it in a value', t('a ---', '--- a b', '--- a'), ['t {"a":"--- a b"}']],
  ['blanks around a marker', t('a   ---  ', 'x', '---   a  '), ['t {"a":"x"}']],
  ['CR LF in a block', t('a ---\r', 'x\r', 'y\r', '--- a\r'), ['t {"a":"x\\r\\ny"}']],
  ['a value that ends in CR', t('a ---', 'x\r', '--- a'), ['t {"a":"x\\r"}']],
  ['a code fence in a value', t('a ---', '```', 'x', '```', '--- a'), ['t {"a":"```\\nx\\n```"}']],
  ['a call in a fence as text', `\`\`\`\n${t()}\n\`\`\``, [`text ${JSON.stringify(`\`\`\`\n${t()}\n\`\`\``)}`]],
  ['a call behind a line that only looks like a fence', `\`\`\`a\`\`\`\n${t()}`, ['text "```a```\\n"', 't {}']],
  ['a call in a quote as text', '> ^^^t\n> ^^^', ['text "> ^^^t\\n> ^^^"']],
  ['a call behind a list', `- one\n${t()}`, ['text "- one\\n"', 't {}']],
  ['a call behind a lone backtick', `a \` b\n${t()}`, ['text "a ` b\\n"', 't {}']],
  [
    'a call behind reasoning',
    `<think>\n${t()}\n</think>\n${t()}`,
    [`text ${JSON.stringify(`<think>\n${t()}\n</think>\n`)}`, 't {}'],
  ],
]

test.each(readings)('caret reads %s', (_, source, chunks) => {
  expect(summary(parse(caret, source))).toEqual(chunks)
})

test.each<[string, string, string[]]>([
  ['an array from a bracket list', '^^^read_files\npaths: [\na\n5\n]\n^^^', ['read_files {"paths":["a","5"]}']],
  ['an array from one scalar', '^^^read_files\npaths: a\n^^^', ['read_files {"paths":["a"]}']],
  ['an array from JSON', '^^^read_files\npaths: ["a", "b"]\n^^^', ['read_files {"paths":["a","b"]}']],
  ['an array from its singular', '^^^read_files\npath: a\npath: b\n^^^', ['read_files {"paths":["a","b"]}']],
  ['an array from a YAML list', '^^^read_files\npaths:\n- a\n- b\n^^^', ['read_files {"paths":["a","b"]}']],
  [
    'an array from repeated blocks',
    '^^^read_files\npaths ---\na\n--- paths\npaths ---\nb\nc\n--- paths\n^^^',
    ['read_files {"paths":["a","b\\nc"]}'],
  ],
  ['an array of numbers', '^^^any\nnumbers: [\n1\n-2.5\n]\n^^^', ['any {"numbers":[1,-2.5]}']],
  ['an array of objects', '^^^any\nobjects: [\n{"a": 1}\n{"b": [2]}\n]\n^^^', ['any {"objects":[{"a":1},{"b":[2]}]}']],
  [
    'numbers, booleans and null',
    '^^^any\ninteger: 5\nnumber: 0.5\nboolean: false\nnothing: null\n^^^',
    ['any {"integer":5,"number":0.5,"boolean":false,"nothing":null}'],
  ],
  ['a string in brackets', '^^^any\npattern: [a-z]\n^^^', ['any {"pattern":"[a-z]"}']],
  ['an object on lines', '^^^any\nobject ---\n{\n  "x": 1\n}\n--- object\n^^^', ['any {"object":{"x":1}}']],
])('caret types %s', (_, source, chunks) => {
  expect(summary(parse(caret, source, { tools }))).toEqual(chunks)
})

const errors: [string, string, string, string][] = [
  ['a line that is none', t('a: 1', 'some words'), 'SYNTAX_STRAY_TEXT', '`name: value`'],
  ['a name that is none', t('a b: 1'), 'SYNTAX_STRAY_TEXT', '`name: value`'],
  ['a list item without a list', t('a: 1', '- x'), 'SYNTAX_STRAY_TEXT', '`name: value`'],
  ['an end marker without a value', t('--- a'), 'SYNTAX_STRAY_TEXT', '`name: value`'],
  ['two dashes', t('a --'), 'SYNTAX_STRAY_TEXT', '`name: value`'],
  ['words behind an opening marker', t('a --- b'), 'SYNTAX_STRAY_TEXT', '`name: value`'],
  ['four carets in a block', t('^^^^'), 'SYNTAX_STRAY_TEXT', '`name: value`'],
  ['a block in a block', t('a: 1', '^^^u', 'b: 2'), 'SYNTAX_NESTED_CALL', 'inside the block of `t`'],
  ['a block that never closes', '^^^t\na: 1\n', 'SYNTAX_UNCLOSED_CALL', '`^^^`'],
  ['a name that the token limit cuts', '^^^t\na: 1\npa', 'SYNTAX_UNCLOSED_CALL', '`^^^`'],
  ['a tool name that the token limit cuts', '^^^rea', 'SYNTAX_UNCLOSED_CALL', '`^^^`'],
  ['a value that the token limit cuts', '^^^t\na: some', 'SYNTAX_UNCLOSED_CALL', '`^^^`'],
  ['a closing fence that the token limit cuts', '^^^t\na: some\n^^', 'SYNTAX_UNCLOSED_CALL', '`^^^`'],
  ['a value that never closes', '^^^t\na ---\nx\n^^^\n', 'SYNTAX_UNCLOSED_VALUE', '`--- a`'],
  ['an array that never closes', '^^^t\na: [\nx\n^^^\n', 'SYNTAX_UNCLOSED_VALUE', '`]`'],
  ['an end marker of another name', '^^^t\na ---\nx\n--- b\n^^^\n', 'SYNTAX_WRONG_CLOSING', '`--- b`'],
  ['an end marker of another length', '^^^t\na ----\nx\n--- a\n^^^', 'SYNTAX_WRONG_CLOSING', '`---- a`'],
  ['a list with commas on one line', '^^^read_files\npaths: [a, b]\n^^^', 'SYNTAX_BAD_VALUE', 'one item to a line'],
  ['JSON of the wrong type', '^^^read_files\npaths: [1]\n^^^', 'SYNTAX_BAD_VALUE', 'an array of strings'],
  ['items with commas', '^^^any\nnumbers: [\n1,\n2\n]\n^^^', 'SYNTAX_BAD_VALUE', 'a number'],
  ['a list where a string is wanted', '^^^any\npattern: [\na\n]\n^^^', 'SYNTAX_BAD_VALUE', 'a string'],
  ['a value of the wrong type', '^^^any\ninteger: 1.5\n^^^', 'SYNTAX_BAD_VALUE', '"1.5"'],
  [
    'a parameter that is missing',
    '^^^read_files\nproject: x\n^^^',
    'SYNTAX_MISSING_PARAMETER',
    '`paths` of `read_files`',
  ],
  ['a parameter that is given twice', '^^^any\ninteger: 1\ninteger: 2\n^^^', 'SYNTAX_DUPLICATE_PARAMETER', '`integer`'],
  ['a tool name that is too long', `^^^${'n'.repeat(129)}\n^^^`, 'SYNTAX_NAME_TOO_LONG', '128'],
  ['a parameter name that is too long', t(`${'n'.repeat(129)}: 1`), 'SYNTAX_NAME_TOO_LONG', '128'],
  [
    'too many parameters',
    t(...Array.from({ length: 1001 }, (_, i) => `p${i}: 1`)),
    'SYNTAX_TOO_MANY_PARAMETERS',
    '1000',
  ],
  ['a call that is too long', t('a ---', 'x'.repeat(8 * 1024 * 1024 + 1), '--- a'), 'SYNTAX_CALL_TOO_LONG', '8388608'],
]

test.each(errors)('caret reports %s', (_, source, code, message) => {
  const chunks = parse(caret, source, { tools })
  const error = chunks.at(-1)
  expect(error).toMatchObject({ type: 'tool-input-error', input: source, providerMetadata: { argot: { code } } })
  expect(error).toHaveProperty('errorText', expect.stringContaining(message))
  expect(chunks.filter(chunk => chunk.type === 'tool-input-start')).toHaveLength(1)
})

test('an error ends with its block, whose values still hide what they hold', () => {
  const source = `${t('oops', 'a ---', '^^^', '^^^u', '--- a')}\n${t()}`
  expect(summary(parse(caret, source))).toEqual([
    't SYNTAX_STRAY_TEXT "^^^t\\noops\\na ---\\n^^^\\n^^^u\\n--- a\\n^^^"',
    'text "\\n"',
    't {}',
  ])
})

test('a message tells the model how to write the call', () => {
  expect(parse(caret, '^^^read_files\npaths: [a, b]\n^^^', { tools }).at(-1)).toMatchObject({
    errorText:
      'Parameter `paths` of `read_files` must be an array of strings, but was "[a, b]" (one item to a line between `[` ' +
      'and `]`, without commas). Write the call like this:\n' +
      '^^^read_files\npaths: [\nsome paths 1\nsome paths 2\n]\nproject: some project\n^^^',
  })
})

test('the call is there with the line break behind its closing fence', () => {
  const parser = caret.parser()
  expect(summary([...parser.push('^^^t\na: 1\n^^^')])).toEqual([])
  expect(summary(parser.push('\n'))).toEqual(['t {"a":"1"}', 'text "\\n"'])
})

describe('format', () => {
  const format = (input: unknown) => caret.format({ toolCallId: '', toolName: 't', input }).split('\n').slice(1, -1)

  test.each<[string, unknown, string[]]>([
    ['a line', { a: 'x' }, ['a: x']],
    ['nothing', { a: '' }, ['a:']],
    ['lines', { a: 'x\ny' }, ['a ---', 'x', 'y', '--- a']],
    ['blanks', { a: ' x' }, ['a ---', ' x', '--- a']],
    ['an opening bracket', { a: '[' }, ['a ---', '[', '--- a']],
    ['its own end markers', { a: '\n--- a\n---- a ' }, ['a -----', '', '--- a', '---- a ', '----- a']],
    ['a list', { a: ['x', 'y'] }, ['a: [', 'x', 'y', ']']],
    ['an empty list', { a: [] }, ['a: [', ']']],
    ['a list of lines', { a: ['x\ny', ''] }, ['a ---', 'x', 'y', '--- a', 'a ---', '', '--- a']],
    ['a list that looks like JSON', { a: ['1'] }, ['a: ["1"]']],
    ['an object', { a: { b: 1 } }, ['a: {"b":1}']],
  ])('caret writes %s', (_, input, lines) => {
    expect(format(input)).toEqual(lines)
  })
})

describe('the laws', () => {
  const shards = [
    ...[
      '^^^read_file\n',
      '^^^x\n',
      '^^^x \r\n',
      '^^^\n',
      '^^^ \r\n',
      '^^^',
      '^^',
      '^',
      '\n',
      '\r\n',
      ' ',
      'text',
      ': ',
      '- a\n',
      '-\n',
    ],
    ...[
      'path: a\n',
      'path:\n',
      'path: [a]\n',
      'paths: [\n',
      ']\n',
      'path ---\n',
      '--- path\n',
      'note ---\n',
      '--- note\n',
      '---',
    ],
    ...['note ----\n', '---- note\n', 'note ---\r\n', 'x\r\n', '--- note\r\n'],
  ]
  const texts = [...readings, ...errors].map(([, source]) => source).filter(source => source.length < 400)
  testConformance(caret, { test, shards, texts })
})
