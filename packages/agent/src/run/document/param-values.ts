import { ArgotError } from '@argot/core'
import type { DocumentParameter, ParameterValues } from '@argot/core/chatmd/internal'
import { nearestNames } from '@argot/core/stream/internal'
import { quoted } from '../../words/quoted.ts'
import type { FrozenSources } from '../agents/frozen-sources.ts'
import type { RunOptions } from '../run-options.ts'

export interface ParamValue {
  name: string
  value: string
  /** `sent`: given to an earlier run of the document. */
  from: 'given' | 'sent' | 'asked' | 'default'
}

/** The parameter values of one run. Each is requested once, however often the document is expanded. */
export class ParamValues {
  readonly #options: Pick<RunOptions, 'params' | 'askParam' | 'signal'>
  readonly #frozen: FrozenSources | undefined
  readonly #answers: Map<string, string> = new Map()
  /** In the order of the declarations. Empty until the document is expanded. */
  used: ParamValue[] = []

  constructor(options: Pick<RunOptions, 'params' | 'askParam' | 'signal'>, frozen?: FrozenSources) {
    this.#options = options
    this.#frozen = frozen
  }

  /** The lookup for `expand`. Throws for a missing value that no one can give, and for an unknown parameter. */
  readonly find: ParameterValues = async parameters => {
    const values = this.#readParams(parameters)
    const used: ParamValue[] = []
    const missing: string[] = []
    for (const parameter of parameters) {
      const result = await this.#findValue(parameter, values)
      if (result === undefined) missing.push(parameter.name)
      else used.push(result)
    }
    if (missing.length > 0) throw missingValues(missing)
    for (const { name, value, from } of used) if (from !== 'default') this.#frozen?.keepParam(name, value)
    this.used = used
    return this.byName
  }

  get byName(): ReadonlyMap<string, string> {
    return new Map(this.used.map(({ name, value }) => [name, value]))
  }

  async #findValue(
    { name, default: defaultValue }: DocumentParameter,
    values: ReadonlyMap<string, string>,
  ): Promise<ParamValue | undefined> {
    const value = values.get(name)
    if (value !== undefined) return { name, value: value, from: 'given' }
    const sentValue = await this.#frozen?.recallParam(name)
    if (sentValue !== undefined) return { name, value: sentValue, from: 'sent' }
    if (defaultValue !== undefined) return { name, value: defaultValue, from: 'default' }
    const answer = this.#answers.get(name) ?? (await this.#options.askParam?.(name))
    this.#options.signal?.throwIfAborted()
    if (answer === undefined) return undefined
    this.#answers.set(name, answer)
    return { name, value: answer, from: 'asked' }
  }

  #readParams(parameters: readonly DocumentParameter[]): Map<string, string> {
    const values = new Map<string, string>()
    for (const [name, value] of Object.entries(this.#options.params ?? {})) {
      if (!parameters.some(one => one.name === name)) throw unknownName(name, parameters)
      if (typeof value !== 'string') {
        throw new ArgotError('RUN_MISSING_PARAM', `The value of the parameter ${quoted(name)} is not a string.`)
      }
      values.set(name, value)
    }
    return values
  }
}

function missingValues(names: readonly string[]): ArgotError {
  const all = names.map(quoted).join(', ')
  const what = names.length === 1 ? `The parameter ${all} has no value.` : `These parameters have no value: ${all}.`
  return new ArgotError('RUN_MISSING_PARAM', `${what} Set it with ${names.map(name => `-p ${name}=…`).join(' ')}`)
}

function unknownName(name: string, parameters: readonly DocumentParameter[]): ArgotError {
  const names = parameters.map(one => one.name)
  const [nearest] = nearestNames(name, names, 1)
  const hint =
    names.length === 0
      ? 'It declares none. To declare some, write `<config params="topic, lang=en"/>`.'
      : nearest === undefined
        ? `It has: ${names.map(quoted).join(', ')}.`
        : `Did you mean ${quoted(nearest)}?`
  return new ArgotError('RUN_UNKNOWN_PARAM', `The document has no parameter ${quoted(name)}. ${hint}`)
}
