import { type ChatDocument, parseChatMd } from '@argot/core/chatmd'
import { type ElementNode, placesIn } from '@argot/core/chatmd/internal'
import type { AskModel } from './ask-model.ts'
import { refineText } from './refine-text.ts'

/** The prompts of a document that are refined: system and developer messages, and the first one of the user. */
function promptNodes(document: ChatDocument): ElementNode[] {
  let users = 0
  return document.entries.flatMap(entry => {
    if (entry.type !== 'message' || entry.node.selfClosing) return []
    if (entry.role === 'system' || entry.role === 'developer') return [entry.node]
    return entry.role === 'user' && users++ === 0 ? [entry.node] : []
  })
}

/** The part of a source that is refined: what was sent for these prompts is kept as long as they stay the same. */
export function getPrompts(source: string): string {
  const { document } = parseChatMd(source)
  return promptNodes(document)
    .map(({ start, end }) => source.slice(start, end))
    .join('\n')
}

/** Puts the prompts of one source into the place of those of another that has as many; undefined where they do not fit. */
export function replacePrompts(source: string, prompts: string): string | undefined {
  const nodes = promptNodes(parseChatMd(source).document)
  const promptDocument = parseChatMd(prompts)
  const refined = promptNodes(promptDocument.document)
  // Nothing but the prompts: a tool beside them is none that the author declared.
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
  return objectionTo(source, replaced) === undefined ? replaced : undefined
}

export interface DocumentRefinement {
  /** The source with refined prompts; the source itself where nothing better was found. */
  text: string
  kept: number
  objection?: string | undefined
}

/** Refines the prompts of a document. Everything else in it stays as it is, to the byte. */
export async function refineDocument(source: string, ask: AskModel): Promise<DocumentRefinement> {
  const prompts = getPrompts(source)
  if (prompts.trim() === '') return { text: source, kept: 0, objection: 'it has no prompts' }
  const objectTo = (proposal: string): string | undefined =>
    replacePrompts(source, proposal) === undefined
      ? 'the proposal does not parse, or loses a tool, a setting, an import, a parameter or a message'
      : undefined
  const { text, kept, objection } = await refineText(prompts, { ask, objectTo })
  return { text: (kept > 0 && replacePrompts(source, text)) || source, kept, objection }
}

/** What speaks against a changed source: it has errors, or another skeleton than the one it was made from. */
function objectionTo(before: string, after: string): string | undefined {
  const { document, diagnostics } = parseChatMd(after)
  if (diagnostics.some(({ severity }) => severity === 'error')) return 'it does not parse'
  const [old, now] = [skeleton(parseChatMd(before).document), skeleton(document)]
  if (old !== now) return 'it has other elements'
  return formatPlaces(parseChatMd(before).document) === formatPlaces(document)
    ? undefined
    : 'it has other places to be filled'
}

/** The places in the prompts that a run fills: those of the tools, and of the parameters that are declared. */
function formatPlaces(document: ChatDocument): string {
  const filled = new Set(['tools', 'syntax', ...(document.config?.params ?? []).map(({ name }) => name)])
  const texts = promptNodes(document).map(({ start, end }) => document.tree.source.slice(start, end))
  return placesIn(texts.join('\n'))
    .filter(name => filled.has(name))
    .join(' ')
}

/** Every element but the words in it: names, attributes, order and nesting. */
function skeleton({ tree }: ChatDocument): string {
  const write = (nodes: readonly (typeof tree.children)[number][]): unknown[] =>
    nodes.flatMap(node => {
      if (node.type !== 'element') return []
      const attributes = node.attributes.map(({ name, value }) => [name, value])
      return [[node.name, attributes, write(node.children)]]
    })
  return JSON.stringify(write(tree.children))
}
