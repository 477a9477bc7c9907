import { Visitor } from 'vite'
import { parseSource } from './parse-source.ts'

/** A stretch of English in a source file: a comment, a string, a piece of a template or text between tags. */
export interface Prose {
  start: number
  text: string
}

/** What people and models read in a source file. Names of modules and types are left out. */
export function findProse(path: string, text: string): Prose[] {
  const { program, comments } = parseSource(path, text)
  const prose: Prose[] = comments.map(({ start, end }) => ({ start, text: text.slice(start, end) }))
  const add = ({ start, end }: { start: number; end: number }): void => {
    prose.push({ start, text: text.slice(start, end) })
  }
  const skipped = new Set<object>()
  new Visitor({
    ImportDeclaration: node => {
      skipped.add(node.source)
    },
    TSLiteralType: node => {
      skipped.add(node.literal)
    },
    Literal: node => {
      if (typeof node.value === 'string' && !skipped.has(node)) add(node)
    },
    TemplateElement: add,
    JSXText: add,
  }).visit(program)
  return prose.sort((a, b) => a.start - b.start)
}

/** A page of Markdown without its fences, which hold code. Lines keep their numbers. */
export function proseOfPage(text: string): string {
  let fence: string | undefined
  return text
    .split('\n')
    .map(line => {
      const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
      const isInside = fence !== undefined
      if (fence === undefined) fence = mark
      else if (mark?.startsWith(fence) === true) fence = undefined
      return isInside || mark !== undefined ? '' : line
    })
    .join('\n')
}
