import { Visitor } from 'vite'
import { lineOf, parseSource } from './parse-source.ts'

/** A spread in an object that says "this field may be missing", or that only gathers fields. */
export interface FoundSpread {
  line: number
  kind: 'conditional' | 'literal'
}

/** The spreads of a file's objects whose value is a condition (`...(a && { a })`) or an object written there (`...{ a }`). */
export function findSpreads(path: string, text: string): FoundSpread[] {
  const found: FoundSpread[] = []
  const { program } = parseSource(path, text)
  new Visitor({
    ObjectExpression: node => {
      for (const property of node.properties) {
        if (property.type !== 'SpreadElement') continue
        let { argument } = property
        while (argument.type === 'ParenthesizedExpression') argument = argument.expression
        const line = lineOf(text, property.start)
        if (argument.type === 'ObjectExpression') found.push({ line, kind: 'literal' })
        const isCondition = argument.type === 'ConditionalExpression' || argument.type === 'LogicalExpression'
        if (isCondition && hasObject(argument)) found.push({ line, kind: 'conditional' })
      }
    },
  }).visit(program)
  return found
}

/** True when one of the two outcomes is an object that is written there. */
function hasObject(node: { type: string; consequent?: unknown; alternate?: unknown; right?: unknown }): boolean {
  return [node.consequent, node.alternate, node.right].some(one => {
    let inner = one as { type: string; expression?: unknown } | undefined
    while (inner?.type === 'ParenthesizedExpression') inner = inner.expression as typeof inner
    return inner?.type === 'ObjectExpression'
  })
}
