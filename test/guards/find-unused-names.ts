import { Visitor } from 'vite'
import { parseSource } from './parse-source.ts'

/** The types that the signature of each exported declaration of a file names; bodies of functions do not count. */
export function typesByDeclaration(path: string, text: string): Map<string, Set<string>> {
  const { program } = parseSource(path, text)
  const declared: { name: string; from: number; to: number }[] = []
  const bodies: [from: number, to: number][] = []
  const named: [at: number, name: string][] = []
  const declare = (id: { type: string; name?: string } | null, node: { start: number; end: number }): void => {
    if (id?.name !== undefined) declared.push({ name: id.name, from: node.start, to: node.end })
  }
  new Visitor({
    ExportNamedDeclaration: node => {
      const { declaration } = node
      if (declaration === null) return
      if (declaration.type === 'VariableDeclaration') for (const one of declaration.declarations) declare(one.id, one)
      else if ('id' in declaration) declare(declaration.id as { type: string; name?: string } | null, declaration)
    },
    BlockStatement: node => void bodies.push([node.start, node.end]),
    Identifier: node => void named.push([node.start, node.name]),
  }).visit(program)
  const isInBody = (at: number): boolean => bodies.some(([start, end]) => start <= at && at < end)
  const found = new Map<string, Set<string>>()
  for (const { name, from, to } of declared) {
    const inside = named.filter(([at, one]) => at >= from && at < to && one !== name)
    const types = inside.filter(([at]) => !isInBody(at)).map(([, one]) => one)
    found.set(name, new Set([...(found.get(name) ?? []), ...types]))
  }
  return found
}

export interface NamesInUse {
  /** All public names of a package. */
  names: readonly string[]
  /** The words of examples, pages and other packages. */
  words: Iterable<string>
  /** What the signatures of the package name. */
  types: ReadonlyMap<string, ReadonlySet<string>>
}

/** The public names that nothing outside uses, and that no signature names that is used. */
export function findUnusedNames({ names, words, types }: NamesInUse): string[] {
  const known = new Set(names)
  const used = new Set<string>()
  for (const word of words) if (known.has(word)) used.add(word)
  for (const name of used) for (const type of types.get(name) ?? []) used.add(type)
  return names.filter(name => !used.has(name)).sort()
}

/** The words of a text that could be names. */
export function wordsOf(text: string): Set<string> {
  return new Set(text.match(/[A-Za-z_$][\w$]*/g))
}
