import { correctionType } from '../message/correction.ts'
import type { Role } from '../message/message.ts'
import { summaryType } from '../message/summary.ts'
import { defined } from '../source/defined.ts'
import type { Diagnostic } from '../source/diagnostic.ts'
import { checkAttributes, checkRequired, readConfig, readTool } from './check/check-attributes.ts'
import { checkContent, checkNoContent } from './check/check-structure.ts'
import type { ChatDocument, ChatMdEntry, DocumentConfig, ToolDeclaration } from './document.ts'
import { readEnding } from './ending-comment.ts'
import { Problems } from './problems.ts'
import { attributeValue, findAttribute, hasFlag } from './reader/attribute.ts'
import { isBlankText, joinText, readContent, readPayload } from './reader/content.ts'
import { isEmptyElement, isSection, tagNames } from './reader/tag.ts'
import { type ElementNode, printTree, type Tree, type TreeNode, toTree } from './reader/tree.ts'
import { nearestTag } from './vocabulary.ts'

export interface ParseOptions {
  /** The text's name in diagnostics. Imports in it are resolved against it. */
  file?: string
}

export interface ParsedChatMd {
  document: ChatDocument
  diagnostics: Diagnostic[]
}

/** Reads a document. Never throws: problems become diagnostics, and reading continues at the next section. */
export function parseChatMd(source: string, options: ParseOptions = {}): ParsedChatMd {
  const problems = new Problems()
  const document = parseDocument(source, problems, options.file)
  return { document, diagnostics: problems.diagnostics(source, options.file) }
}

/** The document's source, byte for byte. */
export function printChatMd(document: ChatDocument): string {
  return printTree(document.tree)
}

export function parseDocument(source: string | Tree, problems: Problems, file?: string): ChatDocument {
  return new DocumentBuilder(toTree(source, problems), problems, file).document
}

const BOM = 0xfeff

/** In a longer text no tags are renamed. */
const LONGEST_SUGGESTION = 100_000
const roles: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'developer', 'tool'])

class DocumentBuilder {
  readonly document: ChatDocument
  readonly #tree: Tree
  readonly #problems: Problems
  /** Text at the top level is reported once, until an element follows. */
  #inText = false

  constructor(tree: Tree, problems: Problems, file: string | undefined) {
    this.#tree = tree
    this.#problems = problems
    this.document = {
      tree,
      tools: [],
      entries: [],
      metaRefine: hasMetaRefine(tree),
      ...defined({ file }),
    }
    for (const node of tree.children) this.#topLevel(node)
  }

  #topLevel(node: TreeNode): void {
    switch (node.type) {
      case 'element':
        if (isSection(node.name)) this.#inText = false
        checkAttributes(this.#problems, node)
        this.#element(node)
        return
      case 'text':
      case 'raw':
        this.#textAtTop(node.start, node.end)
        return
      case 'comment':
        this.#ending(node)
        return
      case 'stray':
        return
    }
  }

  /** Only after text from an assistant or a tool: elsewhere it is an ordinary comment. */
  #ending({ start, end }: TreeNode): void {
    const last = this.document.entries.at(-1)
    const isAfterAnswer =
      last?.type === 'message' ? last.role === 'assistant' : last !== undefined && last.type !== 'import'
    const node = isAfterAnswer ? readEnding(this.#tree.source.slice(start, end), start) : undefined
    if (node !== undefined) this.document.entries.push({ type: 'message', role: 'assistant', content: [], node })
  }

  /**
   *   | <user>Hello</user>
   *   | and more
   *     ^^^^^^^^
   */
  #textAtTop(start: number, end: number): void {
    const { source } = this.#tree
    let from = start
    if (from === 0 && source.charCodeAt(0) === BOM) from++
    while (from < end && isBlankText(source, from, from + 1)) from++
    if (from === end || this.#inText) return
    this.#inText = true
    let to = end
    while (isBlankText(source, to - 1, to)) to--
    const tag = /^<\/?([A-Za-z_]+)/.exec(source.slice(from, from + 40))
    this.#problems.error(
      'CHATMD_TEXT_AT_TOP',
      from,
      to,
      tag
        ? `\`${tag[0]}\` is not a ChatMD tag, so it is text, and text must be inside an element.`
        : 'Text must be inside an element.',
      getCure(tag?.[1]),
    )
    const name = tag?.[1]
    const suggestion = name === undefined || to - from > LONGEST_SUGGESTION ? undefined : guessTag(name)
    if (suggestion !== undefined)
      this.#problems.suggest(from, to, renameTags(source.slice(from, to), name!, suggestion))
  }

  #element(node: ElementNode): void {
    const { name } = node
    if (isEmptyElement(name)) checkNoContent(this.#problems, this.#tree, node)
    switch (name) {
      case 'config':
        this.#config(node)
        return
      case 'tool':
        this.#tool(node)
        return
      case 'developer':
        // A correction that Argot sent to a model during a message belongs to that message, and so does a summary.
        this.#message(node, isOfAssistant(node) ? 'assistant' : name)
        return
      case 'user':
      case 'system':
      case 'assistant':
        this.#message(node, name)
        return
      case 'msg':
        this.#genericMessage(node)
        return
      case 'tool_call':
      case 'tool_response':
        this.#toolElement(node, name)
        return
      case 'reasoning':
        this.#reasoning(node)
        return
      case 'import':
        checkRequired(this.#problems, node)
        this.document.entries.push({ type: 'import', src: attributeValue(node.attributes, 'src') ?? '', node })
        return
      case 'doc':
      case 'img':
      case 'agent':
      case 'summary': {
        if (this.#inText) return
        const place = name === 'summary' ? 'a `<reasoning>`' : 'a message'
        const message = `\`<${name}>\` works only inside ${place}; here it is ignored.`
        this.#problems.warn('CHATMD_IGNORED_AT_TOP', node.start, node.openEnd, message, `Move it into ${place}.`)
        checkContent(this.#problems, this.#tree, node)
      }
    }
  }

  #message(node: ElementNode, role: Role): void {
    checkContent(this.#problems, this.#tree, node)
    const mode = role === 'assistant' || role === 'tool' ? 'literal' : 'expand'
    this.document.entries.push({ type: 'message', role, content: readContent(this.#tree, node, mode), node })
  }

  #genericMessage(node: ElementNode): void {
    const attribute = findAttribute(node.attributes, 'role')
    const role = attribute === undefined || attribute.value === true ? '' : attribute.value
    const roleList = [...roles].map(one => `\`${one}\``).join(', ')
    if (node.damaged === true) {
      // The tag's problem is already reported.
    } else if (attribute === undefined) {
      const message = '`<msg>` has no `role`.'
      this.#problems.error('CHATMD_MISSING_ROLE', node.start, node.openEnd, message, `Add one of ${roleList}.`)
    } else if (!roles.has(role)) {
      const message = `\`${role}\` is not a role.`
      this.#problems.error('CHATMD_UNKNOWN_ROLE', attribute.start, attribute.end, message, `Use one of ${roleList}.`)
    }
    if (role === 'tool' && hasFlag(node.attributes, 'tool_call_id')) this.#toolElement(node, 'tool_response')
    else this.#message(node, roles.has(role) ? (role as Role) : 'user')
  }

  #toolElement(node: ElementNode, name: 'tool_call' | 'tool_response'): void {
    checkContent(this.#problems, this.#tree, node)
    checkRequired(this.#problems, node)
    const { attributes } = node
    const toolCallId = attributeValue(attributes, 'tool_call_id') ?? ''
    const custom = attributeValue(attributes, 'type') === 'custom_tool_call'
    const payload = readPayload(this.#tree, node)
    const entry: ChatMdEntry =
      name === 'tool_response'
        ? { type: 'tool-response', toolCallId, custom, payload, node }
        : {
            type: 'tool-call',
            toolCallId,
            toolName: attributeValue(attributes, 'function_name') ?? '',
            custom,
            payload,
            node,
          }
    this.document.entries.push(entry)
  }

  #reasoning(node: ElementNode): void {
    checkContent(this.#problems, this.#tree, node)
    checkRequired(this.#problems, node)
    const texts: string[] = []
    let loose: TreeNode[] = []
    const flush = () => {
      const first = loose[0]
      const last = loose.at(-1)
      if (first !== undefined && last !== undefined) {
        const part: ElementNode = { ...node, children: loose, openEnd: first.start, closeStart: last.end }
        const text = joinText(readContent(this.#tree, part, 'literal'))
        if (text.trim() !== '') texts.push(text)
      }
      loose = []
    }
    for (const child of node.children) {
      if (child.type === 'element' && child.name === 'summary') {
        flush()
        texts.push(joinText(readContent(this.#tree, child, 'literal')))
      } else loose.push(child)
    }
    flush()
    this.document.entries.push({ type: 'reasoning', id: attributeValue(node.attributes, 'id') ?? '', texts, node })
  }

  #config(node: ElementNode): void {
    const config = readConfig(this.#problems, node)
    if (this.document.config === undefined) {
      this.document.config = config satisfies DocumentConfig
      return
    }
    const message = 'Only the first `<config>` applies; this one is ignored.'
    this.#problems.warn('CHATMD_SECOND_CONFIG', node.start, node.openEnd, message, 'Merge the two.')
  }

  #tool(node: ElementNode): void {
    const tool: ToolDeclaration | undefined = readTool(this.#problems, node)
    const { file } = this.document
    if (tool !== undefined) this.document.tools.push(file === undefined ? tool : { ...tool, file })
  }
}

function getCure(tag: string | undefined): string {
  if (tag !== undefined && tag !== tag.toLowerCase()) return 'Tag names are lowercase.'
  const nearest = tag === undefined ? undefined : nearestTag(tag)
  if (nearest !== undefined) return `Did you mean \`<${nearest}>\`?`
  return 'Put it into a message such as `<user>…</user>`, or into a comment.'
}

function guessTag(tag: string): string | undefined {
  const small = tag.toLowerCase()
  return tagNames.find(name => name === small) ?? nearestTag(small)
}

function renameTags(text: string, from: string, to: string): string {
  return text.replaceAll(/(<\/?)([A-Za-z_]+)/g, (whole, mark: string, name: string) =>
    name === from ? mark + to : whole,
  )
}

function hasMetaRefine({ source, children }: Tree): boolean {
  const isMarker = (node: TreeNode): boolean => {
    if (node.type === 'element') return node.children.some(isMarker)
    if (node.type !== 'comment' || node.end - node.start > 200) return false
    return source.slice(node.start + 4, node.end - 3).trim() === 'META_REFINE'
  }
  return source.includes('META_REFINE') && children.some(isMarker)
}

function isOfAssistant({ attributes }: ElementNode): boolean {
  const part = attributeValue(attributes, 'part')
  return part === correctionType || part === summaryType
}
