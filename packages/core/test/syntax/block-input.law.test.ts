import type { Chunk, ToolDefinition } from '@argot/core'
import { callout, fence, parse } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { seed, shareOf } from '../../../../test/share-of-cases.ts'
import { Random } from '../../src/testing/random.ts'
import { same } from '../stream/laws.ts'

/**
 * Parameters of a block go out one by one where its header names tool and id, and are otherwise read at the end, all of
 * them by the library. Both ways give the same input, or both an error.
 */

const tools: ToolDefinition[] = [
  {
    name: 'f',
    inputSchema: {
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: 'integer' },
        c: {},
        d: { type: 'array', items: { type: 'string' } },
      },
    },
  },
]

/** The last is what a CRLF becomes that is converted twice. */
const lineEnds = ['\n', '\r\n', '\r\r\n']
const keys = ['a', 'b', 'c', 'd', 'e-f', 'true', '"q"', '12']
const values = [
  ...[
    'x',
    'two words',
    '12',
    '-0',
    '012',
    '0x1f',
    '1e3',
    '1.5',
    '12345678901234567890',
    'true',
    'True',
    'null',
    '~',
    '',
  ],
  ...['a: b', 'a:b', 'a #b', 'a#b', '#b', '"x y"', '"a\\nb"', '"a\\x41b"', '"a" b', "'it''s'", "'a", '"a', '[a, b]'],
  ...['{a: 1}', '- a', '*a', '&a b', '!!str 1', '@a', '`a`', '%a', '.inf', '.nan', '-', '?', ': x', 'a,b', '/x/y', 'é'],
  ...['|', '|-', '|+', '|2', '>', '>-', '| # note', 'x\t', '"\t"', '"" ', 'yes', 'a \\ b', '"\\/"', '"\\u00e9"'],
]
const lines = [
  '',
  ' ',
  '      ',
  '# note',
  '  # note',
  '# "x',
  "# it's",
  '# a: [b}',
  '#',
  'x',
  '- x',
  '  - x',
  'x: y',
  '    x',
  '   x',
  '  x:',
  '\tx',
  '"',
  ']',
]

function body(random: Random): string[] {
  const indent = ' '.repeat(2 + random.integer(2))
  return random
    .list(1, 5, () => {
      const written = [`${indent}${random.pick(keys)}: ${random.pick(values)}`]
      if (random.chance(2))
        written.push(...random.list(1, 3, () => `${random.chance(4) ? ' ' : '    '}${random.pick(lines)}`))
      return written
    })
    .flat()
}

function textOf(name: 'callout' | 'fence', header: string, written: readonly string[]): string {
  const fields = ['input:', ...written]
  return name === 'callout'
    ? [`> [!tool ${header}]`, ...fields.map(line => `> ${line}`), ''].join('\n')
    : [`\`\`\`\`tool ${header}`, ...fields, '````', ''].join('\n')
}

function inputOf(
  name: 'callout' | 'fence',
  header: string,
  written: readonly string[],
  known: boolean,
  end = '\n',
): string {
  const text = textOf(name, header, written).replaceAll('\n', end)
  const chunks = parse(name === 'callout' ? callout : fence, text, known ? { tools } : {})
  const call = chunks.find(({ type }) => type === 'tool-input-available')
  return call?.type === 'tool-input-available' ? JSON.stringify(call.input) : 'error'
}

describe.each(['callout', 'fence'] as const)('%s', name => {
  test.each([true, false])('reads parameters one by one as it reads them all at once (tools known: %s)', known => {
    const random = new Random(seed)
    let read = 0
    for (let i = 0; i < shareOf(1000); i++) {
      const written = body(random)
      const end = random.pick(lineEnds)
      const atOnce = inputOf(name, 'f', written, known, end)
      if (atOnce !== 'error') read++
      same([written, end, inputOf(name, 'f id_1', written, known, end)], [written, end, atOnce])
    }
    expect(read).toBeGreaterThan(shareOf(100))
  })
})

const literalLines = ['', ' ', '      ', 'x', '  x', '\tx', '```', '````` x', '> q', '# n', '- a', 'k: v', '"é\\', '  ']

describe.each(['callout', 'fence'] as const)('a literal block of %s', name => {
  const random = new Random(seed)
  const written = Array.from({ length: shareOf(300) }, () => [
    `  a: ${random.pick(['|', '|-'])}`,
    `    ${random.pick(['x', '  x', '```'])}`,
    ...random.list(0, 8, () => {
      const line = random.pick(literalLines)
      return line === '' && random.chance(2) ? '' : `    ${line}`
    }),
    ...(random.chance(2) ? ['  b: 1'] : []),
  ])

  test.each(lineEnds)('is what the library makes of it, with lines that end in %j', end => {
    for (const lines of written) {
      same([lines, inputOf(name, 'f id_1', lines, true, end)], [lines, inputOf(name, 'f', lines, true, end)])
    }
  })

  test.each(lineEnds)('is the same in any pieces, with lines that end in %j', end => {
    for (const lines of written) {
      const text = textOf(name, 'f id_1', lines).replaceAll('\n', end)
      for (const size of [1, 3, 7]) {
        same([lines, size, readInPieces(name, text, size)], [lines, size, readInPieces(name, text, text.length)])
      }
    }
  })

  test('is an error past the limit of a call, the same in any pieces', () => {
    const text = textOf(name, 'f id_1', ['  a: |', ...Array<string>(9000).fill(`    ${'x'.repeat(1000)}`)])
    const whole = readInPieces(name, text, text.length)
    expect(whole.at(-1)).toMatch(/Line 8\d\d\d, column \d: The call is longer than/)
    expect(readInPieces(name, text, 5003)).toEqual(whole)
  })
})

/** All that was read: the JSON of the input, the input, and an error. */
function readInPieces(name: 'callout' | 'fence', text: string, size: number): unknown[] {
  const parser = (name === 'callout' ? callout : fence).parser({ tools })
  const chunks: Chunk[] = []
  for (let at = 0; at < text.length; at += size) chunks.push(...parser.push(text.slice(at, at + size)))
  chunks.push(...parser.end())
  const json = chunks.flatMap(chunk => (chunk.type === 'tool-input-delta' ? [chunk.inputTextDelta] : [])).join('')
  const inputs = chunks.flatMap(chunk => (chunk.type === 'tool-input-available' ? [chunk.input] : []))
  const errors = chunks.flatMap(chunk => ('errorText' in chunk ? [chunk.errorText] : []))
  return [json, ...inputs, ...errors]
}

test.each([
  ['callout', '> [!tool f id_1]\n> input:\n>   a: |\n>     one\n', '>     two\n'],
  ['fence', '```tool f id_1\ninput:\n  a: |\n    one\n', '    two\n'],
  ['callout', '> [!tool f id_1]\n> input:\n>   a: |\n>     one\n', '>     two'],
  ['fence', '```tool f id_1\ninput:\n  a: |\n    one\n', '    two'],
] as const)('%s sends a literal block on while it is written', (name, start, more) => {
  const parser = (name === 'callout' ? callout : fence).parser({ tools })
  const deltas = [start, more].map(text =>
    parser
      .push(text)
      .flatMap(chunk => (chunk.type === 'tool-input-delta' ? [chunk.inputTextDelta] : []))
      .join(''),
  )
  expect(deltas).toEqual(['{"a":"one', '\\ntwo'])
})

/** The pieces of quoted texts, and what may follow them. */
const quotedPieces = [
  ...[
    'a',
    'b c',
    '  ',
    '\\n',
    '\\t',
    '\\"',
    '\\\\',
    '\\x41',
    '\\u00e9',
    '\\ud83d\\ude00',
    '\\q',
    '\\',
    "''",
    "'",
    '"',
    '🙂',
  ],
  ...[
    '\n    ',
    '\n     x',
    '\n\n    ',
    '\n ',
    ' \n    ',
    '\\\n    ',
    '\n  b: 1',
    '\n  c: "z"',
    '\n  # note',
    ' # note',
    ': x',
    '\r',
    '\r\n    ',
  ],
]

function chunksOf(name: 'callout' | 'fence', text: string, cuts: readonly number[]): string {
  const parser = (name === 'callout' ? callout : fence).parser({ tools })
  const pieces = [0, ...cuts].map((cut, index) => text.slice(cut, cuts[index] ?? text.length))
  const all: Chunk[] = [...pieces.flatMap(piece => parser.push(piece)), ...parser.end()]
  const deltas = all.map(chunk => (chunk.type === 'tool-input-delta' ? chunk.inputTextDelta : '')).join('')
  const others = all.filter(({ type }) => !type.endsWith('-delta'))
  for (const chunk of all) if (chunk.type === 'tool-input-available') expect(JSON.parse(deltas)).toEqual(chunk.input)
  return JSON.stringify([deltas, others])
}

describe.each(['callout', 'fence'] as const)('a quoted text in a %s', name => {
  function written(random: Random): string[] {
    const quote = random.pick(['"', "'"])
    const value = random.list(0, 6, () => random.pick(quotedPieces)).join('')
    return `  a: ${quote}${value}${random.chance(5) ? '' : quote}`.split('\n')
  }

  test('is what the library reads', () => {
    const random = new Random(seed)
    let read = 0
    for (let i = 0; i < shareOf(1000); i++) {
      const lines = written(random)
      const end = random.pick(lineEnds)
      const atOnce = inputOf(name, 'f', lines, true, end)
      if (atOnce !== 'error') read++
      same([lines, end, inputOf(name, 'f id_1', lines, true, end)], [lines, end, atOnce])
    }
    expect(read).toBeGreaterThan(shareOf(200))
  })

  test('gives the same however it is cut', () => {
    const random = new Random(seed)
    for (let i = 0; i < shareOf(100); i++) {
      const fields = ['input:', ...written(random), '  d: "x y"']
      const text =
        name === 'callout'
          ? ['> [!tool f id_1]', ...fields.map(line => `> ${line}`), ''].join('\n')
          : ['```tool f id_1', ...fields, '```', ''].join('\n')
      const whole = chunksOf(name, text, [])
      const everywhere = Array.from({ length: text.length - 1 }, (_, index) => index + 1)
      same([text, chunksOf(name, text, everywhere)], [text, whole])
      for (const cut of everywhere) same([text, cut, chunksOf(name, text, [cut])], [text, cut, whole])
    }
  })
})

test.each([
  ['callout', '> [!tool f id_1]\n> input:\n>   a: ', '\n'],
  ['fence', '```tool f id_1\ninput:\n  a: ', '\n```\n'],
] as const)('%s sends a quoted text on while it is written', (name, start, end) => {
  const parser = (name === 'callout' ? callout : fence).parser({ tools })
  const pieces = [start, '"one ', 'two', '\\', 'nthree', '\\u00', 'e9 "', end]
  const deltas = pieces.map(text =>
    parser
      .push(text)
      .flatMap(chunk => (chunk.type === 'tool-input-delta' ? [chunk.inputTextDelta] : []))
      .join(''),
  )
  expect(deltas.slice(0, 7)).toEqual(['', '{"a":"one', ' two', '', '\\nthree', '', 'é '])
  const [chunk] = [...parser.push(''), ...parser.end()].filter(({ type }) => type === 'tool-input-error')
  expect(chunk).toBeUndefined()
})

describe.each(['callout', 'fence'] as const)('a key that is not there in a %s', name => {
  test.each([
    ['alone', ['  : x']],
    ['after a parameter', ['  a: 1', '  : x']],
    ['after a quoted text', ['  a: ""', '  : x']],
    ['further in than the parameter before it', ['  a: b', '    : x']],
    ['further in, after a quoted text and a carriage return', ['  a: ""\r', '    : x"']],
    ['in an object', ['  c:', '    : x']],
    ['in braces', ['  c: { : x }']],
  ])('is an error %s, with an id and without', (_, lines) => {
    expect([inputOf(name, 'f', lines, true), inputOf(name, 'f id_1', lines, true)]).toEqual(['error', 'error'])
  })

  test('differs from an empty one in quotes', () => {
    const lines = ['  "": x']
    expect([inputOf(name, 'f', lines, true), inputOf(name, 'f id_1', lines, true)]).toEqual(['{"":"x"}', '{"":"x"}'])
  })
})

describe.each(['callout', 'fence'] as const)('a comment in a %s', name => {
  const comments = ['# note', '#', '# "', "# '", "# it's", '# a: b', '# [', '# ]', '# {a', '# }', '# |', '# \t']
  const complete = [
    'x',
    'two words',
    '1',
    'true',
    '',
    '~',
    '"x y"',
    '"a\\"b"',
    "'it''s'",
    "''",
    '[a, b]',
    '{a: 1}',
    '!!str 1',
  ]

  test.each(lineEnds)('changes nothing after a value, with lines that end in %j', end => {
    for (const value of complete) {
      const expected = inputOf(name, 'f', [`  c: ${value}`, '  b: 1'], true)
      expect(expected).toMatch(/,"b":1\}$/)
      for (const comment of comments) {
        for (const lines of [
          [`  c: ${value} ${comment}`, '  b: 1'],
          [`  c: ${value}`, '', `  ${comment}`, '  b: 1'],
          [`  c: ${value}`, '    ', `      ${comment}`, comment, '  b: 1', ` ${comment}`],
        ]) {
          for (const header of ['f', 'f id_1']) {
            same([lines, header, inputOf(name, header, lines, true, end)], [lines, header, expected])
          }
        }
      }
    }
  })

  test.each(lineEnds)('ends a literal block where it is further out, with lines that end in %j', end => {
    for (const comment of comments) {
      const lines = ['  a: |', '      x # "', '', `    ${comment}`, `  ${comment}`, comment, '  b: 1']
      for (const header of ['f', 'f id_1']) {
        same([lines, inputOf(name, header, lines, true, end)], [lines, '{"a":"x # \\"\\n","b":1}'])
      }
    }
  })
})

describe.each(['callout', 'fence'] as const)('with an id and without, a %s', name => {
  test.each<[string, string[], string, string?]>([
    ['reads a tab after a literal block and a comment', ['  a: |', '#', '  \t'], '{"a":""}'],
    ['reads a blank line that ends in two CR', ["  a: 'x", '  \r', "    y'"], '{"a":"x\\ny"}', '\r\n'],
    ['reads a literal block of lines that end in two CR', ['  a: |', '    x\r', '    y\r'], '{"a":"x\\ny\\n"}', '\r\n'],
    [
      'refuses a comment as the first line of a block after blank lines that are further in',
      ['  a: |-', '     ', '   # note', '      # note'],
      'error',
    ],
    ['refuses a text after a comment at the column of fields', ['  a: x', '#', '    - y'], 'error'],
    ['refuses a quoted text with a comment at the column of fields in it', ['  a: "x', '#', '    y"'], 'error'],
    ['refuses a quoted text that ends in an escaped quote', ['  a: "\\"', '  c: "z"'], 'error'],
    ['refuses such a text in single quotes', ["  a: '''", "  c: 1'"], 'error'],
    [
      'refuses such a text before comments with a quote',
      ["  a: '''", '  b: 1', '    ', '     # note', "  # note'"],
      'error',
    ],
    ['refuses such a text over lines', ["  a: 'x", "     y''", "  # note'"], 'error'],
    ['refuses a literal block that is indented by a tab', ['  a: |', '  \t'], 'error'],
    ['refuses a tab after a literal block', ['  a: |', '    x', '  \t'], 'error'],
  ])('%s', (_, lines, expected, end = '\n') => {
    expect([inputOf(name, 'f', lines, true, end), inputOf(name, 'f id_1', lines, true, end)]).toEqual([
      expected,
      expected,
    ])
  })
})

test.each([callout, fence])(
  '$name: blanks beside line breaks of a text that only quotes can hold are read back',
  syntax => {
    for (const a of ['\ud800\n \n> a', '\ud800 \n\n b \n', `${'x'.repeat(50)}\ud800\n  \n \n\t\n`]) {
      const call = { toolCallId: 'id', toolName: 'f', input: { a } }
      const chunks = parse(syntax, syntax.format(call, tools[0]), { tools })
      expect(chunks).toContainEqual(expect.objectContaining({ type: 'tool-input-available', input: { a } }))
    }
  },
)
