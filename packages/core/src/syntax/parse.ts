import type { Chunk } from '../stream/chunk.ts'
import { findSyntax } from './find-syntax.ts'
import type { ParserOptions, Syntax } from './syntax.ts'

/** The chunks of a whole text, by the same parser that reads it in pieces. */
export function parse(syntax: Syntax | string, text: string, options?: ParserOptions): Chunk[] {
  const parser = findSyntax(syntax).parser(options)
  return [...parser.push(text), ...parser.end()]
}
