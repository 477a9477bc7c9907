import { ArgotError } from '../source/error.ts'
import { syntaxes } from './registry.ts'
import type { Syntax } from './syntax.ts'

/** The syntax itself, or the one of that name. Throws `SYNTAX_UNKNOWN` for what is neither. */
export function findSyntax(syntax: Syntax | string): Syntax {
  if (typeof syntax === 'string') return syntaxes.get(syntax)
  const given: unknown = syntax
  if (typeof given === 'object' && given !== null && 'parser' in given && typeof given.parser === 'function')
    return syntax
  throw new ArgotError('SYNTAX_UNKNOWN', 'What was given is neither a syntax nor the name of one.')
}
