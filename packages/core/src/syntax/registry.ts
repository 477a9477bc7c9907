import { ArgotError } from '../source/error.ts'
import { nearestNames } from '../source/nearest-names.ts'
import { auto } from './auto.ts'
import { callout } from './callout.ts'
import { caret } from './caret/caret.ts'
import { dialects } from './dialects/all.ts'
import { fence } from './fence.ts'
import { native } from './native.ts'
import type { Syntax } from './syntax.ts'
import { xml } from './xml.ts'

export interface SyntaxRegistry {
  /** The syntax with that name or alias. Throws `SYNTAX_UNKNOWN`, with the most likely name, for any other. */
  get(name: string): Syntax
  /** Throws `SYNTAX_NAME_TAKEN` if another syntax has its name or alias, and `SYNTAX_BAD_NAME` for an invalid name. */
  register(syntax: Syntax, ...aliases: string[]): void
  /** The names, without aliases, in order of registration. */
  names(): string[]
}

/** A separate registry, for programs that need other syntaxes than the shared one has. */
export function createRegistry(): SyntaxRegistry {
  const byName = new Map<string, Syntax>()
  const aliasLists = new Map<string, string[]>()

  return {
    get(name) {
      const syntax = byName.get(name)
      if (syntax !== undefined) return syntax
      const [nearest] = typeof name === 'string' ? nearestNames(name, byName.keys(), 1, getMaxDistance) : []
      const cure =
        nearest === undefined ? listNames([...aliasLists.keys()]) : `Did you mean ${JSON.stringify(nearest)}?`
      throw new ArgotError('SYNTAX_UNKNOWN', `There is no syntax ${describeName(name)}. ${cure}`)
    },
    register(syntax, ...aliases) {
      const names = [(syntax as Syntax | undefined | null)?.name ?? '', ...aliases]
      for (const name of names) {
        if (typeof name !== 'string' || !/^[a-z][a-z0-9.-]*$/.test(name)) {
          throw new ArgotError(
            'SYNTAX_BAD_NAME',
            `${describeName(name)} can't be a syntax name: use lowercase letters, digits, \`-\` and \`.\`.`,
          )
        }
        if ((byName.get(name) ?? syntax) !== syntax) {
          throw new ArgotError('SYNTAX_NAME_TAKEN', `There is already a syntax ${JSON.stringify(name)}.`)
        }
      }
      for (const name of names) byName.set(name, syntax)
      aliasLists.set(syntax.name, [...new Set([...(aliasLists.get(syntax.name) ?? []), ...aliases])])
    },
    names: () => [...aliasLists.keys()],
  }
}

/** The syntaxes to name first if not all of them are listed. */
export const commonSyntaxes: readonly string[] = [
  ...['native', 'xml', 'caret', 'auto', 'hermes', 'llama3', 'mistral', 'qwen3-coder', 'harmony'],
]
const MAX_LISTED_NAMES = 12

/** Many names are short, so two changed letters make another name. */
function getMaxDistance(name: string): number {
  return Math.max(1, Math.floor(name.length / 3))
}

function listNames(names: readonly string[]): string {
  if (names.length === 0) return 'No syntaxes are registered.'
  if (names.length <= MAX_LISTED_NAMES) return `Known syntaxes: ${names.join(', ')}.`
  const common = commonSyntaxes.filter(name => names.includes(name))
  return `Common ones: ${common.join(', ')}. \`argot models --syntaxes\` lists all ${names.length}.`
}

/** If the name isn't a string, only its type is named. */
function describeName(name: unknown): string {
  return typeof name === 'string' ? JSON.stringify(name) : `of type ${name === null ? 'null' : typeof name}`
}

/** The built-in syntaxes, and those that a program adds. */
export const syntaxes: SyntaxRegistry = createRegistry()
syntaxes.register(native, 'json')
syntaxes.register(xml)
syntaxes.register(caret)
syntaxes.register(callout)
syntaxes.register(fence)
for (const { dialect, aliases = [] } of dialects) syntaxes.register(dialect, ...aliases)
syntaxes.register(auto)
