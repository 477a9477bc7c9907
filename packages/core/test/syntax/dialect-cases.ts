import { syntaxes } from 'argot/syntax'
import type { ConformanceOptions } from 'argot/testing'
import { test } from 'vitest'
import { testConformance } from './conformance.ts'

/** A dialect, texts in it with the calls they hold, and how it keeps the laws. */
export interface DialectCase {
  name: string
  /** Each is read as `f {"a":"x","n":1}`, with the tool `f` known. */
  one: readonly string[]
  /** Read as two calls of `f`, with `a` being `x` and `y`. */
  two?: string
  conformance?: Partial<ConformanceOptions>
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
