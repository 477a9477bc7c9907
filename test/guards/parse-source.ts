import { type ESTree, type ParseResult, parseSync } from 'vite'

/** A source file as the guards see it: its text, and what a real parser makes of it. */
export interface ParsedSource {
  text: string
  program: ESTree.Program
  comments: ParseResult['comments']
}

/**
 * Reads TypeScript or TSX with the parser of Vite. Comments, strings, templates and regular expressions cannot be
 * mistaken for code, which a search by text cannot promise. Throws on text that does not parse.
 */
export function parseSource(path: string, text: string): ParsedSource {
  const { program, comments, errors } = parseSync(path, text)
  const error = errors[0]
  if (error !== undefined) throw new Error(`${path} does not parse: ${error.message}`)
  return { text, program, comments }
}

/** The number of the line, from 1, that holds `offset`. */
export function lineOf(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}
