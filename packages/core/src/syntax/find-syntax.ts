import { ArgotError } from '../source/error.ts'
import { syntaxes } from './registry.ts'
import type { Syntax } from './syntax.ts'

/** Accepts a syntax or its name. Throws `SYNTAX_UNKNOWN` for anything else. */
export function findSyntax(syntax: Syntax | string): Syntax {
  if (typeof syntax === 'string') return syntaxes.get(syntax)
  const candidate: unknown = syntax
  if (
    typeof candidate === 'object' &&
    candidate !== null &&
    'parser' in candidate &&
    typeof candidate.parser === 'function'
  )
    return syntax
  throw new ArgotError('SYNTAX_UNKNOWN', "This is neither a syntax nor a syntax's name.")
}
