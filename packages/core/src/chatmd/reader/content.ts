import { attributeValue, dropComments, hasFlag } from './attribute.ts'
import { type HelperName, isBlank, isHelper } from './tag.ts'
import type { ElementNode, RawNode, Tree, TreeNode } from './tree.ts'

/** `raw` came from a RAW block; `literal` is markup without a meaning in this place. */
export interface TextContent {
  type: 'text'
  form: 'text' | 'raw' | 'literal'
  text: string
  start: number
  end: number
}

export interface HelperContent {
  type: HelperName
  src: string
  local: boolean
  strip: boolean
  markdown: boolean
  content: ElementContent[]
  node: ElementNode
}

export type ElementContent = TextContent | HelperContent

/** A reference is a file that contains the payload. */
export type ElementPayload =
  | { type: 'none' }
  | { type: 'text'; text: string }
  | { type: 'reference'; src: string; node: ElementNode }

export type ContentMode = 'expand' | 'literal'

/**
 * An element's content without its layout. The layout is:
 *
 *     <user>⏎          one newline after the opening tag
 *     Hello⏎           one newline before the closing tag
 *     </user>
 *
 * and the white space between an opening tag and `RAW|`. Everything else is content exactly as written.
 */
export function readContent(tree: Tree, node: ElementNode, mode: ContentMode): ElementContent[] {
  const children = node.children
  const only = isPayloadElement(node) ? solePayload(tree, children) : undefined
  if (only !== undefined) return readNodes(tree, only, mode)
  return readNodes(tree, children, mode, getLayout(tree, node))
}

/** Every character except the BOM. */
export function readImportedText(tree: Tree): ElementContent[] {
  const start = tree.source.charCodeAt(0) === 0xfeff ? 1 : 0
  return readNodes(tree, tree.children, 'expand', { start, end: tree.source.length })
}

export function readPayload(tree: Tree, node: ElementNode): ElementPayload {
  if (node.selfClosing) return { type: 'none' }
  const only = solePayload(tree, node.children)
  const first = only?.[0]
  if (first?.type === 'element') {
    const src = attributeValue(first.attributes, 'src')
    if (src !== undefined && hasFlag(first.attributes, 'local')) return { type: 'reference', src, node: first }
  }
  if (first?.type === 'raw' && only?.length === 1) return { type: 'text', text: readRaw(tree.source, first) }
  return { type: 'text', text: joinText(readContent(tree, node, 'literal')) }
}

export function joinText(content: readonly ElementContent[]): string {
  let text = ''
  for (const piece of content) if (piece.type === 'text') text += piece.text
  return text
}

export interface Layout {
  start: number
  end: number
}

function isPayloadElement(node: ElementNode): boolean {
  return node.name === 'tool_call' || node.name === 'tool_response' || node.name === 'agent'
}

/** A body's single `doc`, or all its RAW blocks, if it contains nothing else except white space and comments. */
export function solePayload(tree: Tree, children: readonly TreeNode[]): TreeNode[] | undefined {
  const nodes: TreeNode[] = []
  for (const child of children) {
    switch (child.type) {
      case 'comment':
        break
      case 'text':
        if (!isBlankText(tree.source, child.start, child.end)) return undefined
        break
      case 'raw':
        if (nodes[0]?.type === 'element') return undefined
        nodes.push(child)
        break
      case 'element':
        if (child.name !== 'doc' || nodes.length > 0) return undefined
        nodes.push(child)
        break
      case 'stray':
        return undefined
    }
  }
  return nodes.length > 0 ? nodes : undefined
}

export function isBlankText(source: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (!isBlank(source.charCodeAt(i))) return false
  return true
}

/**
 * Comments are ignored: a newline that only a comment separates from the tag is layout, too.
 *
 *   | <user><!-- for the reader -->⏎
 *   | Hello
 */
export function getLayout(tree: Tree, node: ElementNode): Layout {
  const { source } = tree
  const { children } = node
  let first = 0
  while (children[first]?.type === 'comment') first++
  let last = children.length - 1
  while (children[last]?.type === 'comment') last--
  const layout = { start: node.openEnd, end: node.closeStart }
  const head = children[first]
  if (head?.type === 'text') {
    const raw = rawAfterBlanks(tree, children, first)
    layout.start = raw === undefined ? head.start + newlineAt(source, head.start, head.end) : raw.start
  }
  const tail = children[last]
  if (tail?.type === 'text') {
    const from = Math.max(tail.start, layout.start)
    if (from < tail.end) layout.end = tail.end - newlineBefore(source, tail.end, from)
  }
  return layout
}

/** The RAW block that follows the opening tag, after white space and comments only. */
function rawAfterBlanks(tree: Tree, children: readonly TreeNode[], from: number): RawNode | undefined {
  for (let i = from; i < children.length; i++) {
    const child = children[i]!
    if (child.type === 'raw') return child
    if (child.type === 'comment') continue
    if (child.type !== 'text' || !isBlankText(tree.source, child.start, child.end)) return undefined
  }
  return undefined
}

/** The length of the newline (LF or CRLF) at `at`, or 0. */
export function newlineAt(source: string, at: number, end: number): number {
  if (at < end && source.charCodeAt(at) === 10) return 1
  return at + 1 < end && source.charCodeAt(at) === 13 && source.charCodeAt(at + 1) === 10 ? 2 : 0
}

/** The length of the newline (LF or CRLF) that ends at `at`, or 0. */
export function newlineBefore(source: string, at: number, start: number): number {
  if (at <= start || source.charCodeAt(at - 1) !== 10) return 0
  return at - 1 > start && source.charCodeAt(at - 2) === 13 ? 2 : 1
}

export function readRaw(source: string, node: RawNode): string {
  const start = node.unopened === true ? node.start : node.start + 4
  const end = node.closed ? node.end - 4 : node.end
  const from = start + newlineAt(source, start, end)
  return source.slice(from, end - newlineBefore(source, end, from))
}

function readNodes(tree: Tree, nodes: readonly TreeNode[], mode: ContentMode, layout?: Layout): ElementContent[] {
  const content: ElementContent[] = []
  for (const node of nodes) {
    switch (node.type) {
      case 'comment':
        break
      case 'text': {
        const start = layout === undefined ? node.start : Math.max(node.start, layout.start)
        const end = layout === undefined ? node.end : Math.min(node.end, layout.end)
        if (start < end) content.push({ type: 'text', form: 'text', text: tree.source.slice(start, end), start, end })
        break
      }
      case 'raw': {
        const { start, end } = node
        content.push({ type: 'text', form: 'raw', text: readRaw(tree.source, node), start, end })
        break
      }
      case 'stray':
        content.push(literal(tree, node.start, node.end))
        break
      case 'element':
        readElement(tree, node, mode, content)
    }
  }
  // An array that grew keeps spare capacity; most bodies are one text.
  return content.length < 8 ? content.slice() : content
}

function readElement(tree: Tree, node: ElementNode, mode: ContentMode, content: ElementContent[]): void {
  if (!isHelper(node.name)) return
  if (mode === 'expand') {
    content.push({
      type: node.name,
      src: attributeValue(node.attributes, 'src') ?? '',
      local: hasFlag(node.attributes, 'local'),
      strip: hasFlag(node.attributes, 'strip'),
      markdown: hasFlag(node.attributes, 'markdown'),
      content: node.name === 'agent' ? readContent(tree, node, 'expand') : [],
      node,
    })
    return
  }
  content.push(literal(tree, node.start, node.openEnd))
  for (const piece of readNodes(tree, node.children, 'literal')) content.push(piece)
  if (node.closeStart < node.end) content.push(literal(tree, node.closeStart, node.end))
}

function literal(tree: Tree, start: number, end: number): TextContent {
  return { type: 'text', form: 'literal', text: dropComments(tree.source.slice(start, end)), start, end }
}
