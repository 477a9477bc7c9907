import type { ToolDefinition } from '@argot/core'
import { auto, parse, syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import { testConformance } from './conformance.ts'
import { summary } from './summary.ts'

/** A dialect, texts in it with the calls they hold, and how it keeps the laws. */
export interface DialectCase {
  name: string
  /** Each is read as `f {"a":"x","n":1}`, with the tool `f` known. */
  one: readonly string[]
  /** Read as two calls of `f`, with `a` being `x` and `y`. */
  two?: string
  conformance?: Partial<Parameters<typeof testConformance>[1]>
}

/** The laws for one dialect, with texts and pieces made of what it writes itself. */
export function testDialect({ name, one, two = '', conformance = {} }: DialectCase): void {
  const syntax = syntaxes.get(name)
  const written = syntax.format({ toolCallId: 'functions.f:0', toolName: 'f', input: { a: 'x', b: [1, { c: 'y' }] } })
  const pieces = written.match(/<[^<>]*>|\[[^[\]]*\]|[{}"',=()\n:]+|\w+/g) ?? []
  const halves = pieces.map(piece => piece.slice(0, Math.ceil(piece.length / 2)))
  testConformance(syntax, {
    test,
    shards: [...new Set([...pieces, ...halves, '`', '```\n', '<think>', 'a'])],
    texts: [...one, two],
    thoroughness: 0.2,
    ...conformance,
  })
}

/** What each dialect reads, writes and teaches; `tools`: the one that its texts call. */
export function testForms(cases: readonly DialectCase[], tools: readonly ToolDefinition[]): void {
  describe.each(cases)('the dialect $name', ({ name, one, two }) => {
    test.each(one)('reads %s', source => {
      expect(summary(parse(name, source, { tools })).filter(line => !line.startsWith('text'))).toEqual([
        'f {"a":"x","n":1}',
      ])
    })

    test('reads two calls', () => {
      if (two === undefined) return
      const lines = summary(parse(name, two, { tools })).filter(line => !line.startsWith('text'))
      expect(lines).toEqual(['f {"a":"x"}', 'f {"a":"y"}'])
    })

    test('writes what `auto` reads too', () => {
      const call = { toolCallId: 'functions.f:0', toolName: 'f', input: { a: 'x', n: 1 } }
      const chunks = parse(auto, syntaxes.get(name).format(call, tools[0]), { tools })
      expect(summary(chunks).filter(line => !line.startsWith('text'))).toEqual(['f {"a":"x","n":1}'])
    })

    test('teaches its own form', () => {
      const syntax = syntaxes.get(name)
      const usage = syntax.describe(tools).split('Usage:\n')[1] ?? ''
      expect(parse(syntax, usage, { tools }).filter(({ type }) => type === 'tool-input-available')).toHaveLength(1)
    })
  })
}
