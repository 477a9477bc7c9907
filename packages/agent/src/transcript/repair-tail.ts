import type { ElementNode, Tree } from '@argot/core/chatmd/internal'
import { getAttribute, topElements } from '../store/written-element.ts'

/** The elements that a run appends. */
const runTags = ['<assistant', '<reasoning', '<tool_call', '<tool_response', '<!-- run ', '<!-- reply '] as const
const writtenTags = [...runTags, '<user', '<developer'] as const

/** Where Argot has written: from `runFrom` on a run, by its log; from `tornFrom` on something that is not complete. */
export interface WrittenFrom {
  runFrom: number | undefined
  tornFrom: number | undefined
}

/**
 * Where the last element of a document starts that a crash has cut off, if Argot wrote it. Any other mistake in the text is
 * left to the reader.
 */
export function findCutElement(tree: Tree, from: WrittenFrom): number | undefined {
  const cutAt = tree.cutAt ?? findCutComment(tree.source)
  return cutAt !== undefined && isOurs(tree, cutAt, from) ? cutAt : undefined
}

/** Where the text ends with the first characters of a comment, which alone are text. */
function findCutComment(source: string): number | undefined {
  return /(?:^|\n)<!-?$/.test(source.slice(-4)) ? source.lastIndexOf('<') : undefined
}

/** An append was cut off there, a run has written there, or its tag says so, as those of older versions do. */
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
