import type { Chunk } from '../stream/chunk.ts'
import { findSyntax } from './find-syntax.ts'
import type { ParserOptions, Syntax } from './syntax.ts'

/** Parses a whole text with the streaming parser. */
export function parse(syntax: Syntax | string, text: string, options?: ParserOptions): Chunk[] {
  const parser = findSyntax(syntax).parser(options)
  return [...parser.push(text), ...parser.end()]
}

/** A parser as a `TransformStream`: text in, chunks out. Text after the limit is kept as the remainder. */
export function syntaxStream(syntax: Syntax | string, options?: ParserOptions): TransformStream<string, Chunk> {
  const parser = findSyntax(syntax).parser(options)
  return new TransformStream({
    transform(text, controller) {
      for (const chunk of parser.push(text)) controller.enqueue(chunk)
    },
    flush(controller) {
      for (const chunk of parser.end()) controller.enqueue(chunk)
    },
  })
}
