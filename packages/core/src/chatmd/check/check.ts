import type { Diagnostic } from '../../source/diagnostic.ts'
import type { ErrorCode } from '../../source/error.ts'
import type { ChatDocument, ToolCallEntry, ToolResponseEntry } from '../document.ts'
import { type ParsedChatMd, type ParseOptions, parseDocument } from '../parse.ts'
import { type Fix, Problems } from '../problems.ts'
import { attributeValue, findAttribute, hasFlag } from '../reader/attribute.ts'
import { codeSpans, isInside } from '../reader/code-span.ts'
import type { ElementNode, Tree, TreeNode } from '../reader/tree.ts'
import { readOffset } from '../record.ts'
import { checkRecord } from './check-record.ts'

/** Payloads beyond this many characters in total are only read when the document is expanded. */
const PAYLOAD_BUDGET = 1024 * 1024

/** Every check of a document that doesn't need another file. */
export function checkChatMd(source: string, options: ParseOptions = {}): Diagnostic[] {
  return parseChecked(source, options).diagnostics
}

/**
 * Reads a document like `parseChatMd`, and reports everything that `checkChatMd` does. A tree from `parseTree` is not
 * built again.
 */
export function parseChecked(source: string | Tree, options: ParseOptions = {}): ParsedChatMd {
  const problems = new Problems()
  const document = checkInto(problems, source, options)
  return { document, diagnostics: problems.diagnostics(document.tree.source, options.file) }
}

/** One change per problem, independent of each other, in text order. */
export function findFixes(source: string, options: ParseOptions = {}): DocumentFix[] {
  const problems = new Problems()
  checkInto(problems, source, options)
  return problems.fixableProblems
    .map(({ code, start, end, fix, suggestion }) => ({ code, start, end, change: (fix ?? suggestion)! }))
    .sort((a, b) => a.start - b.start || a.end - b.end)
}

/** `start` and `end` are the problem's position, `change` the replacement. */
export interface DocumentFix {
  code: ErrorCode
  start: number
  end: number
  change: Fix
}

function checkInto(problems: Problems, source: string | Tree, options: ParseOptions): ChatDocument {
  const document = parseDocument(source, problems, options.file)
  checkTools(document, problems)
  checkIds(document, problems)
  checkCalls(document, problems)
  checkPayloads(document, problems)
  for (const entry of document.entries) if (entry.type !== 'import') checkRecord(problems, entry.node)
  checkCode(document.tree, problems)
  return document
}

function checkTools({ tools }: ChatDocument, problems: Problems): void {
  const seen = new Set<string>()
  for (const tool of tools) {
    if (tool.kind === 'mcp') continue
    if (seen.has(tool.name)) {
      const { start, openEnd } = tool.node
      const message = `A tool named \`${tool.name.slice(0, 64)}\` is declared twice.`
      problems.warn('CHATMD_DUPLICATE_TOOL', start, openEnd, message, 'Remove one, or rename it.')
    }
    seen.add(tool.name)
  }
}

/** Ids must be unique if something refers to them: prompts in the document, calls in their message. */
function checkIds({ entries }: ChatDocument, problems: Problems): void {
  const seen = new Set<string>()
  /** Runs of older versions name their message only with its first element. */
  let current = ''
  for (const entry of entries) {
    const { attributes } = entry.node
    const isOfRun = readOffset(attributes) !== undefined
    const scope = attributeValue(attributes, 'message') ?? (isOfRun ? current : '')
    if (entry.type !== 'tool-response') current = scope
    const name =
      entry.type === 'tool-call'
        ? 'tool_call_id'
        : entry.type === 'message' && entry.role !== 'assistant'
          ? 'id'
          : undefined
    if (name === undefined || hasFlag(attributes, 'key')) continue
    const attribute = findAttribute(attributes, name)
    if (attribute === undefined || attribute.value === true) continue
    const id = `${name} ${scope.length} ${scope} ${attribute.value}`
    if (seen.has(id)) {
      const message = `The ${name === 'id' ? 'id' : 'call id'} \`${attribute.value.slice(0, 64)}\` is used twice.`
      problems.warn('CHATMD_DUPLICATE_ID', attribute.start, attribute.end, message, 'Give each its own id.')
    }
    seen.add(id)
  }
}

/**
 * Calls and responses must pair up. The content of imports and faulty tags is unknown here: then nothing is reported.
 */
function checkCalls({ entries }: ChatDocument, problems: Problems): void {
  if (entries.some(({ type, node }) => type === 'import' || (type.startsWith('tool-') && node.damaged === true))) return
  const open = new Map<string, ToolCallEntry[]>()
  const answered = new Set<string>()
  const again = new Set<string>()
  for (const entry of entries) {
    if (entry.type === 'tool-call') {
      if (attributeValue(entry.node.attributes, 'state') === 'again') again.add(entry.toolCallId)
      const list = open.get(entry.toolCallId)
      if (list === undefined) open.set(entry.toolCallId, [entry])
      else list.push(entry)
    } else if (entry.type === 'tool-response') {
      const isAgain = again.has(entry.toolCallId)
      if (open.get(entry.toolCallId)?.pop() === undefined && !isAgain)
        reportOrphan(problems, entry, answered.has(entry.toolCallId))
      answered.add(entry.toolCallId)
    }
  }
  for (const list of open.values()) for (const call of list) reportDangling(problems, call)
}

function reportOrphan(problems: Problems, { node, toolCallId }: ToolResponseEntry, again: boolean): void {
  const id = toolCallId.slice(0, 64)
  const message = again ? `The call \`${id}\` already has a response.` : `No call before it has the id \`${id}\`.`
  const cure = again ? 'Remove this response.' : 'Correct the id, or remove the response; it is not sent.'
  problems.warn('CHATMD_RESPONSE_WITHOUT_CALL', node.start, node.openEnd, message, cure)
}

function reportDangling(problems: Problems, { node, toolCallId }: ToolCallEntry): void {
  // A call without an id can't have a response. The missing id is already reported.
  if (toolCallId === '') return
  const waits = attributeValue(node.attributes, 'state') === 'approval-requested'
  const message = `The call \`${toolCallId.slice(0, 64)}\` has no response${waits ? ': it waits for an approval' : ''}.`
  const cure = 'Run the document again to settle it, or add a `<tool_response>`.'
  problems.warn('CHATMD_CALL_WITHOUT_RESPONSE', node.start, node.openEnd, message, cure)
}

/** A call's input is JSON, unless the call is custom. A response is JSON if it says so. */
function checkPayloads({ entries }: ChatDocument, problems: Problems): void {
  let budget = PAYLOAD_BUDGET
  for (const entry of entries) {
    if (entry.type !== 'tool-call' && entry.type !== 'tool-response') continue
    const { payload, node } = entry
    if (payload.type !== 'text' || payload.text === '' || node.damaged === true) continue
    // A lost RAW mark is already reported.
    if (payload.text.trimEnd().endsWith('|RAW')) continue
    const isJson = entry.type === 'tool-call' ? !entry.custom : attributeValue(node.attributes, 'encoding') === 'json'
    if (!isJson || (budget -= payload.text.length) < 0) continue
    try {
      JSON.parse(payload.text)
    } catch {
      const { openEnd, closeStart } = node
      problems.warn('CHATMD_BAD_PAYLOAD', openEnd, closeStart, 'The payload is not JSON.', 'Write the payload as JSON.')
    }
  }
}

function checkCode(tree: Tree, problems: Problems): void {
  for (let i = 0; i < tree.children.length; i++) {
    const node = tree.children[i]!
    if (node.type !== 'element' || node.selfClosing) continue
    const next = tree.children[i + 1]
    const endsEarly = node.closed && isSpill(tree, next)
    if (endsEarly || node.children.some(child => child.type === 'element')) checkCodeIn(tree, node, endsEarly, problems)
  }
}

/** True if the text after an element looks like the rest of its content. */
function isSpill({ source }: Tree, next: TreeNode | undefined): boolean {
  return next?.type === 'stray' || (next?.type === 'text' && source.slice(next.start, next.end).trim() !== '')
}

function checkCodeIn(tree: Tree, node: ElementNode, endsEarly: boolean, problems: Problems): void {
  const spans = codeSpans(tree, node, endsEarly)
  if (spans.length === 0) return
  const cure = 'Put the code into a RAW block: `RAW|…|RAW`.'
  for (const child of node.children) {
    if (child.type !== 'element' || !isInside(spans, child.start)) continue
    const message = `\`<${child.name}>\` is inside Markdown code, where it is still a tag.`
    problems.warn('CHATMD_TAG_IN_CODE', child.start, child.openEnd, message, cure)
  }
  if (endsEarly && isInside(spans, node.closeStart)) {
    const message = `\`</${node.name}>\` is inside Markdown code, where it still closes the element.`
    problems.warn('CHATMD_TAG_IN_CODE', node.closeStart, node.end, message, cure)
  }
}
