import { type ESTree, Visitor } from 'vite'
import { lineOf, parseSource } from './parse-source.ts'

/** Attributes that a person reads or hears. */
const spoken = new Set(['aria-label', 'aria-roledescription', 'aria-valuetext', 'alt', 'label', 'placeholder', 'title'])

/** Words in a JSX file that are not from a locale: texts of elements, and attributes that are read or heard. */
export function findLiterals(path: string, source: string): string[] {
  const { program } = parseSource(path, source)
  const literals: { start: number; text: string }[] = []
  const note = (node: ESTree.Node, text: string): void => {
    if (!/\p{L}{2}/u.test(text)) return
    const indent = /^\s*/.exec(text)![0].length
    literals.push({ start: node.start + indent, text: text.trim().replaceAll(/\s+/g, ' ').slice(0, 80) })
  }
  /** The texts that an expression may be, without those that it only compares or passes on. */
  const noteValues = (node: ESTree.Node): void => {
    if (node.type === 'Literal' && typeof node.value === 'string') note(node, node.value)
    else if (node.type === 'TemplateLiteral') note(node, node.quasis.map(({ value }) => value.raw).join(' '))
    else if (node.type === 'ConditionalExpression') {
      noteValues(node.consequent)
      noteValues(node.alternate)
    } else if (node.type === 'LogicalExpression') noteValues(node.right)
  }
  const noteChildren = (children: readonly ESTree.Node[]): void => {
    for (const child of children) if (child.type === 'JSXExpressionContainer') noteValues(child.expression)
  }
  new Visitor({
    JSXText: node => note(node, node.value),
    JSXElement: node => noteChildren(node.children),
    JSXFragment: node => noteChildren(node.children),
    JSXAttribute: node => {
      const { name, value } = node
      if (value === null || name.type !== 'JSXIdentifier' || !spoken.has(name.name)) return
      noteValues(value.type === 'JSXExpressionContainer' ? value.expression : value)
    },
  }).visit(program)
  return literals
    .sort((a, b) => a.start - b.start)
    .map(({ start, text }) => `${path}:${lineOf(source, start)}: ${text}`)
}
