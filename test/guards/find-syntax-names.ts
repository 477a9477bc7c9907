import { type ESTree, Visitor } from 'vite'
import { lineOf, parseSource } from './parse-source.ts'

/** A place where the code names a syntax. */
export interface SyntaxName {
  line: number
  name: string
}

/**
 * The strings and keys of objects that are the name of a syntax: compared, looked up or chosen. Types, imports and
 * comparisons with a `kind`, which is what to ask for, do not count.
 */
export function findSyntaxNames(path: string, text: string, names: ReadonlySet<string>): SyntaxName[] {
  if (![...names].some(name => text.includes(name))) return []
  const found: (SyntaxName & { start: number })[] = []
  const skipped = new Set<object>()
  const add = (start: number, name: unknown): void => {
    if (typeof name === 'string' && names.has(name)) found.push({ line: lineOf(text, start), name, start })
  }
  new Visitor({
    ImportDeclaration: node => {
      skipped.add(node.source)
    },
    TSLiteralType: node => {
      skipped.add(node.literal)
    },
    BinaryExpression: node => {
      if (isKind(node.left)) skipped.add(node.right)
      if (isKind(node.right)) skipped.add(node.left)
    },
    Property: node => {
      if (!node.shorthand && node.key.type === 'Identifier') add(node.start, node.key.name)
    },
    Literal: node => {
      if (!skipped.has(node)) add(node.start, node.value)
    },
  }).visit(parseSource(path, text).program)
  return found.sort((a, b) => a.start - b.start).map(({ line, name }) => ({ line, name }))
}

function isKind(node: ESTree.Node): boolean {
  return node.type === 'MemberExpression' && node.property.type === 'Identifier' && node.property.name === 'kind'
}
