import { ArgotError } from '../source/error.ts'
import { callout } from './callout.ts'
import { caret } from './caret.ts'
import { hermes } from './dialects/hermes.ts'
import { invoke } from './dialects/invoke.ts'
import { mistral } from './dialects/mistral.ts'
import { qwen3Coder } from './dialects/qwen3-coder.ts'
import { fence } from './fence.ts'
import { native } from './native.ts'
import type { Syntax } from './syntax.ts'
import { xml } from './xml.ts'

/** The syntaxes that are known by name. */
export interface SyntaxRegistry {
  /** The syntax of that name or alias. Throws `SYNTAX_UNKNOWN`, with the names that are known, for any other. */
  get(name: string): Syntax
  /** Makes a syntax known. Throws `SYNTAX_NAME_TAKEN` when another one has its name or alias. */
  register(syntax: Syntax, ...aliases: string[]): void
  /** The names, without aliases, in the order of registration. */
  names(): string[]
}

/** A registry of its own, for programs that want other syntaxes than the shared one has. */
export function createRegistry(): SyntaxRegistry {
  const known = new Map<string, Syntax>()
  const aliasesOf = new Map<string, string[]>()

  return {
    get(name) {
      const syntax = known.get(name)
      if (syntax !== undefined) return syntax
      const names = [...aliasesOf].map(([each, aliases]) =>
        aliases.length > 0 ? `${each} (${aliases.join(', ')})` : each,
      )
      const list = names.length > 0 ? `The known ones are: ${names.join(', ')}.` : 'None is known.'
      throw new ArgotError('SYNTAX_UNKNOWN', `There is no syntax ${JSON.stringify(name)}. ${list}`)
    },
    register(syntax, ...aliases) {
      const names = [syntax.name, ...aliases]
      for (const name of names) {
        if (!/^[a-z][a-z0-9-]*$/.test(name)) {
          throw new ArgotError(
            'SYNTAX_BAD_NAME',
            `${JSON.stringify(name)} cannot name a syntax: use lowercase letters, digits and \`-\`.`,
          )
        }
        if ((known.get(name) ?? syntax) !== syntax) {
          throw new ArgotError('SYNTAX_NAME_TAKEN', `There is already a syntax ${JSON.stringify(name)}.`)
        }
      }
      for (const name of names) known.set(name, syntax)
      aliasesOf.set(syntax.name, [...new Set([...(aliasesOf.get(syntax.name) ?? []), ...aliases])])
    },
    names: () => [...aliasesOf.keys()],
  }
}

/** The syntaxes that Argot brings, and those that a program adds. */
export const syntaxes: SyntaxRegistry = createRegistry()
syntaxes.register(native, 'json')
syntaxes.register(xml)
syntaxes.register(caret)
syntaxes.register(callout)
syntaxes.register(fence)
syntaxes.register(hermes)
syntaxes.register(qwen3Coder)
syntaxes.register(invoke)
syntaxes.register(mistral)
