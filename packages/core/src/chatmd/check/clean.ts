import { parseDocument } from '../parse.ts'
import { Problems } from '../problems.ts'
import { type Attribute, attributeValue, writeAttribute } from '../reader/attribute.ts'
import type { ElementNode } from '../reader/tree.ts'
import { approvalAttributes } from '../vocabulary.ts'

/** What a run keeps for itself: where it was, when, and what a provider said besides. */
const records: ReadonlySet<string> = new Set([
  ...['run', 'offset', 'message', 'step', 'phase', 'meta', 'meta_src', 'argot', 'created', 'started', 'ms', 'key'],
  ...['status', 'settled_by', 'preliminary'],
])
const approvals: ReadonlySet<string> = new Set(approvalAttributes)

/**
 * The document without the records of its runs: the conversation stays, and a run can no longer be continued from it. A
 * document with errors comes back as it is.
 */
export function cleanChatMd(source: string): string {
  const problems = new Problems()
  const { tree, entries } = parseDocument(source, problems)
  if (problems.hasErrors) return source
  const written = new Set<ElementNode>(entries.map(entry => entry.node))
  let text = ''
  let at = 0
  for (const node of tree.children) {
    if (node.type !== 'element' || !written.has(node)) continue
    const part = attributeValue(node.attributes, 'part')
    const isDropped = part === 'end' || part === 'step-start'
    text += source.slice(at, node.start)
    if (isDropped) text = text.replace(/(\r?\n)\s*$/, '$1')
    else text += cleanTag(source, node) + source.slice(node.openEnd, node.end)
    at = node.end
  }
  return text + source.slice(at)
}

function cleanTag(source: string, node: ElementNode): string {
  const kept = node.attributes.filter(attribute => !isRunRecord(node, attribute))
  if (kept.length === node.attributes.length) return source.slice(node.start, node.openEnd)
  const attributes = kept.map(({ name, value }) => ` ${writeAttribute(name, value)}`).join('')
  return `<${node.name}${attributes}${node.selfClosing ? '/>' : '>'}`
}

function isRunRecord(node: ElementNode, { name }: Attribute): boolean {
  if (records.has(name)) return true
  // Of an answer that was no, and of a question that waits, the model is told.
  if (approvals.has(name)) return attributeValue(node.attributes, 'approved') === 'yes'
  if (node.name === 'assistant') return name === 'id' || name === 'tool_call_id'
  return node.name === 'tool_call' && name === 'id'
}
