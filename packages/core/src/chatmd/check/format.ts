import { parseDocument } from '../parse.ts'
import { Problems } from '../problems.ts'
import { attributeValue, hasFlag, writeAttribute } from '../reader/attribute.ts'
import {
  type ContentMode,
  getLayout,
  isBlankText,
  newlineAt,
  newlineBefore,
  readRaw,
  solePayload,
} from '../reader/content.ts'
import { writeRaw } from '../reader/raw.ts'
import { isEmptyElement, isHelper, tagNameAt } from '../reader/tag.ts'
import type { ElementNode, RawNode, Tree, TreeNode } from '../reader/tree.ts'

const LINE_WIDTH = 100

/**
 * The document in its canonical layout: elements apart, attributes in one style, content on separate lines. Idempotent;
 * the document's meaning stays exactly the same. A document with errors is returned unchanged.
 */
export function formatChatMd(source: string): string {
  const problems = new Problems()
  const { tree } = parseDocument(source, problems)
  if (problems.hasErrors) return source
  return new ChatMdFormatter(tree).format()
}

class ChatMdFormatter {
  readonly #tree: Tree
  readonly #source: string
  /** The line ending at the end of the document, or otherwise its first one. */
  readonly #newline: string

  constructor(tree: Tree) {
    this.#tree = tree
    this.#source = tree.source
    const at = tree.source.endsWith('\n') ? tree.source.length - 1 : tree.source.indexOf('\n')
    this.#newline = at > 0 && tree.source[at - 1] === '\r' ? '\r\n' : '\n'
  }

  format(): string {
    let text = ''
    let gap = ''
    let before: TreeNode | undefined
    for (const node of this.#tree.children) {
      if (node.type === 'text') {
        gap += this.#slice(node).replace(/^\ufeff/, '')
        continue
      }
      if (before !== undefined) text += this.#separator(before, gap, node)
      text += node.type === 'element' ? this.#element(node) : this.#slice(node)
      before = node
      gap = ''
    }
    const bom = this.#source.startsWith('\ufeff') ? '\ufeff' : ''
    return bom + text + (text === '' ? '' : this.#newline)
  }

  #slice({ start, end }: { start: number; end: number }): string {
    return this.#source.slice(start, end)
  }

  /** An empty line between elements. Declarations and comments may be closer, as the author has them. */
  #separator(before: TreeNode, gap: string, node: TreeNode): string {
    const lines = gap.split(/\r\n|\r|\n/).length - 1
    if (node.type === 'comment' && lines === 0) return ' '
    const close = isDeclaration(before) && isDeclaration(node)
    return close && lines < 2 ? this.#newline : this.#newline + this.#newline
  }

  #element(node: ElementNode): string {
    switch (node.name) {
      case 'config':
      case 'tool':
      case 'import':
        return this.#emptyElement(node, true)
      case 'doc':
      case 'img':
      case 'agent':
      case 'summary':
        return this.#slice(node)
      case 'tool_call':
      case 'tool_response':
        return this.#wrap(node, this.#payload(node))
      case 'reasoning':
        return this.#wrap(node, this.#reasoning(node))
      case 'assistant':
        return this.#wrap(node, this.#body(node, 'literal'))
      case 'user':
      case 'system':
      case 'developer':
        return this.#wrap(node, this.#body(node, 'expand'))
      case 'msg': {
        const role = attributeValue(node.attributes, 'role')
        if (role === 'tool' && hasFlag(node.attributes, 'tool_call_id')) return this.#slice(node)
        return this.#wrap(node, this.#body(node, role === 'assistant' || role === 'tool' ? 'literal' : 'expand'))
      }
    }
  }

  #wrap(node: ElementNode, body: string): string {
    return node.selfClosing ? this.#tag(node, true) : `${this.#tag(node, false)}${body}</${node.name}>`
  }

  /** A tag with a comment in it stays unchanged. */
  #tag(node: ElementNode, selfClosing: boolean): string {
    const source = this.#source.slice(node.start, node.openEnd)
    if (source.includes('<!--')) return source
    let tag = `<${node.name}`
    for (const { name, value } of node.attributes) tag += ` ${writeAttribute(name, value)}`
    return tag + (selfClosing ? '/>' : '>')
  }

  /** `<tool name="a"></tool>` becomes `<tool name="a"/>`; a long declaration has one line per attribute. */
  #emptyElement(node: ElementNode, mayWrap: boolean): string {
    const isEmpty = node.children.every(
      child => child.type === 'text' && isBlankText(this.#source, child.start, child.end),
    )
    if (!isEmpty || this.#source.slice(node.start, node.openEnd).includes('<!--')) return this.#slice(node)
    const tag = this.#tag(node, true)
    if (!mayWrap || tag.length <= LINE_WIDTH || node.attributes.length < 2) return tag
    const lines = node.attributes.map(({ name, value }) => `  ${writeAttribute(name, value)}`)
    return [`<${node.name}`, ...lines, '/>'].join(this.#newline)
  }

  /** The added newlines are layout. */
  #body(node: ElementNode, mode: ContentMode): string {
    const { children } = node
    const layout = getLayout(this.#tree, node)
    const head = children[0]
    const tail = children.at(-1)
    const keepHead = head?.type === 'comment' && layout.start > node.openEnd
    const keepTail = tail?.type === 'comment' && layout.end < node.closeStart
    const start = keepHead ? node.openEnd : layout.start
    const end = keepTail ? node.closeStart : layout.end
    const inner = this.#print(children, mode, start, end)
    if (inner === '') return this.#newline
    // A tag in an element's text is text, unless it begins a line.
    const isQuoted = start === node.openEnd && head?.type === 'text' && beginsWithTag(inner)
    const before = keepHead || isQuoted ? '' : this.#newline
    const after = keepTail || (inner.endsWith('\r') && this.#newline === '\n') ? '' : this.#newline
    return before + inner + after
  }

  /** Cuts text to the given range. Expanded helpers are written in one style; other nodes stay unchanged. */
  #print(nodes: readonly TreeNode[], mode: ContentMode, start: number, end: number): string {
    let text = ''
    for (const node of nodes) {
      if (node.type === 'text')
        text += this.#source.slice(Math.max(node.start, start), Math.max(start, Math.min(node.end, end)))
      else
        text +=
          node.type === 'element' && mode === 'expand' && isHelper(node.name) ? this.#helper(node) : this.#slice(node)
    }
    return text
  }

  #helper(node: ElementNode): string {
    if (isEmptyElement(node.name)) return this.#emptyElement(node, false)
    return this.#wrap(node, this.#print(node.children, 'expand', node.openEnd, node.closeStart))
  }

  /**
   *   | <tool_response tool_call_id="c">
   *   |   <doc src="./.chatmd/0.tool-call-result.c.json" local/>
   *   | </tool_response>
   */
  #payload(node: ElementNode): string {
    const only = solePayload(this.#tree, node.children)
    const first = only?.[0]
    if (only === undefined || first === undefined) return this.#body(node, 'literal')
    if (node.children.some(child => child.type === 'comment'))
      return this.#print(node.children, 'literal', node.openEnd, node.closeStart)
    if (first.type === 'element') {
      // Only a local one is a reference; any other is text, and its white space is layout.
      const doc = hasFlag(first.attributes, 'local') ? this.#emptyElement(first, false) : this.#slice(first)
      return `${this.#newline}  ${doc}${this.#newline}`
    }
    return this.#newline + only.map(raw => this.#raw(raw as RawNode)).join('') + this.#newline
  }

  /** The marks of a single RAW block are on separate lines. */
  #raw(node: RawNode): string {
    const start = node.start + 4
    const end = node.end - 4
    const from = start + newlineAt(this.#source, start, end)
    const isWide = from > start && newlineBefore(this.#source, end, from) > 0
    return isWide ? this.#slice(node) : writeRaw(readRaw(this.#source, node))
  }

  #reasoning(node: ElementNode): string {
    const summaries: string[] = []
    for (const child of node.children) {
      if (child.type === 'element' && child.name === 'summary')
        summaries.push(this.#wrap(child, this.#body(child, 'literal')))
      else if (child.type !== 'text' || !isBlankText(this.#source, child.start, child.end)) {
        return this.#print(node.children, 'literal', node.openEnd, node.closeStart)
      }
    }
    return this.#newline + summaries.map(summary => summary + this.#newline).join('')
  }
}

function beginsWithTag(text: string): boolean {
  const at = text.search(/[^ \t]/)
  return text[at] === '<' && tagNameAt(text, text[at + 1] === '/' ? at + 2 : at + 1) !== undefined
}

function isDeclaration(node: TreeNode): boolean {
  return node.type === 'comment' || (node.type === 'element' && isEmptyElement(node.name))
}
