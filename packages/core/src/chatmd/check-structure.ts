import { checkAttributes, checkRequired } from './check-attributes.ts'
import { isBlankText } from './content.ts'
import type { Problems } from './problems.ts'
import { isEmptyElement, isHelper } from './tag.ts'
import type { ElementNode, Tree } from './tree.ts'

/** Looks through the inside of an element: what must not stand there, and helpers that lack something. */
export function checkInside(problems: Problems, tree: Tree, node: ElementNode): void {
  for (const child of node.children) {
    if (child.type !== 'element') continue
    if (isHelper(child.name) || (child.name === 'summary' && node.name === 'reasoning')) {
      checkHelper(problems, tree, child)
      continue
    }
    const message = `\`<${child.name}>\` cannot stand inside \`<${node.name}>\`.`
    const cure = `Close \`<${node.name}>\` before it, or put the text into a RAW block.`
    problems.error('CHATMD_NESTED_ELEMENT', child.start, child.openEnd, message, cure)
    checkAttributes(problems, child)
    checkInside(problems, tree, child)
  }
}

/** The same for a text that is imported into a message. */
export function checkFragment(problems: Problems, tree: Tree): void {
  for (const child of tree.children) {
    if (child.type !== 'element') continue
    if (isHelper(child.name)) {
      checkHelper(problems, tree, child)
      continue
    }
    const message = `\`<${child.name}>\` cannot stand inside a message, into which this text is imported.`
    const cure = 'Import it at the top level, or put the text into a RAW block.'
    problems.error('CHATMD_NESTED_ELEMENT', child.start, child.openEnd, message, cure)
  }
}

function checkHelper(problems: Problems, tree: Tree, node: ElementNode): void {
  checkAttributes(problems, node)
  checkRequired(problems, node)
  if (isEmptyElement(node.name)) checkNoContent(problems, tree, node)
  else checkInside(problems, tree, node)
}

/** An element that says everything in its attributes holds nothing. */
export function checkNoContent(problems: Problems, tree: Tree, node: ElementNode): void {
  const first = node.children.find(
    child => child.type !== 'comment' && !(child.type === 'text' && isBlankText(tree.source, child.start, child.end)),
  )
  if (first === undefined) return
  if (node.name === 'tool') {
    const message = 'A `<tool>` has no content, and what stands in it would restrict nothing.'
    const cure = 'Say it in attributes, or in a message: `<tool …/>`.'
    problems.error('CHATMD_TOOL_CONTENT', first.start, first.end, message, cure)
    return
  }
  const message = `What \`<${node.name}>\` contains is ignored.`
  const cure = `Write \`<${node.name} …/>\`, and the text behind it.`
  problems.warn('CHATMD_IGNORED_CONTENT', first.start, first.end, message, cure)
  checkInside(problems, tree, node)
}
