import { Visitor } from 'vite'
import { parseSource } from './parse-source.ts'

/** The string values in the code of a file. Comments, types and the pieces of templates do not count. */
export function findStrings(path: string, text: string): string[] {
  const strings: string[] = []
  const types = new Set<object>()
  new Visitor({
    TSLiteralType: node => {
      types.add(node.literal)
    },
    Literal: node => {
      if (typeof node.value === 'string' && !types.has(node)) strings.push(node.value)
    },
  }).visit(parseSource(path, text).program)
  return strings
}
