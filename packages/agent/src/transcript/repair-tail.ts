import type { ElementNode, Tree } from '@argot/core/chatmd/internal'
import { getAttribute, topElements } from '../store/written-element.ts'

const runTags = ['<assistant', '<reasoning', '<tool_call', '<tool_response', '<!-- run ', '<!-- reply '] as const
const writtenTags = [...runTags, '<user', '<developer'] as const

/** Where Argot has written: from `runFrom` on, a run according to its log; from `tornFrom` on, an incomplete append. */
export interface WrittenFrom {
  runFrom: number | undefined
  tornFrom: number | undefined
}

/** Where the last element starts, if a crash cut it off and Argot wrote it. The parser reports other mistakes. */
export function findCutElement(tree: Tree, from: WrittenFrom): number | undefined {
  const cutAt = tree.cutAt ?? findCutComment(tree.source)
  return cutAt !== undefined && isOurs(tree, cutAt, from) ? cutAt : undefined
}

/** Finds an incomplete comment opening at the end of the text, which by itself would parse as text. */
function findCutComment(source: string): number | undefined {
  return /(?:^|\n)<!-?$/.test(source.slice(-4)) ? source.lastIndexOf('<') : undefined
}

/** True if an append was cut off there, a run has written there, or the tag itself shows it, as in older versions. */
function isOurs(tree: Tree, cutAt: number, { runFrom, tornFrom }: WrittenFrom): boolean {
  const elements = topElements(tree)
  const cut = elements.find(node => node.start === cutAt)
  if (cut !== undefined && isWritten(cut)) return true
  const text = tree.source.slice(cutAt, cutAt + 20)
  const isOneOf = (tags: readonly string[]): boolean => tags.some(tag => text.startsWith(tag) || tag.startsWith(text))
  if (tornFrom !== undefined && cutAt >= tornFrom) return isOneOf(writtenTags)
  if (cut?.complete === true && !isOneOf(runTags)) return false
  if (runFrom !== undefined && cutAt >= runFrom) return isOneOf(writtenTags)
  return cut?.complete !== true && isOneOf(writtenTags) && elements.some(node => node.start < cutAt && isWritten(node))
}

function isWritten(node: ElementNode): boolean {
  if (node.name === 'user') return getAttribute(node, 'created') !== undefined
  const tag = `<${node.name}`
  if (!writtenTags.some(one => one === tag)) return false
  return ['message', 'run', 'offset'].some(name => getAttribute(node, name) !== undefined)
}
