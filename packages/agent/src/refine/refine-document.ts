import { type ChatDocument, parseChatMd } from '@argot/core/chatmd'
import { type ElementNode, placeholderNames } from '@argot/core/chatmd/internal'
import type { AskModel } from './ask-model.ts'
import { refineText } from './refine-text.ts'

/** The prompts to refine: system and developer messages, and the user's first message. */
function promptNodes(document: ChatDocument): ElementNode[] {
  let users = 0
  return document.entries.flatMap(entry => {
    if (entry.type !== 'message' || entry.node.selfClosing) return []
    if (entry.role === 'system' || entry.role === 'developer') return [entry.node]
    return entry.role === 'user' && users++ === 0 ? [entry.node] : []
  })
}

/** The part of a source that is refined. A refinement stays valid as long as these prompts don't change. */
export function getPrompts(source: string): string {
  const { document } = parseChatMd(source)
  return promptNodes(document)
    .map(({ start, end }) => source.slice(start, end))
    .join('\n')
}

/** Replaces a source's prompts with those of another that has equally many. Undefined if they don't fit. */
export function replacePrompts(source: string, prompts: string): string | undefined {
  const nodes = promptNodes(parseChatMd(source).document)
  const promptDocument = parseChatMd(prompts)
  const refined = promptNodes(promptDocument.document)
  // Prompts only: the author didn't declare a tool that appears beside them.
  const elements = promptDocument.document.tree.children.filter(node => node.type === 'element')
  if (refined.length !== nodes.length || elements.length !== nodes.length) return undefined
  let text = ''
  let at = 0
  for (const [index, { start, end }] of nodes.entries()) {
    const { start: from, end: to } = refined[index]!
    text += source.slice(at, start) + prompts.slice(from, to)
    at = end
  }
  const replaced = text + source.slice(at)
  return findObjection(source, replaced) === undefined ? replaced : undefined
}

export interface DocumentRefinement {
  /** The source with refined prompts, or unchanged if no better one was found. */
  text: string
  accepted: number
  objection?: string | undefined
}

/** Refines a document's prompts. Everything else stays the same, to the byte. */
export async function refineDocument(source: string, ask: AskModel): Promise<DocumentRefinement> {
  const prompts = getPrompts(source)
  if (prompts.trim() === '') return { text: source, accepted: 0, objection: 'it has no prompts' }
  const objectTo = (proposal: string): string | undefined =>
    replacePrompts(source, proposal) === undefined
      ? 'the proposal does not parse, or loses a tool, a setting, an import, a parameter or a message'
      : undefined
  const { text, accepted, objection } = await refineText(prompts, { ask, objectTo })
  return { text: (accepted > 0 && replacePrompts(source, text)) || source, accepted, objection }
}

/** Finds errors, another skeleton, or other places to fill. */
function findObjection(before: string, after: string): string | undefined {
  const { document, diagnostics } = parseChatMd(after)
  if (diagnostics.some(({ severity }) => severity === 'error')) return 'it does not parse'
  const [old, now] = [skeleton(parseChatMd(before).document), skeleton(document)]
  if (old !== now) return 'it has other elements'
  return formatPlaces(parseChatMd(before).document) === formatPlaces(document)
    ? undefined
    : 'it has other places to be filled'
}

/** The places in the prompts that a run fills: those of the tools, and of the declared parameters. */
function formatPlaces(document: ChatDocument): string {
  const filled = new Set(['tools', 'syntax', ...(document.config?.params ?? []).map(({ name }) => name)])
  const texts = promptNodes(document).map(({ start, end }) => document.tree.source.slice(start, end))
  return placeholderNames(texts.join('\n'))
    .filter(name => filled.has(name))
    .join(' ')
}

/** All elements without their text: names, attributes, order and nesting. */
function skeleton({ tree }: ChatDocument): string {
  const write = (nodes: readonly (typeof tree.children)[number][]): unknown[] =>
    nodes.flatMap(node => {
      if (node.type !== 'element') return []
      const attributes = node.attributes.map(({ name, value }) => [name, value])
      return [[node.name, attributes, write(node.children)]]
    })
  return JSON.stringify(write(tree.children))
}
