import type { Problems } from '../problems.ts'
import { isBlankText, joinText, readContent, solePayload } from '../reader/content.ts'
import { beginRaw } from '../reader/lexer.ts'
import { writeRaw } from '../reader/raw.ts'
import { isEmptyElement, isHelper } from '../reader/tag.ts'
import { type ElementNode, isLiteralElement, type Tree } from '../reader/tree.ts'
import { checkAttributes, checkRequired } from './check-attributes.ts'

export function checkContent(problems: Problems, tree: Tree, node: ElementNode): void {
  checkMarks(problems, tree, node)
  if (node.closed && isLiteralElement(node)) {
    checkLiteral(problems, tree, node)
    return
  }
  for (const child of node.children) {
    if (child.type !== 'element') continue
    if (isHelper(child.name) || (child.name === 'summary' && node.name === 'reasoning')) {
      checkHelper(problems, tree, child)
      continue
    }
    const message = `\`<${child.name}>\` is not allowed inside \`<${node.name}>\`.`
    const cure = `Close \`<${node.name}>\` before it, or put the text into a RAW block.`
    problems.error('CHATMD_NESTED_ELEMENT', child.start, child.openEnd, message, cure)
    checkAttributes(problems, child)
    checkContent(problems, tree, child)
  }
}

/** `|RAW` in the middle of a line ends nothing. */
function checkMarks(problems: Problems, { source }: Tree, node: ElementNode): void {
  for (const child of node.children) {
    if (child.type !== 'text') continue
    const within = source.slice(child.start, child.end).indexOf('|RAW')
    if (within === -1) continue
    const at = child.start + within
    const message = "This `|RAW` doesn't end a RAW block, so it is text."
    const cure = 'Write `RAW|` where the block starts, or put the text into a RAW block.'
    const isAlone = node.children.length === 1 && /^\s*$/.test(source.slice(at + 4, child.end))
    problems.warn('CHATMD_STRAY_RAW', at, at + 4, message, cure, isAlone ? beginRaw(source, node.openEnd) : undefined)
    return
  }
}

/**
 * Text written by a model or a tool is text, whatever it looks like; one warning says so. Exceptions: a call's payload
 * may be a single `doc`, and a summary is part of reasoning.
 */
function checkLiteral(problems: Problems, tree: Tree, node: ElementNode): void {
  const isPayload = node.name === 'tool_call' || node.name === 'tool_response'
  const only = isPayload ? solePayload(tree, node.children)?.[0] : undefined
  const elements = node.children.filter(child => child.type === 'element')
  for (const child of elements) {
    if (child === only) checkHelper(problems, tree, child)
    else if (child.name === 'summary' && node.name === 'reasoning') {
      checkAttributes(problems, child)
      checkContent(problems, tree, child)
    }
  }
  const first = elements.find(child => child !== only && child.name !== 'summary')?.start ?? Number.POSITIVE_INFINITY
  const at = Math.min(first, node.quotedAt ?? Number.POSITIVE_INFINITY)
  if (!Number.isFinite(at)) return
  const tag = /^<\/?[a-z_]+/.exec(tree.source.slice(at, at + 20))?.[0] ?? '<'
  const message = `\`${tag}\` is inside the text of \`<${node.name}>\`, so it is text and not a tag.`
  const cure = `Put the text into a RAW block: \`RAW|…|RAW\`. \`argot fmt --repair\` does that.`
  const text = joinText(readContent(tree, node, 'literal'))
  const layout = tree.source.includes('\r\n') ? '\r\n' : '\n'
  const fix = { start: node.openEnd, end: node.closeStart, text: `${layout}${writeRaw(text)}${layout}` }
  const hasSummaries = elements.some(child => child.name === 'summary')
  problems.warn('CHATMD_QUOTED_TAG', at, at + tag.length, message, cure, hasSummaries ? undefined : fix)
}

export function checkImportedText(problems: Problems, tree: Tree): void {
  for (const child of tree.children) {
    if (child.type !== 'element') continue
    if (isHelper(child.name)) {
      checkHelper(problems, tree, child)
      continue
    }
    const message = `\`<${child.name}>\` is not allowed inside a message, and this text is imported into one.`
    const cure = 'Import it at the top level, or put the text into a RAW block.'
    problems.error('CHATMD_NESTED_ELEMENT', child.start, child.openEnd, message, cure)
  }
}

function checkHelper(problems: Problems, tree: Tree, node: ElementNode): void {
  checkAttributes(problems, node)
  checkRequired(problems, node)
  if (isEmptyElement(node.name)) checkNoContent(problems, tree, node)
  else checkContent(problems, tree, node)
}

export function checkNoContent(problems: Problems, tree: Tree, node: ElementNode): void {
  const first = node.children.find(
    child => child.type !== 'comment' && !(child.type === 'text' && isBlankText(tree.source, child.start, child.end)),
  )
  if (first === undefined) return
  if (node.name === 'tool') {
    const message = "A `<tool>` can't have content: it wouldn't restrict anything."
    const cure = 'Use attributes or a message instead, and write `<tool …/>`.'
    problems.error('CHATMD_TOOL_CONTENT', first.start, first.end, message, cure)
    return
  }
  const message = `The content of \`<${node.name}>\` is ignored.`
  const cure = `Write \`<${node.name} …/>\`, and put the text after it.`
  problems.warn('CHATMD_IGNORED_CONTENT', first.start, first.end, message, cure)
  checkContent(problems, tree, node)
}
