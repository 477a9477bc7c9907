import { nearestNames } from '../../source/nearest-names.ts'
import { Problems } from '../problems.ts'
import { type Attribute, attributeValue } from './attribute.ts'
import { tagAt } from './landmarks.ts'
import { Lexer } from './lexer.ts'
import { isBlank, isEmptyElement, isLiteral, isSection, type TagName, tagNames } from './tag.ts'

/** The content starts at `openEnd` and ends at `closeStart`. */
export interface ElementNode {
  type: 'element'
  name: TagName
  start: number
  end: number
  openEnd: number
  closeStart: number
  attributes: Attribute[]
  children: TreeNode[]
  selfClosing: boolean
  closed: boolean
  complete: boolean
  damaged?: true
  /** Where its text, written by a model or a tool, first quotes a tag. */
  quotedAt?: number
  /** Not in the text: it comes from a comment or a record. */
  isUnwritten?: true
}

export interface TextNode {
  type: 'text'
  start: number
  end: number
}

export interface RawNode {
  type: 'raw'
  start: number
  end: number
  closed: boolean
  unopened?: true
}

export interface CommentNode {
  type: 'comment'
  start: number
  end: number
}

export interface StrayNode {
  type: 'stray'
  name: TagName
  start: number
  end: number
}

export type TreeNode = ElementNode | TextNode | RawNode | CommentNode | StrayNode

/** Keeps every character of the source. */
export interface Tree {
  source: string
  children: TreeNode[]
  /**
   * The start of the top-level element that the end of the text cut off, for example after a crash during an append.
   * Undefined for a text that ends between elements.
   */
  cutAt: number | undefined
}

const MAX_DEPTH = 64
const BOM = 0xfeff
/** Shared by all elements without children; never modified. */
const NO_CHILDREN: TreeNode[] = []

/** For readers that build the document later. */
const problemsByTree: WeakMap<Tree, Problems> = new WeakMap()

/** Reports problems to `problems`; reading continues at the next section. */
export function parseTree(source: string, problems?: Problems): Tree {
  const treeProblems = problems ?? new Problems()
  const tree = new TreeBuilder(source, treeProblems).build()
  if (problems === undefined) problemsByTree.set(tree, treeProblems)
  return tree
}

/** A tree that was built before is returned unchanged. Either way `problems` gets the text's problems. */
export function toTree(source: string | Tree, problems: Problems): Tree {
  const treeProblems = typeof source === 'string' ? undefined : problemsByTree.get(source)
  if (typeof source === 'string' || treeProblems === undefined) {
    return parseTree(typeof source === 'string' ? source : source.source, problems)
  }
  problems.addAll(treeProblems)
  return source
}

/** Puts the text together from the nodes. */
export function printTree(tree: Tree): string {
  return printNodes(tree.source, tree.children)
}

function printNodes(source: string, nodes: readonly TreeNode[]): string {
  let text = ''
  for (const node of nodes) {
    text +=
      node.type === 'element'
        ? source.slice(node.start, node.openEnd) +
          printNodes(source, node.children) +
          source.slice(node.closeStart, node.end)
        : source.slice(node.start, node.end)
  }
  return text
}

class TreeBuilder {
  readonly #source: string
  readonly #problems: Problems
  readonly #lexer: Lexer
  readonly #open: ElementNode[] = []
  /** Children so far of the document and of every open element, one after the other. */
  readonly #pending: TreeNode[] = []
  /** Where in `#pending` the children of each open element start. */
  readonly #childStarts: number[] = []
  readonly #literal: boolean[] = []

  constructor(source: string, problems: Problems) {
    this.#source = source
    this.#problems = problems
    this.#lexer = new Lexer(source, problems)
  }

  build(): Tree {
    const lexer = this.#lexer
    let cutAt: number | undefined
    while (lexer.next()) {
      const { start, end } = lexer
      const outermost = this.#open[0]?.start
      switch (lexer.type) {
        case 'text':
          this.#pending.push({ type: 'text', start, end })
          break
        case 'comment':
          this.#pending.push({ type: 'comment', start, end })
          break
        case 'raw':
          this.#pending.push({
            type: 'raw',
            start,
            end,
            closed: lexer.complete,
            ...(lexer.opened ? {} : { unopened: true as const }),
          })
          break
        case 'open':
          this.#openElement()
          break
        case 'close':
          this.#closeElement()
          break
      }
      if (lexer.cutAt !== undefined) cutAt ??= outermost ?? lexer.cutAt
    }
    const unclosed = this.#open[0]
    if (unclosed !== undefined && this.#abandon(0, this.#source.length)) cutAt ??= unclosed.start
    return { source: this.#source, children: this.#pending, cutAt: cutAt ?? this.#halfTag() }
  }

  /**
   *   | <user>Hello</user>
   *     ^
   */
  #openElement(): void {
    const lexer = this.#lexer
    const { name, start, end } = lexer
    if (this.#open.length >= MAX_DEPTH) this.#tooDeep(name, start, end)
    const node: ElementNode = {
      type: 'element',
      name,
      start,
      end,
      openEnd: end,
      closeStart: end,
      attributes: lexer.attributes,
      children: NO_CHILDREN,
      selfClosing: lexer.selfClosing,
      closed: lexer.selfClosing,
      complete: lexer.complete,
    }
    if (lexer.damaged) node.damaged = true
    this.#pending.push(node)
    if (lexer.selfClosing || this.#open.length >= MAX_DEPTH) return
    if (!lexer.complete && !isSection(name)) return
    if (lexer.complete && isEmptyElement(name) && this.#endsImmediately(node)) return
    this.#open.push(node)
    this.#childStarts.push(this.#pending.length)
    const closing = lexer.complete && isLiteralElement(node) ? lexer.ahead.closing(name, end) : 'lost'
    this.#literal.push(closing !== 'lost')
    this.#enter()
    lexer.nests = closing === 'nested'
  }

  #enter(): void {
    const lexer = this.#lexer
    lexer.within = this.#open.at(-1)?.name
    lexer.literal = this.#literal.at(-1) === true
    lexer.nests = false
    lexer.quotedDepth = 0
    lexer.quotedAt = undefined
  }

  /**
   * An element that is always empty ends at its `>`, unless its closing tag is the next tag.
   *
   *   | <doc src="a.md" local>
   *                           ^
   */
  #endsImmediately(node: ElementNode): boolean {
    const source = this.#source
    let next = source.indexOf('<', node.end)
    while (next !== -1 && tagAt(source, next) === undefined) next = source.indexOf('<', next + 1)
    if (next !== -1 && source.startsWith(`</${node.name}`, next) && tagAt(source, next) === node.name) {
      // In a model's text it is not an element, and neither is its content.
      if (this.#literal.at(-1) !== true) return false
    }
    node.closed = true
    if (node.damaged === true || this.#literal.at(-1) === true) return true
    const message = `\`<${node.name}>\` ends without \`/>\`.`
    const fix = { start: node.end - 1, end: node.end - 1, text: '/' }
    this.#problems.warn('CHATMD_NO_SLASH', node.start, node.end, message, `Write \`<${node.name} …/>\`.`, fix)
    return true
  }

  /** Elements that never close are abandoned where a section starts; anything else stays unopened. */
  #tooDeep(name: TagName, start: number, end: number): void {
    if (isSection(name) && this.#startsLine(start)) {
      this.#abandon(0, start)
      return
    }
    this.#problems.error(
      'CHATMD_TOO_DEEP',
      start,
      end,
      `\`<${name}>\` is nested inside more than ${MAX_DEPTH} elements.`,
      'Close the elements around it.',
    )
  }

  /**
   *   | <user>Hello</user>
   *                ^
   */
  #closeElement(): void {
    const { name, start, end } = this.#lexer
    let index = this.#open.length - 1
    while (index >= 0 && this.#open[index]!.name !== name) index--
    if (index < 0) {
      this.#pending.push({ type: 'stray', name, start, end })
      this.#reportStray(name, start, end)
      return
    }
    if (index < this.#open.length - 1) this.#abandon(index + 1, start)
    const { quotedAt } = this.#lexer
    const node = this.#closeInnermost()
    node.closeStart = start
    node.end = end
    node.closed = true
    if (quotedAt !== undefined) node.quotedAt = quotedAt
    this.#enter()
  }

  #closeInnermost(): ElementNode {
    const node = this.#open.pop()!
    const mark = this.#childStarts.pop()!
    this.#literal.pop()
    if (mark < this.#pending.length) {
      node.children = this.#pending.slice(mark)
      this.#pending.length = mark
    }
    return node
  }

  #reportStray(name: TagName, start: number, end: number): void {
    const open = this.#open.at(-1)
    if (open === undefined) {
      const message = `\`</${name}>\` closes nothing.`
      this.#problems.error('CHATMD_MISMATCHED_TAG', start, end, message, 'Remove it, or open the element before it.')
      return
    }
    const message = `\`</${name}>\` does not close \`<${open.name}>\`, which is open here.`
    const cure = `Write \`</${open.name}>\`, or put the text into a RAW block.`
    this.#problems.error('CHATMD_MISMATCHED_TAG', start, end, message, cure)
  }

  /**
   * Abandons the open elements from the one at `from` on. Each ends before the first section that starts a line in it
   * (or after the closing tag that didn't match), and what follows moves up to where it belongs.
   *
   *   | <user>one            user is open here, and assistant is its child
   *   | <assistant>two</assistant>
   *                               ^
   * True if nothing moved up, so the last element itself lacks its end.
   */
  #abandon(from: number, at: number): boolean {
    const elements: ElementNode[] = []
    while (this.#open.length > from) elements.push(this.#closeInnermost())
    let siblings = this.#pending
    let nothingMoved = true
    for (const node of elements.reverse()) {
      const cut = this.#countKept(node)
      const isMismatched = node.children[cut - 1]?.type === 'stray'
      if (isMismatched) nothingMoved = false
      else if (node.complete && node.damaged !== true) this.#reportUnclosed(node, node.children[cut]?.start ?? at)
      if (cut < node.children.length) {
        const moved = node.children.splice(cut)
        node.end = moved[0]!.start
        for (const child of moved) siblings.push(child)
        if (moved.some(child => child.type === 'element' && isSection(child.name))) nothingMoved = false
      } else {
        node.end = at
        siblings = node.children
      }
      node.closeStart = node.end
    }
    this.#enter()
    return nothingMoved
  }

  #countKept(node: ElementNode): number {
    if (isEmptyElement(node.name)) return 0
    const { children } = node
    for (let i = 0; i < children.length; i++) {
      const child = children[i]!
      if (child.type === 'stray' && isSection(child.name) && isSection(node.name)) return i + 1
      if (child.type === 'element' && isSection(child.name) && this.#startsLine(child.start)) return i
    }
    return children.length
  }

  #reportUnclosed(node: ElementNode, end: number): void {
    const cure = isEmptyElement(node.name) ? `Write \`<${node.name} …/>\`.` : `Close it with \`</${node.name}>\`.`
    const message = `\`<${node.name}>\` is not closed.`
    const misspelt = this.#misspeltClose(node, end)
    if (misspelt !== undefined) {
      const { tag, at } = misspelt
      const fix = { start: at, end: at + tag.length, text: `</${node.name}>` }
      const hint = `Did you mean \`</${node.name}>\` instead of \`${tag}\`?`
      return this.#problems.error('CHATMD_UNCLOSED_ELEMENT', node.start, node.openEnd, message, hint, fix)
    }
    let at = end
    while (at > node.openEnd && isBlank(this.#source.charCodeAt(at - 1))) at--
    // Content that starts on a separate line ends on one.
    const newline = isBlank(this.#source.charCodeAt(node.openEnd)) && at > node.openEnd ? '\n' : ''
    const fix = { start: at, end: at, text: `${newline}</${node.name}>` }
    this.#problems.error('CHATMD_UNCLOSED_ELEMENT', node.start, node.openEnd, message, cure, fix)
  }

  /** A closing tag at an element's end with a similar name: `</usr>`. */
  #misspeltClose({ name, openEnd }: ElementNode, end: number): { tag: string; at: number } | undefined {
    const from = Math.max(openEnd, end - 200)
    const closing = /(<\/([a-z][\w-]{1,30})[ \t]*>)\s*$/i.exec(this.#source.slice(from, end))
    const [, tag = '', other = ''] = closing ?? []
    return closing === null || nearestNames(other, [name]).length === 0 ? undefined : { tag, at: from + closing.index }
  }

  #startsLine(offset: number): boolean {
    const before = this.#source.charCodeAt(offset - 1)
    return offset === 0 || before === 10 || before === 13
  }

  /**
   *   | </user>
   *   | <assist
   *     ^
   */
  #halfTag(): number | undefined {
    const last = this.#pending.at(-1)
    if (last?.type !== 'text') return undefined
    const at = this.#source.lastIndexOf('<')
    if (at < last.start) return undefined
    for (let i = last.start; i < at; i++) {
      const code = this.#source.charCodeAt(i)
      if (!isBlank(code) && !(i === 0 && code === BOM)) return undefined
    }
    const rest = this.#source.slice(at + 1, at + 15)
    return tagNames.some(name => name.startsWith(rest)) ? at : undefined
  }
}

export function isLiteralElement({ name, attributes }: Pick<ElementNode, 'name' | 'attributes'>): boolean {
  if (name !== 'msg') return isLiteral(name)
  const role = attributeValue(attributes, 'role')
  return role === 'assistant' || role === 'tool'
}
