import { type ESTree, Visitor } from 'vite'
import { lineOf, parseSource } from './parse-source.ts'

/** A title of a table of tests that is nothing without its row, as `'%s'` and `'refuses %s'`. */
export interface BareTitle {
  line: number
  title: string
}

/** A row alone, or one word and then the row; of a row, one field or several. */
const bare = /^(?:[\w-]+ )?[%$][\w.]+(?:\W+[%$][\w.]+)*$/

/** The bare titles of a file of tests. Inside of a `describe` whose title says something, a test has a subject. */
export function findBareTitles(path: string, text: string): BareTitle[] {
  const { program } = parseSource(path, text)
  const groups: [from: number, to: number][] = []
  const found: (BareTitle & { start: number })[] = []
  new Visitor({
    CallExpression: node => {
      const name = runnerOf(node.callee)
      const [first] = node.arguments
      const title = textOf(first)
      if (name === undefined || first === undefined) return
      if (name === 'describe') {
        if (title === undefined || !bare.test(title)) groups.push([node.start, node.end])
      } else if (title !== undefined && isTable(node.callee) && bare.test(title)) {
        found.push({ line: lineOf(text, first.start), title, start: first.start })
      }
    },
  }).visit(program)
  return found
    .filter(({ start }) => !groups.some(([from, to]) => from < start && start < to))
    .map(({ line, title }) => ({ line, title }))
}

function textOf(node: ESTree.Argument | undefined): string | undefined {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  return node?.type === 'TemplateLiteral' && node.expressions.length === 0 ? node.quasis[0]?.value.raw : undefined
}

/** `test` of `test.skipIf(a).each(rows)`. */
function runnerOf(callee: ESTree.Expression): string | undefined {
  let node: ESTree.Expression | ESTree.Super = callee
  for (;;) {
    if (node.type === 'Identifier') return /^(?:test|it|describe)$/.test(node.name) ? node.name : undefined
    if (node.type === 'CallExpression') node = node.callee
    else if (node.type === 'MemberExpression') node = node.object
    else return undefined
  }
}

/** True for `test.each(rows)` and `test.skipIf(a).for(rows)`. */
function isTable(callee: ESTree.Expression): boolean {
  if (callee.type !== 'CallExpression' || callee.callee.type !== 'MemberExpression') return false
  const { property } = callee.callee
  return property.type === 'Identifier' && (property.name === 'each' || property.name === 'for')
}
