import { type ESTree, Visitor } from 'vite'
import { lineOf, parseSource } from './parse-source.ts'

/** One way in which a file reaches another. */
export interface Import {
  /** As written; undefined where the program computes it, so that no guard can follow it. */
  specifier: string | undefined
  line: number
  /** Leaves no trace at run time. `import { type A }` does: the module is still loaded for its effects. */
  typeOnly: boolean
}

/** By path and text: several guards ask about every file, and some once for each rule. */
const known = new Map<string, readonly Import[]>()

/**
 * Every import of a file, in reading order: `import`, `export … from`, `import()`, `import('x').T` as a type,
 * `import x = require('x')`, `require('x')`, and the directives `/// <reference types="x" />` and `path="x"`.
 */
export function findImports(path: string, text: string): readonly Import[] {
  const key = `${path}\n${text}`
  const found = known.get(key) ?? readImports(path, text)
  known.set(key, found)
  return found
}

function readImports(path: string, text: string): Import[] {
  const { program, comments } = parseSource(path, text)
  const found: { specifier: string | undefined; offset: number; typeOnly: boolean }[] = []

  function add(node: ESTree.Node, specifier: string | undefined, typeOnly: boolean): void {
    found.push({ specifier, offset: node.start, typeOnly })
  }

  new Visitor({
    ImportDeclaration: node => add(node, node.source.value, node.importKind === 'type'),
    ExportAllDeclaration: node => add(node, node.source.value, node.exportKind === 'type'),
    ExportNamedDeclaration: node => {
      if (node.source !== null) add(node, node.source.value, node.exportKind === 'type')
    },
    ImportExpression: node => add(node, constantString(node.source), false),
    TSImportType: node => add(node, node.source.value, true),
    TSExternalModuleReference: node => add(node, node.expression.value, false),
    CallExpression: node => {
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'require') return
      add(node, node.arguments[0] && constantString(node.arguments[0]), false)
    },
  }).visit(program)

  for (const comment of comments) {
    const directive =
      comment.type === 'Line' && /^\/\s*<reference\s+(?:types|path)\s*=\s*(['"])(.*?)\1/.exec(comment.value)
    if (directive) found.push({ specifier: directive[2], offset: comment.start, typeOnly: true })
  }

  return found
    .sort((a, b) => a.offset - b.offset)
    .map(({ offset, ...rest }) => ({ ...rest, line: lineOf(text, offset) }))
}

function constantString(node: ESTree.Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? undefined
  return undefined
}
