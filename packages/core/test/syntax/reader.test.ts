import { ArgotError } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import {
  caret,
  type Grammar,
  parse,
  Reader,
  type State,
  type Syntax,
  syntaxes,
  syntaxStream,
  xml,
} from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { createRegistry } from '../../src/syntax/registry.ts'
import type { TraceStep } from '../../src/syntax/syntax.ts'
import { fillPrompt } from '../../src/syntax/teach/prompt.ts'
import { summary } from './summary.ts'
import { tools } from './tools.ts'

const call = (name = 't') => `<tool:${name}></tool:${name}>`

describe('ids', () => {
  const ids = (options: object) =>
    parse(xml, call() + call('u'), options).flatMap(chunk =>
      chunk.type === 'tool-input-start' ? [chunk.toolCallId] : [],
    )

  test('count the calls of a request', () => {
    expect(ids({})).toEqual(['tool-0-1', 'tool-0-2'])
    expect(ids({ step: 3 })).toEqual(['tool-3-1', 'tool-3-2'])
  })

  test('come from the caller where it gives them', () => {
    expect(ids({ nextId: (name: string) => `my-${name}` })).toEqual(['my-t', 'my-u'])
  })
})

describe('limits', () => {
  test('one call: blanks behind it are text, the rest is a remainder', () => {
    const parser = xml.parser({ limit: 'one' })
    const before = parser.push(`Go.\n${call()}\n \n`)
    expect(parser.stopped).toBe(false)
    const after = [...parser.push('Do'), ...parser.push(`ne ${call()}`), ...parser.end()]
    expect(parser.stopped).toBe(true)
    expect(summary([...before, ...after])).toEqual([
      'text "Go.\\n"',
      't {}',
      'text "\\n \\n"',
      'remainder "Done <tool:t></tool:t>"',
    ])
    expect(after.filter(chunk => argotMetadata(chunk)?.phase === 'remainder')).toEqual([
      { type: 'text-start', id: 'text-0-3', providerMetadata: { argot: { phase: 'remainder' } } },
    ])
  })

  test('one call: a call that could not be read is one', () => {
    const chunks = parse(xml, `<tool:t><param:a>1</param:a>x</tool:t>${call()}`, { limit: 'one' })
    expect(summary(chunks).map(line => line.split(' ')[0])).toEqual(['t', 'remainder'])
  })

  test('one writer: only as the first, an unknown tool counts as one', () => {
    const limit = { limit: 'one-writer', tools } as const
    expect(summary(parse(xml, `${call('nobody')} x`, limit))).toEqual(['nobody {}', 'text " "', 'remainder "x"'])
    const reads = '<tool:read_files><param:path>a</param:path></tool:read_files>'
    expect(summary(parse(xml, `${reads} and ${reads}${call('nobody')} x`, limit))).toEqual([
      'read_files {"paths":["a"]}',
      'text " and "',
      'read_files {"paths":["a"]}',
      'remainder "<tool:nobody></tool:nobody> x"',
    ])
  })

  test('one writer: the caller can say which tools only read', () => {
    const options = { limit: 'one-writer', readOnly: (name: string) => name === 't' } as const
    expect(summary(parse(xml, `${call()}${call()}${call('u')}`, options))).toEqual([
      't {}',
      't {}',
      'remainder "<tool:u></tool:u>"',
    ])
  })
})

describe('reasoning', () => {
  test.each<[string, string, string[]]>([
    [
      'a part',
      `<think>\nuse ${call()}\n</think>\n${call()}`,
      ['reasoning "\\nuse <tool:t></tool:t>\\n"', 'text "\\n"', 't {}'],
    ],
    ['a part between text', 'a\n<reasoning>b</reasoning> c', ['text "a\\n"', 'reasoning "b"', 'text " c"']],
    ['a part that never closes', '<thinking>a</think>', ['reasoning "a</think>"']],
    ['an empty part', '<think></think>a', ['text "a"']],
    ['text within a line', 'a <think>b</think>', ['text "a <think>b</think>"']],
    ['text in a fence', '```\n<think>\n```', ['text "```\\n<think>\\n```"']],
    ['text where the tag is another', '<thinker>a</thinker>', ['text "<thinker>a</thinker>"']],
  ])('becomes %s', (_, source, chunks) => {
    expect(summary(parse(xml, source, { reasoning: 'parts' }))).toEqual(chunks)
  })

  test('starts and ends with its tags', () => {
    expect(parse(xml, '<think>a</think>', { reasoning: 'parts' })).toEqual([
      { type: 'reasoning-start', id: 'reasoning-0-1' },
      { type: 'reasoning-delta', id: 'reasoning-0-1', delta: 'a' },
      { type: 'reasoning-end', id: 'reasoning-0-1' },
    ])
  })
})

describe('Markdown', () => {
  const hidden = `x ${call()}`

  test.each<[string, string]>([
    ['a fence closed by a shorter one', `\`\`\`\`\n\`\`\`\n${hidden}`],
    ['a fence closed by another character', `\`\`\`\n~~~\n${hidden}`],
    ['a fence closed with words behind it', `\`\`\`\n\`\`\` js\n${hidden}`],
    ['a fence indented by a tab', `\t\`\`\`\n${hidden}`],
    ['a tilde fence with backticks in its info', `~~~ a\`b\n${hidden}`],
    ['a fence in a nested list item', `- 1. \`\`\`\n${hidden}`],
    ['the second line of a list item', `- a\n  ${hidden}`],
    ['a list item behind a blank line', `- a\n\n  ${hidden}`],
    ['a list item behind a blank line with CR LF', `- a\r\n\r\n  ${hidden}`],
    ['a list item indented by a tab', `1. a\n\t${hidden}`],
    ['a nested quote', `> > ${hidden}`],
    ['a quote in a list item', `- > ${hidden}`],
  ])('hides calls in %s', (_, source) => {
    expect(summary(parse(xml, source))).toEqual([`text ${JSON.stringify(source)}`])
  })

  test.each<[string, string]>([
    ['a fence closed by a longer one', `\`\`\`\n\`\`\`\`\n${hidden}`],
    ['a fence closed further to the right', `\`\`\`\n    \`\`\`  \r\n${hidden}`],
    ['a list item and text to the left of it', `- a\n ${hidden}`],
    ['a numbered item and text to the left of it', `10. a\n   ${hidden}`],
    ['a number that is not an item', `10.5 ${hidden}`],
    ['a number of ten digits', `1234567890. ${hidden}`],
    ['a dash that is not an item', `-a ${hidden}`],
    ['two tildes', `~~${hidden}~~`],
    ['a rule', `---\n${hidden}`],
    ['an unclosed code span on the line before', `a \`b\n${hidden} \``],
  ])('does not hide calls behind %s', (_, source) => {
    expect(summary(parse(xml, source))).toContain('t {}')
  })
})

/** A syntax whose calls are words behind a mark: `@name` to the end of the line. */
function toy(opening: Grammar['opening'], withLineBreak = false): Syntax {
  const grammar: Grammar = {
    opening,
    states(reader) {
      const opener = (): State => {
        reader.at++
        reader.word = ''
        return name
      }
      const name = (): State => {
        if (!reader.readName()) return name
        if (reader.word === '') return reader.notCall()
        const elsewhere = reader.open(
          reader.afterQuote ? `${reader.word}-after-quote` : reader.word,
          `id-${reader.word}`,
        )
        if (elsewhere !== undefined) return elsewhere
        if (withLineBreak) reader.at++
        return reader.close(withLineBreak)
      }
      return { opener, unclosed: () => ({ code: 'SYNTAX_UNCLOSED_CALL', message: '' }) }
    },
    repair: () => '',
  }
  return { ...xml, name: 'toy', parser: options => new Reader(grammar, options) }
}

describe('exceptions of a syntax', () => {
  const names = (syntax: Syntax, source: string) =>
    summary(parse(syntax, source)).filter(line => !line.startsWith('text'))

  test('a mark at a line start comes before Markdown: calls can live in quotes', () => {
    const quoted = toy({ marks: '>', where: 'indented' })
    expect(names(quoted, '>a\n   >b\n    >c\n> d\n>e\n- >f\n  >g\n```\n>h\n```\n')).toEqual([
      'a {}',
      'b {}',
      'e-after-quote {}',
    ])
  })

  test('a mark at a line start comes before Markdown: calls can be fences', () => {
    const fenced = toy({ marks: '`', where: 'line' })
    expect(names(fenced, '`a\n```\n`b\n```\n`c')).toEqual(['a {}', 'c {}'])
  })

  test('a call can end at the start of a line', () => {
    const lines = toy({ marks: '@', where: 'line' }, true)
    expect(names(lines, '@a\n@b\n```\n@c\n```\n@d\n')).toEqual(['a {}', 'b {}', 'd {}'])
  })

  test('a call can bring its id', () => {
    const [start] = parse(toy({ marks: '@', where: 'line' }), '@a')
    expect(start).toMatchObject({ type: 'tool-input-start', toolCallId: 'id-a' })
  })

  test('fences with certain words hide nothing', () => {
    const live = toy({ marks: '@', where: 'anywhere', liveFences: ['tool_code'] })
    const source = '```tool_code\n@a\n```\n```js\n@b\n```\n~~~ tool_code x\n@c\n~~~\n@d'
    expect(names(live, source)).toEqual(['a {}', 'c {}', 'd {}'])
  })
})

describe('trace', () => {
  test('tells place, state and decision of every step', () => {
    const steps: TraceStep[] = []
    parse(xml, `a ${call()} <tool:x> b`, { trace: step => steps.push(step) })
    expect(steps).toContainEqual({ offset: 0, state: 'prose', decision: 'continues with opener' })
    expect(steps).toContainEqual({
      offset: 11,
      state: 'emptyCall',
      decision: 'call to t is complete, continues with prose',
    })
    expect(steps).toContainEqual({ offset: 28, state: 'afterOpener', decision: 'not a call, continues with prose' })
  })
})

describe('a parser', () => {
  test('can end twice, and cannot go on behind its end', () => {
    const parser = xml.parser()
    parser.push('a')
    expect(parser.end()).toHaveLength(1)
    expect(parser.end()).toEqual([])
    expect(() => parser.push('b')).toThrow(expect.objectContaining({ code: 'SYNTAX_PARSER_ENDED' }))
  })

  test('gives nothing for nothing', () => {
    expect(xml.parser().push('')).toEqual([])
    expect(parse(xml, '')).toEqual([])
  })

  test('keeps a lone half of a character', () => {
    expect(summary(parse(xml, 'a\ud83d'))).toEqual(['text "a\\ud83d"'])
  })
})

describe('the registry', () => {
  test('knows the syntaxes by name and alias', () => {
    expect(syntaxes.get('xml')).toBe(xml)
    expect(syntaxes.get('json')).toBe(syntaxes.get('native'))
    expect(syntaxes.names()).toEqual(expect.arrayContaining(['native', 'xml', 'caret']))
    expect(syntaxes.names()).not.toContain('json')
  })

  test('names the known ones where one is unknown', () => {
    expect(() => syntaxes.get('yaml')).toThrow(ArgotError)
    expect(() => syntaxes.get('yaml')).toThrow(/no syntax "yaml".*native.*xml.*caret/)
    expect(() => parse('__proto__', '')).toThrow(expect.objectContaining({ code: 'SYNTAX_UNKNOWN' }))
    expect(() => createRegistry().get('xml')).toThrow('No syntaxes are registered.')
  })

  test('takes a syntax once', () => {
    const registry = createRegistry()
    registry.register(xml)
    registry.register(xml, 'tags')
    expect(registry.get('tags')).toBe(xml)
    expect(registry.names()).toEqual(['xml'])
    expect(() => registry.register({ ...xml })).toThrow(expect.objectContaining({ code: 'SYNTAX_NAME_TAKEN' }))
    expect(() => registry.register({ ...caret, name: 'Caret' })).toThrow(
      expect.objectContaining({ code: 'SYNTAX_BAD_NAME' }),
    )
  })
})

test('a stream gives the chunks of its text', async () => {
  const pieces = ['I <to', 'ol:t></tool', ':t>', ' b']
  const chunks: unknown[] = []
  const source = new ReadableStream<string>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  for await (const chunk of source.pipeThrough(syntaxStream('xml'))) chunks.push(chunk)
  expect(summary(chunks as never)).toEqual(['text "I "', 't {}', 'text " b"'])
})

describe('the description of tools', () => {
  test('has the lesson, each tool, its parameters and an example', () => {
    expect(caret.describe(tools.slice(0, 1)).replace(caret.describe([]), '')).toBe(`

## read_files

Reads files.

Parameters:
- paths (an array of strings, required): Where they are.
- project (a string)

Usage:
^^^read_files
paths: [
some paths 1
some paths 2
]
project: some project
^^^`)
  })

  test.each([xml, caret])('shows examples that are calls, in $name', syntax => {
    for (const tool of tools) {
      const usage = syntax.describe([tool]).split('Usage:\n')[1] ?? ''
      expect(parse(syntax, usage, { tools }).at(-1)).toMatchObject({
        type: 'tool-input-available',
        toolName: tool.name,
      })
    }
  })

  test('fills a prompt, with the lesson once', () => {
    const lesson = xml.describe([])
    expect(fillPrompt('{{syntax}}|{{ tools }}|{{other}}', xml, [])).toBe(`${lesson}||{{other}}`)
    expect(fillPrompt('{{tools}}', xml, tools)).toBe(xml.describe(tools))
    expect(`${lesson}\n\n${fillPrompt('{{syntax}}{{tools}}', xml, tools).slice(lesson.length)}`).toBe(
      xml.describe(tools),
    )
  })

  test('takes text with replacement marks as it is', () => {
    const odd = [{ name: 'x', description: '$& {{tools}}', inputSchema: {} }]
    expect(fillPrompt('{{tools}}', xml, odd)).toContain('$& {{tools}}')
  })
})

describe('results', () => {
  test.each([
    [xml, '<result:t id="c1" status="success">\n```\nok\n```\n</result:t>'],
    [caret, '^^^ result of t c1: success\n```\nok\n```\n^^^ end of result'],
  ])('are labelled and fenced in $name', (syntax, text) => {
    expect(syntax.formatResult({ toolCallId: 'c1', toolName: 't', state: 'output-available', output: 'ok' })).toBe(text)
  })

  test('are fenced with more backticks than they have', () => {
    const result = { toolCallId: 'c', toolName: 't', state: 'output-available', output: '````\nx' } as const
    expect(xml.formatResult(result)).toContain('\n`````\n````\nx\n`````\n')
  })

  test('say what went wrong', () => {
    const result = { toolCallId: 'c', toolName: 't' } as const
    expect(xml.formatResult({ ...result, state: 'output-error', errorText: 'no' })).toContain(
      'status="error">\n```\nno\n',
    )
    expect(xml.formatResult({ ...result, state: 'output-denied', approval: { id: '', reason: 'not now' } })).toContain(
      'denied',
    )
    expect(xml.formatResult({ ...result, state: 'output-available', output: { a: 1 } })).toContain('{\n  "a": 1\n}')
  })

  test('have labels without markup', () => {
    const result = { toolCallId: '"><tool:x></tool:x>', toolName: 'a\n^^^b', state: 'output-available' } as const
    expect(summary(parse(xml, xml.formatResult(result)))).toHaveLength(1)
    expect(summary(parse(caret, caret.formatResult(result)))).toHaveLength(1)
  })
})
