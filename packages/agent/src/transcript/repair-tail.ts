import type { ElementNode, Tree } from '@argot/core/chatmd/internal'
import { attributeOf, topElements } from '../store/written-element.ts'

/** The elements that a run appends. */
const writtenTags = ['<assistant', '<reasoning', '<tool_call', '<tool_response', '<user'] as const

/**
 * Where the last element of a document starts that a crash has cut off, if a run wrote it. `appendedFrom` is the place
 * from which on a run has written, where a log says so. Any other mistake in the text is left to the reader.
 */
export function findCutElement(tree: Tree, appendedFrom: number | undefined): number | undefined {
  const { cutAt } = tree
  return cutAt !== undefined && isOurs(tree, cutAt, appendedFrom) ? cutAt : undefined
}

/** Its tag says that a run wrote it, or it is where only a run writes and has not even a complete tag. */
function isOurs(tree: Tree, cutAt: number, from: number | undefined): boolean {
  const elements = topElements(tree)
  const cut = elements.find(node => node.start === cutAt)
  if (cut !== undefined && isWritten(cut)) return true
  if (cut?.complete === true) return false
  const text = tree.source.slice(cutAt, cutAt + 20)
  if (!writtenTags.some(tag => text.startsWith(tag) || tag.startsWith(text))) return false
  return (from !== undefined && cutAt >= from) || elements.some(node => node.start < cutAt && isWritten(node))
}

function isWritten(node: ElementNode): boolean {
  if (node.name === 'user') return attributeOf(node, 'created') !== undefined
  const tag = `<${node.name}`
  if (!writtenTags.some(one => one === tag)) return false
  return ['message', 'run', 'offset'].some(name => attributeOf(node, name) !== undefined)
}
