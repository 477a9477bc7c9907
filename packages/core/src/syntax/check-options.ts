import { ArgotError } from '../source/error.ts'
import { callLimits, type ParserOptions } from './syntax.ts'

/** The options of a parser whose values are words, and the words. */
const words: Readonly<Record<string, readonly unknown[]>> = {
  limit: callLimits,
  reasoning: ['text', 'parts'],
  startsIn: ['text', 'reasoning', 'reasoning-field'],
  reasoningCalls: ['open', 'text'],
  repair: ['none', 'safe', 'all'],
  integers: ['exact', 'round'],
  unknownTools: ['call', 'error'],
}
const functions = ['nextId', 'readOnly', 'trace']

/** The options, if a parser can use them. Throws `SYNTAX_BAD_OPTION`, so that what is wrong is said before any text. */
export function checkOptions(options: ParserOptions | undefined): ParserOptions {
  const candidate: unknown = options ?? {}
  if (typeof candidate !== 'object' || candidate === null) refuse('the options', 'must be an object')
  const values = candidate as Record<string, unknown>
  for (const [name, known] of Object.entries(words)) {
    const value = values[name]
    if (value !== undefined && !known.includes(value)) refuse(`\`${name}\``, `must be one of ${known.join(', ')}`)
  }
  for (const name of functions) {
    const value = values[name]
    if (value !== undefined && typeof value !== 'function') refuse(`\`${name}\``, 'must be a function')
  }
  const { step } = values
  if (step !== undefined && typeof step !== 'number') refuse('`step`', 'must be a number')
  return candidate
}

function refuse(what: string, how: string): never {
  throw new ArgotError('SYNTAX_BAD_OPTION', `A parser cannot be made like this: ${what} ${how}.`)
}
