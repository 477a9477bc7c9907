import { ArgotError } from '../source/error.ts'
import { callLimits, type ParserOptions } from './syntax.ts'

/** Parser options with a fixed set of values. */
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

/** Returns the options if they are valid. Throws `SYNTAX_BAD_OPTION`, so that mistakes show before any text is read. */
export function checkOptions(options: ParserOptions | undefined): ParserOptions {
  const candidate: unknown = options ?? {}
  if (typeof candidate !== 'object' || candidate === null) refuse('the options', 'must be an object')
  const values = candidate as Record<string, unknown>
  for (const [name, choices] of Object.entries(words)) {
    const value = values[name]
    if (value !== undefined && !choices.includes(value)) refuse(`\`${name}\``, `must be one of ${choices.join(', ')}`)
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
