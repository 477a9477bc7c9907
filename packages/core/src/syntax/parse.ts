import type { Chunk } from '../stream/chunk.ts'
import { syntaxes } from './registry.ts'
import type { ParserOptions, Syntax } from './syntax.ts'

/** The chunks of a whole text, by the same parser that reads it in pieces. */
export function parse(syntax: Syntax | string, text: string, options?: ParserOptions): Chunk[] {
  const parser = (typeof syntax === 'string' ? syntaxes.get(syntax) : syntax).parser(options)
  return [...parser.push(text), ...parser.end()]
}
