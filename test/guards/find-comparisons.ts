import { type ESTree, Visitor } from 'vite'
import { lineOf, parseSource } from './parse-source.ts'

const equalities = new Set(['===', '!==', '==', '!='])
const searches = new Set(['has', 'includes', 'indexOf', 'is'])

/**
 * The lines at which a file decides by a word: compares it, has a case or a key for it, or looks it up. The word is a
 * string, or a constant with one of these names. A list of words, a type, or a field that is given the word decides nothing.
 */
export function findComparisons(path: string, text: string, word: string, names: readonly string[] = []): number[] {
  const lines = new Set<number>()
  const check = (node: ESTree.Node | null, owner: ESTree.Node): void => {
    if (node !== null && isWord(node, word, names)) lines.add(lineOf(text, owner.start))
  }
  new Visitor({
    BinaryExpression: node => {
      if (!equalities.has(node.operator)) return
      check(node.left, node)
      check(node.right, node)
    },
    SwitchCase: node => check(node.test, node),
    Property: node => {
      if (node.computed || node.key.type === 'Literal') check(node.key, node)
    },
    MemberExpression: node => {
      if (node.computed) check(node.property, node)
    },
    CallExpression: node => {
      if (node.callee.type !== 'MemberExpression' || node.callee.property.type !== 'Identifier') return
      if (!searches.has(node.callee.property.name)) return
      for (const argument of node.arguments) check(argument, node)
      if (node.callee.object.type === 'ArrayExpression') {
        for (const element of node.callee.object.elements) check(element, node)
      }
    },
  }).visit(parseSource(path, text).program)
  return [...lines].sort((a, b) => a - b)
}

function isWord(node: ESTree.Node, word: string, names: readonly string[]): boolean {
  switch (node.type) {
    case 'Literal':
      return node.value === word
    case 'TemplateLiteral':
      return node.quasis.length === 1 && node.quasis[0]?.value.cooked === word
    case 'Identifier':
      return names.includes(node.name)
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
      return isWord(node.expression, word, names)
    default:
      return false
  }
}
