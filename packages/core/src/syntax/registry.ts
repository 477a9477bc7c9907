import { ArgotError } from '../source/error.ts'
import { auto } from './auto.ts'
import { callout } from './callout.ts'
import { caret } from './caret/caret.ts'
import { dialects } from './dialects/all.ts'
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
      throw new ArgotError('SYNTAX_UNKNOWN', `There is no syntax ${describeName(name)}. ${list}`)
    },
    register(syntax, ...aliases) {
      const names = [(syntax as Syntax | undefined | null)?.name ?? '', ...aliases]
      for (const name of names) {
        if (typeof name !== 'string' || !/^[a-z][a-z0-9.-]*$/.test(name)) {
          throw new ArgotError(
            'SYNTAX_BAD_NAME',
            `${describeName(name)} cannot name a syntax: use lowercase letters, digits, \`-\` and \`.\`.`,
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

/** A name as it is shown; what is not a name is shown as what it is. */
function describeName(name: unknown): string {
  return typeof name === 'string' ? JSON.stringify(name) : `of the type ${name === null ? 'null' : typeof name}`
}

/** The syntaxes that Argot brings, and those that a program adds. */
export const syntaxes: SyntaxRegistry = createRegistry()
syntaxes.register(native, 'json')
syntaxes.register(xml)
syntaxes.register(caret)
syntaxes.register(callout)
syntaxes.register(fence)
for (const { dialect, aliases = [] } of dialects) syntaxes.register(dialect, ...aliases)
syntaxes.register(auto)
