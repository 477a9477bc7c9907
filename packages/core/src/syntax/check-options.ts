import { ArgotError } from '../source/error.ts'
import { callLimits, type ParserOptions } from './syntax.ts'

const optionChoices: Readonly<Record<string, readonly unknown[]>> = {
  limit: callLimits,
  reasoning: ['text', 'parts'],
  startsIn: ['text', 'reasoning', 'reasoning-field'],
  reasoningCalls: ['open', 'text'],
  repair: ['none', 'safe', 'all'],
  integers: ['exact', 'round'],
  unknownTools: ['call', 'error'],
}
const functionOptions = ['nextId', 'readOnly', 'trace']

/** Throws `SYNTAX_BAD_OPTION`, so that mistakes show before any text is read. */
export function checkOptions(options: ParserOptions | undefined): ParserOptions {
  const candidate: unknown = options ?? {}
  if (typeof candidate !== 'object' || candidate === null) refuse('the options', 'must be an object')
  const values = candidate as Record<string, unknown>
  for (const [name, choices] of Object.entries(optionChoices)) {
    const value = values[name]
    if (value !== undefined && !choices.includes(value)) refuse(`\`${name}\``, `must be one of ${choices.join(', ')}`)
  }
  for (const name of functionOptions) {
    const value = values[name]
    if (value !== undefined && typeof value !== 'function') refuse(`\`${name}\``, 'must be a function')
  }
  const { step } = values
  if (step !== undefined && typeof step !== 'number') refuse('`step`', 'must be a number')
  return candidate
}

function refuse(what: string, how: string): never {
  throw new ArgotError('SYNTAX_BAD_OPTION', `The parser can't be created: ${what} ${how}.`)
}
