import { parse, xml } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { testConformance } from './conformance.ts'
import { summary } from './summary.ts'
import { tools } from './tools.ts'

/** `<tool:t>…</tool:t>` */
const t = (inside: string) => `<tool:t>${inside}</tool:t>`
const p = (value: string, name = 'a') => `<param:${name}>${value}</param:${name}>`

test('gives a call as one start, deltas of JSON, and the input', () => {
  expect(parse(xml, `I look.\n${t(p('x "y"\nz'))}`)).toEqual([
    { type: 'text-start', id: 'text-0-1' },
    { type: 'text-delta', id: 'text-0-1', delta: 'I look.\n' },
    { type: 'text-end', id: 'text-0-1' },
    { type: 'tool-input-start', toolCallId: 'tool-0-1', toolName: 't' },
    { type: 'tool-input-delta', toolCallId: 'tool-0-1', inputTextDelta: '{"a":"x \\"y\\"\\nz"}' },
    { type: 'tool-input-available', toolCallId: 'tool-0-1', toolName: 't', input: { a: 'x "y"\nz' } },
  ])
})

const readings: [string, string, string[]][] = [
  [
    'the example of the page',
    '<tool:write_file>\n<param:path>src/lib.rs</param:path>\n<param:content>\n//! a < b && c > d\n</param:content>\n</tool:write_file>',
    ['write_file {"path":"src/lib.rs","content":"//! a < b && c > d"}'],
  ],
  ['a call on one line', t(p('1') + p('2', 'b')), ['t {"a":"1","b":"2"}']],
  ['a call within a line', `I read ${t(p('1'))} now`, ['text "I read "', 't {"a":"1"}', 'text " now"']],
  ['an indented call', `  <tool:t>\n    ${p('1')}\n  </tool:t>`, ['text "  "', 't {"a":"1"}']],
  ['a call without parameters', t(''), ['t {}']],
  ['a call without parameters on lines', t(' \r\n\n\t'), ['t {}']],
  ['calls that follow each other', t('') + t(p('1')), ['t {}', 't {"a":"1"}']],
  [
    'names with hyphens and dots',
    `<tool:a-b.c_9><param:x-y.z>1</param:x-y.z></tool:a-b.c_9>`,
    ['a-b.c_9 {"x-y.z":"1"}'],
  ],
  ['names of the prototype', t(p('1', '__proto__') + p('2', 'constructor')), ['t {"__proto__":"1","constructor":"2"}']],
  ['an opening tag that is only mentioned', 'Use <tool:t> to read.', ['text "Use <tool:t> to read."']],
  ['a mention before a real call', `Use <tool:t>:\n${t('')}`, ['text "Use <tool:t>:\\n"', 't {}']],
  ['a mention directly before a real call', `<tool:t>${t('')}`, ['text "<tool:t>"', 't {}']],
  ['a mention with blanks behind it', `<tool:t> \n ${t('')}`, ['text "<tool:t> \\n "', 't {}']],
  ['a mention at the end', 'It is called <tool:t>', ['text "It is called <tool:t>"']],
  ['an opening tag that is closed by another name', '<tool:t></tool:u>', ['text "<tool:t></tool:u>"']],
  ['half an opening tag at the end', 'a <tool:rea', ['text "a <tool:rea"']],
  [
    'tags that are not the syntax',
    '<Tool:t></Tool:t> <tool: t> <tool:t > <tool:>',
    ['text "<Tool:t></Tool:t> <tool: t> <tool:t > <tool:>"'],
  ],
  ['closing tags outside calls', 'a </tool:t></param:a> b', ['text "a </tool:t></param:a> b"']],
  ['an unpaired `<`', t(p('if a < b')), ['t {"a":"if a < b"}']],
  ['entities as they are', t(p('&lt;b&gt; &amp;')), ['t {"a":"&lt;b&gt; &amp;"}']],
  ['HTML', t(p('<p>x<br/></p>')), ['t {"a":"<p>x<br/></p>"}']],
  ['the closing tag of another parameter', t(p('</param:b>')), ['t {"a":"</param:b>"}']],
  ['the opening tag of another parameter', t(p('<param:b>')), ['t {"a":"<param:b>"}']],
  ['another call in a value', t(p('<tool:u></tool:u>')), ['t {"a":"<tool:u></tool:u>"}']],
  ['half a closing tag in a value', t(p('</param:a</param:')), ['t {"a":"</param:a</param:"}']],
  [
    'a value that contains its own closing tag',
    '<tool:t><param:a#1></param:a></param:a#1></tool:t>',
    ['t {"a":"</param:a>"}'],
  ],
  ['one line break at each end of a value as layout', t(p('\nx\n')), ['t {"a":"x"}']],
  ['leading and trailing blank lines of a value', t(p('\n\n\nx\n\n')), ['t {"a":"\\n\\nx\\n"}']],
  ['blanks of a value', t(p('  x ')), ['t {"a":"  x "}']],
  ['empty values', t(p('') + p('\n', 'b') + p('\n\n', 'c')), ['t {"a":"","b":"","c":""}']],
  ['CR LF as layout', t(p('\r\nx\r\ny\r\n')), ['t {"a":"x\\r\\ny"}']],
  ['a value that ends in CR', t(p('\nx\r\n')), ['t {"a":"x\\r"}']],
  ['a code fence in a value', t(p('\n```\nx\n```\n')), ['t {"a":"```\\nx\\n```"}']],
  ['reasoning tags in a value', t(p('\n<think>\nx\n')), ['t {"a":"<think>\\nx"}']],
  ['a repeated parameter as an array', t(p('1') + p('2') + p('3')), ['t {"a":["1","2","3"]}']],
  ['values as strings', t(p('5') + p('true', 'b') + p('[1]', 'c')), ['t {"a":"5","b":"true","c":"[1]"}']],
  [
    'a call in a fence as text',
    `\`\`\`xml\n${t('')}\n\`\`\`\n`,
    [`text ${JSON.stringify(`\`\`\`xml\n${t('')}\n\`\`\`\n`)}`],
  ],
  ['a call behind a fence', `~~~\n${t('')}\n~~~\n${t('')}`, [`text ${JSON.stringify(`~~~\n${t('')}\n~~~\n`)}`, 't {}']],
  ['a call in a code span as text', `a \`${t('')}\` b`, [`text ${JSON.stringify(`a \`${t('')}\` b`)}`]],
  ['a call behind a code span', `\`a\` ${t('')}`, ['text "`a` "', 't {}']],
  ['a call between two code spans', `\`a\` ${t('')} \`b\``, ['text "`a` "', 't {}', 'text " `b`"']],
  ['a call in a span of two backticks', `\`\` \` ${t('')} \`\``, [`text ${JSON.stringify(`\`\` \` ${t('')} \`\``)}`]],
  ['a call behind a lone backtick', `a \` b ${t(p('1'))}`, ['text "a ` b "', 't {"a":"1"}']],
  [
    'a call over lines behind a lone backtick',
    `a \` b <tool:t>\n${p('`')}\n</tool:t>`,
    ['text "a ` b "', 't {"a":"`"}'],
  ],
  ['a call behind backticks of which some are a span', `\`\` \`b\` ${t('')}`, ['text "`` `b` "', 't {}']],
  [
    'a call in a span behind backticks that are none',
    `\`\` \`${t('')}\``,
    [`text ${JSON.stringify(`\`\` \`${t('')}\``)}`],
  ],
  [
    'calls in and behind a span behind backticks that are none',
    `\`\` \`a ${t('')} b\` ${t(p('1'))}\nc`,
    [`text ${JSON.stringify(`\`\` \`a ${t('')} b\` `)}`, 't {"a":"1"}', 'text "\\nc"'],
  ],
  [
    'a call with a code span in its value behind a lone backtick',
    `\` b ${t(p('``x``'))}\n`,
    ['text "` b "', 't {"a":"``x``"}', 'text "\\n"'],
  ],
  ['backticks at a line start that are no fence', `\`\`\`a\`\`\` ${t('')}`, ['text "```a``` "', 't {}']],
  ['a fence whose info is a call', `\`\`\` ${t('')}\nx`, [`text ${JSON.stringify(`\`\`\` ${t('')}\nx`)}`]],
  ['a call behind a call and what would begin a list', `${t('')}- ${t('')}`, ['t {}', 'text "- "', 't {}']],
  ['a call behind a call and what would begin a quote', `${t('')}> ${t('')}`, ['t {}', 'text "> "', 't {}']],
  [
    'a call behind a call and what would begin a fence',
    `${t('')}\`\`\`\n\n${t('')}`,
    ['t {}', 'text "```\\n\\n"', 't {}'],
  ],
  ['a call in a quote as text', `> ${t('')}\n`, [`text ${JSON.stringify(`> ${t('')}\n`)}`]],
  ['a call directly behind a quote', `> so\n${t('')}`, ['text "> so\\n"', 't {}']],
  [
    'a call in a list item as text',
    `12) ${t('')}\n    ${t('')}`,
    [`text ${JSON.stringify(`12) ${t('')}\n    ${t('')}`)}`],
  ],
  ['a call directly behind a list', `- one\n- two\n${t('')}`, ['text "- one\\n- two\\n"', 't {}']],
  ['a call behind emphasis at a line start', `**Now** ${t('')}`, ['text "**Now** "', 't {}']],
  [
    'a call in reasoning as text',
    `<think>${t('')}</think>${t('')}`,
    [`text ${JSON.stringify(`<think>${t('')}</think>`)}`, 't {}'],
  ],
  ['a reasoning tag within a line as text', `a <think>${t('')}`, ['text "a <think>"', 't {}']],
]

test.each(readings)('xml reads %s', (_, source, chunks) => {
  expect(summary(parse(xml, source))).toEqual(chunks)
})

test.each<[string, string, string[]]>([
  [
    'an array from a repeated tag',
    '<tool:read_files><param:paths>a</param:paths><param:paths>b</param:paths></tool:read_files>',
    ['read_files {"paths":["a","b"]}'],
  ],
  [
    'an array from its singular',
    '<tool:read_files><param:path>a</param:path><param:path>b</param:path></tool:read_files>',
    ['read_files {"paths":["a","b"]}'],
  ],
  [
    'an array from one scalar',
    '<tool:read_files><param:paths>a</param:paths></tool:read_files>',
    ['read_files {"paths":["a"]}'],
  ],
  [
    'an array from JSON',
    '<tool:read_files><param:paths>["a","b"]</param:paths></tool:read_files>',
    ['read_files {"paths":["a","b"]}'],
  ],
  [
    'items that look like lists',
    '<tool:read_files><param:paths>[a-z]</param:paths><param:paths>[</param:paths></tool:read_files>',
    ['read_files {"paths":["[a-z]","["]}'],
  ],
  ['a singular in -ies', '<tool:any><param:query>a</param:query></tool:any>', ['any {"queries":["a"]}']],
  [
    'numbers',
    '<tool:any><param:integer> 5\n</param:integer><param:number>-2.5e3</param:number></tool:any>',
    ['any {"integer":5,"number":-2500}'],
  ],
  [
    'booleans and null',
    '<tool:any><param:boolean>True</param:boolean><param:nothing>null</param:nothing></tool:any>',
    ['any {"boolean":true,"nothing":null}'],
  ],
  ['a choice', '<tool:any><param:choice>1</param:choice></tool:any>', ['any {"choice":1}']],
  [
    'a choice with blanks around it',
    '<tool:write_file><param:path>a</param:path><param:content>b</param:content><param:mode>\n  append </param:mode></tool:write_file>',
    ['write_file {"path":"a","content":"b","mode":"append"}'],
  ],
  [
    'an object',
    '<tool:any><param:object>{"x": 1, "y": [2]}</param:object></tool:any>',
    ['any {"object":{"x":1,"y":[2]}}'],
  ],
  [
    'an object behind a reference',
    '<tool:any><param:point>{"x": 1}</param:point></tool:any>',
    ['any {"point":{"x":1}}'],
  ],
  [
    'arrays of numbers and objects',
    '<tool:any><param:numbers>1</param:numbers><param:numbers>2</param:numbers><param:objects>{"a":1}</param:objects></tool:any>',
    ['any {"numbers":[1,2],"objects":[{"a":1}]}'],
  ],
  ['a string or null', '<tool:any><param:maybe>null</param:maybe></tool:any>', ['any {"maybe":null}']],
  [
    'a parameter without a type: JSON',
    '<tool:any><param:free>{"a":[1]}</param:free></tool:any>',
    ['any {"free":{"a":[1]}}'],
  ],
  ['a parameter without a type: text', '<tool:any><param:free>a {</param:free></tool:any>', ['any {"free":"a {"}']],
  [
    'a string that looks like JSON',
    '<tool:any><param:pattern>[1]</param:pattern></tool:any>',
    ['any {"pattern":"[1]"}'],
  ],
  [
    'parameters that the schema does not know',
    '<tool:any><param:other>5</param:other></tool:any>',
    ['any {"other":"5"}'],
  ],
  ['tools that are not known', '<tool:nobody><param:a>5</param:a></tool:nobody>', ['nobody {"a":"5"}']],
])('xml types %s', (_, source, chunks) => {
  expect(summary(parse(xml, source, { tools }))).toEqual(chunks)
})

const many = Array.from({ length: 1001 }, (_, i) => p('', `p${i}`)).join('')

const errors: [string, string, string, string][] = [
  ['a call in a call', t(`${p('1')}<tool:u></tool:u>`), 'SYNTAX_NESTED_CALL', 'inside the call to `t`'],
  [
    'a parameter in a parameter',
    '<tool:t><param:a>1<param:b>2</param:b></tool:t>',
    'SYNTAX_NESTED_PARAMETER',
    '`</param:a>`',
  ],
  ['a tool closed by a wrong name', `<tool:t>${p('1')}</tool:u>`, 'SYNTAX_WRONG_CLOSING', '`</tool:u>`'],
  [
    'a parameter closed by a wrong name',
    '<tool:t><param:a>1</param:b></tool:t>',
    'SYNTAX_WRONG_CLOSING',
    '`</param:b>`',
  ],
  ['a closing tag without a parameter', t(`${p('1')}</param:b>`), 'SYNTAX_WRONG_CLOSING', '`</param:b>`'],
  ['text between parameters', t(`${p('1')} and ${p('2', 'b')}`), 'SYNTAX_STRAY_TEXT', 'text between the parameters'],
  ['a tag between parameters that is none', t(`${p('1')}<b>`), 'SYNTAX_STRAY_TEXT', 'text between the parameters'],
  ['a parameter tag with blanks', t(`${p('1')}<param:b c>`), 'SYNTAX_STRAY_TEXT', 'text between the parameters'],
  ['a call that never closes', `<tool:t>${p('1')}\n`, 'SYNTAX_UNCLOSED_CALL', '`</tool:t>`'],
  ['a value that the token limit cuts', '<tool:t><param:a>src/ma', 'SYNTAX_UNCLOSED_VALUE', '`</param:a>`'],
  [
    'a value with a tag that the token limit cuts',
    '<tool:t><param:a><param:b>',
    'SYNTAX_UNCLOSED_VALUE',
    '`</param:a>`',
  ],
  ['a parameter name that the token limit cuts', '<tool:t><param:a', 'SYNTAX_UNCLOSED_CALL', '`</tool:t>`'],
  [
    'a value of the wrong type',
    '<tool:any><param:integer>many</param:integer></tool:any>',
    'SYNTAX_BAD_VALUE',
    '`integer` of `any` must be an integer, but was "many"',
  ],
  [
    'a value that is not a choice',
    '<tool:any><param:choice>b</param:choice></tool:any>',
    'SYNTAX_BAD_VALUE',
    'one of "a", 1',
  ],
  [
    'an item of the wrong type',
    '<tool:any><param:numbers>1</param:numbers><param:numbers>x</param:numbers></tool:any>',
    'SYNTAX_BAD_VALUE',
    'a number',
  ],
  ['an object without a member', '<tool:any><param:point>{}</param:point></tool:any>', 'SYNTAX_BAD_VALUE', 'an object'],
  [
    'a parameter that is missing',
    '<tool:read_files></tool:read_files>',
    'SYNTAX_MISSING_PARAMETER',
    '`paths` of `read_files` is required',
  ],
  [
    'a parameter that is given twice',
    '<tool:any><param:integer>1</param:integer><param:integer>2</param:integer></tool:any>',
    'SYNTAX_DUPLICATE_PARAMETER',
    '`integer`',
  ],
  [
    'a tool name that is too long',
    `<tool:${'n'.repeat(129)}></tool:${'n'.repeat(129)}>`,
    'SYNTAX_NAME_TOO_LONG',
    '128',
  ],
  ['a parameter name that is too long', t(p('1', 'n'.repeat(129))), 'SYNTAX_NAME_TOO_LONG', '128'],
  ['too many parameters', t(many), 'SYNTAX_TOO_MANY_PARAMETERS', '1000'],
  [
    'JSON that is too deep',
    `<tool:any><param:numbers>${'['.repeat(600)}${']'.repeat(600)}</param:numbers></tool:any>`,
    'SYNTAX_TOO_DEEP',
    '511',
  ],
  ['a call that is too long', t(p('x'.repeat(8 * 1024 * 1024 + 1))), 'SYNTAX_CALL_TOO_LONG', '8388608'],
]

test.each(errors)('xml reports %s', (_, source, code, message) => {
  const chunks = parse(xml, source, { tools })
  const error = chunks.at(-1)
  expect(error).toMatchObject({ type: 'tool-input-error', input: source, providerMetadata: { argot: { code } } })
  expect(error).toHaveProperty('errorText', expect.stringContaining(message))
  expect(chunks.filter(chunk => chunk.type === 'tool-input-start')).toHaveLength(1)
})

test('an error ends with its call, so that what follows is read', () => {
  const source = `${t(`${p('1')} and </tool:u> and <param:b></tool:t></param:b>`)} text ${t('')}`
  expect(summary(parse(xml, source))).toEqual([
    't SYNTAX_STRAY_TEXT "<tool:t><param:a>1</param:a> and </tool:u> and <param:b></tool:t></param:b></tool:t>"',
    'text " text "',
    't {}',
  ])
})

test('a message tells the model how to write the call', () => {
  const source = '<tool:write_file><param:path>a</param:path></tool:write_file>'
  expect(parse(xml, source, { tools }).at(-1)).toMatchObject({
    errorText:
      'Parameter `content` of `write_file` is required and missing. Write the call like this:\n' +
      '<tool:write_file>\n<param:content>\nthe first line\nthe second line\n</param:content>\n' +
      '<param:path>src/lib.rs</param:path>\n<param:mode>create</param:mode>\n</tool:write_file>',
  })
})

test('all wrong values are reported together', () => {
  const source = '<tool:any><param:integer>x</param:integer><param:number>y</param:number></tool:any>'
  const { errorText } = parse(xml, source, { tools }).at(-1) as { errorText: string }
  expect(errorText).toContain('`integer`')
  expect(errorText).toContain('`number`')
})

test('without a schema a repeated parameter ends the deltas', () => {
  const deltas = parse(xml, t(p('1') + p('2', 'b') + p('3') + p('4', 'c'))).filter(
    chunk => chunk.type === 'tool-input-delta',
  )
  expect(deltas.map(chunk => chunk.inputTextDelta).join('')).toBe('{"a":"1","b":"2"')
})

test('deltas have no lone half of a character', () => {
  const [, delta] = parse(xml, t(p('"\ud800')))
  expect(delta).toMatchObject({ inputTextDelta: '{"a":"\\"\\ud800"}' })
})

test('a long value in small pieces stays whole', () => {
  const value = Array.from({ length: 3000 }, (_, i) => `line ${i} < "x"\n`).join('')
  const source = t(p('1', 'b') + p(value) + p('2', 'c'))
  const parser = xml.parser()
  const chunks = (source.match(/.{1,7}/gs) ?? []).flatMap(piece => parser.push(piece))
  expect(chunks.at(-1)).toMatchObject({ input: { b: '1', a: value.slice(0, -1), c: '2' } })
})

test('a value streams while it is written', () => {
  const parser = xml.parser()
  expect(parser.push('<tool:t><param:a>\nfn ma')).toHaveLength(2)
  expect(parser.push('in() {\n')).toEqual([
    { type: 'tool-input-delta', toolCallId: 'tool-0-1', inputTextDelta: 'in() {' },
  ])
  expect(parser.push('}\n</par')).toEqual([
    { type: 'tool-input-delta', toolCallId: 'tool-0-1', inputTextDelta: '\\n}' },
  ])
})

test('a character that is cut in two stays whole', () => {
  const parser = xml.parser()
  expect([...parser.push('a\ud83d'), ...parser.push('\ude42b')]).toMatchObject([{}, { delta: 'a' }, { delta: '🙂b' }])
})

describe('format', () => {
  const format = (input: unknown) =>
    xml.format({ toolCallId: '', toolName: 't', input }).replace(/^<tool:t>\n|\n?<\/tool:t>$/g, '')

  test.each<[string, unknown, string]>([
    ['nothing', {}, ''],
    ['a line', { a: 'x' }, '<param:a>x</param:a>'],
    ['lines', { a: 'x\ny' }, '<param:a>\nx\ny\n</param:a>'],
    ['the closing tag', { a: '</param:a> </param:a#1>' }, '<param:a#2></param:a> </param:a#1></param:a#2>'],
    ['a list', { a: ['x', 'y'] }, '<param:a>x</param:a>\n<param:a>y</param:a>'],
    ['a list of one', { a: ['x'] }, '<param:a>["x"]</param:a>'],
    ['a list that looks like JSON', { a: ['1', '2'] }, '<param:a>["1","2"]</param:a>'],
    ['an empty list', { a: [] }, '<param:a>[]</param:a>'],
    ['an object', { a: { b: 1 } }, '<param:a>{"b":1}</param:a>'],
    ['a value that is undefined', { a: undefined }, ''],
  ])('xml writes %s', (_, input, text) => {
    expect(format(input)).toBe(text)
  })

  test('writes the plainest form that the schema allows', () => {
    const call = { toolCallId: '', toolName: 'read_files', input: { paths: ['5'] } }
    expect(xml.format(call, tools[0])).toBe('<tool:read_files>\n<param:paths>5</param:paths>\n</tool:read_files>')
  })

  test.each<[string, unknown]>([
    ['a key that is not a name', { 'a b': 1 }],
    ['a long key', { ['k'.repeat(129)]: 1 }],
    ['an input that is not an object', [1]],
    ['NaN', { a: Number.NaN }],
    ['a function', { a: () => 1 }],
    ['a bigint', { a: 1n }],
    [
      'a circle',
      {
        a: (() => {
          const circle: unknown[] = []
          circle.push(circle)
          return circle
        })(),
      },
    ],
  ])('xml refuses %s', (_, input) => {
    expect(() => format(input)).toThrow(expect.objectContaining({ code: 'SYNTAX_CANNOT_WRITE' }))
  })
})

describe('the laws', () => {
  const shards = [
    ...[
      '<tool:read_file>',
      '<tool:x>',
      '</tool:read_file>',
      '</tool:x>',
      '<tool:x></tool:x>',
      '<tool:x>\n<param:path>\n',
    ],
    ...['<param:path>', '</param:path>', '<param:path>a</param:path>', '<param:paths>', '</param:paths>'],
    ...[
      '<param:path#1>',
      '\r\n',
      '<param:path>\r\n',
      '\r\n</param:path>',
      '</param:path#1>',
      '<tool:',
      '<to',
      '</',
      '<',
      '>',
      '</param:',
      '</tool:',
      '\n',
      ' ',
      'text',
      '`',
    ],
  ]
  const texts = [...readings, ...errors].map(([, source]) => source).filter(source => source.length < 400)
  testConformance(xml, { test, shards, texts })
})
