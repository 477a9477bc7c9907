import { ArgotError } from '@argot/core'
import { type Syntax, syntaxes } from '@argot/core/syntax'
import type { Price } from '../words/price.ts'
import { quoted } from '../words/quoted.ts'
import type { Sourced } from '../words/sourced.ts'
import { isStepCount, STEPS, stepRange } from './check-settings.ts'
import { defaultSyntax } from './default-syntax.ts'
import type { Settings } from './settings.ts'

export interface SyntaxSources {
  flag?: string | undefined
  /** From the document's `<config>`. */
  document?: string | undefined
  env: Readonly<Record<string, string | undefined>>
  settings: Pick<Settings, 'toolSyntax'>
  nativeTools: boolean
}

/**
 * A run's syntax, and its source in words: flag, document, `ARGOT_TOOL_SYNTAX`, project, user; else `native` if the
 * model has native calls, and `xml` if not. Throws `SYNTAX_UNKNOWN`, which says where the name is.
 */
export function resolveSyntax(sources: SyntaxSources): { syntax: Syntax; from: string } {
  const { flag, document, env, settings, nativeTools } = sources
  const choice =
    toSourced(flag, '`--tool-syntax`') ??
    toSourced(document, '`tool_syntax` of the document') ??
    fromVariable(env, 'ARGOT_TOOL_SYNTAX') ??
    fromFile(settings.toolSyntax, 'toolSyntax')
  if (choice !== undefined) return { syntax: findSyntax(choice), from: choice.from }
  return {
    syntax: syntaxes.get(defaultSyntax(nativeTools)),
    from: `the default for a model ${nativeTools ? 'with' : 'without'} native tool calling`,
  }
}

function findSyntax({ value, from }: Sourced<string>): Syntax {
  try {
    return syntaxes.get(value)
  } catch (error) {
    if (!(error instanceof ArgotError)) throw error
    throw new ArgotError('SYNTAX_UNKNOWN', `${error.message} The name comes from ${from}.`, { cause: error })
  }
}

export interface ModelSources {
  flag?: string | undefined
  document?: string | undefined
  env: Readonly<Record<string, string | undefined>>
  settings: Pick<Settings, 'model'>
}

/** The model's name: flag, document, `ARGOT_MODEL`, project, user. Undefined if none is set. */
export function resolveModelName({ flag, document, env, settings }: ModelSources): Sourced<string> | undefined {
  return (
    toSourced(flag, '`--model`') ??
    toSourced(document, '`model` of the document') ??
    fromVariable(env, 'ARGOT_MODEL') ??
    fromFile(settings.model, 'model')
  )
}

export interface MaxStepsSources {
  flag?: number | undefined
  document?: number | undefined
  settings: Pick<Settings, 'maxSteps'>
}

/**
 * How many steps a run may take: flag, document, project, user, else 50. Files may set at most 1,000, because others
 * write them. The caller that starts the run may set more. Throws `SETTINGS_BAD_VALUE`.
 */
export function resolveMaxSteps({ flag, document, settings }: MaxStepsSources): Sourced<number> {
  const choice = toSourced(flag, '`--max-steps`') ??
    toSourced(document, '`max_steps` of the document') ??
    fromFile(settings.maxSteps, 'maxSteps') ?? { value: STEPS.default, from: 'the default' }
  const max = flag === undefined ? STEPS.max : STEPS.maxForCaller
  if (isStepCount(choice.value, max)) return choice
  const cure = flag === undefined && isStepCount(choice.value, STEPS.maxForCaller) ? ' Use `--max-steps` for more.' : ''
  const range = stepRange(max)
  throw new ArgotError('SETTINGS_BAD_VALUE', `${choice.from} must be ${range}, not \`${String(choice.value)}\`.${cure}`)
}

/** A model's price: the one for this run, else the settings' price for its name, with or without its provider. */
export function resolvePrice(
  flag: Price | undefined,
  { prices }: Pick<Settings, 'prices'>,
  modelName: string,
): Price | undefined {
  const nameOnly = modelName.slice(modelName.indexOf(':') + 1)
  return flag ?? prices?.get(modelName)?.value ?? prices?.get(nameOnly)?.value
}

/** The size of a model's window in tokens, from the settings for its name, with or without its provider. */
export function resolveContext({ context }: Pick<Settings, 'context'>, modelName: string): number | undefined {
  const nameOnly = modelName.slice(modelName.indexOf(':') + 1)
  return (context?.get(modelName) ?? context?.get(nameOnly))?.value
}

function toSourced<T>(value: T | undefined, from: string): Sourced<T> | undefined {
  return value === undefined ? undefined : { value, from }
}

/** An empty variable is treated as not set. */
function fromVariable(env: Readonly<Record<string, string | undefined>>, name: string): Sourced<string> | undefined {
  return toSourced(env[name] || undefined, `the variable \`${name}\``)
}

function fromFile<T>(setting: Sourced<T> | undefined, key: string): Sourced<T> | undefined {
  return setting && { value: setting.value, from: `\`${key}\` in ${quoted(setting.from)}` }
}
