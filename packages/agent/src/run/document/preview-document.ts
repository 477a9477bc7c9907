import { basename, dirname, relative, resolve } from 'node:path'
import type { LanguageModelV3Message } from '@ai-sdk/provider'
import { ArgotError, isToolPart, type ToolInvocation } from '@argot/core'
import { type PromptCut, sentId, tracePrompt } from '@argot/core/ai-sdk/internal'
import { type ChatDocument, type Origin, parseChatMd, parseTree } from '@argot/core/chatmd'
import { type ExpandedMessage, parseChecked } from '@argot/core/chatmd/internal'
import { createLineCounter, defined, estimateTokens, summaryType } from '@argot/core/stream/internal'
import type { Syntax } from '@argot/core/syntax'
import { readDocumentText, realFile } from '../../files/document-file.ts'
import { stopSequences } from '../../loop/stop-sequences.ts'
import { ToolOffer } from '../../loop/tool-offer.ts'
import { readRecords } from '../../store/element-records.ts'
import { folderStore } from '../../store/folder/folder-store.ts'
import type { Store } from '../../store/store.ts'
import type { Tool } from '../../tool/tool.ts'
import type { Toolbox } from '../../tool/toolbox.ts'
import type { Price } from '../../words/price.ts'
import { toMessage } from '../../words/to-message.ts'
import { agentQuestion } from '../agents/agent-question.ts'
import { createSubAgents, type SubAgents } from '../agents/sub-agents.ts'
import { describeUndone, noteUndone } from '../changes/note-undone.ts'
import { findContinuation, hasOpenCalls, nothingToAnswer } from '../continuation.ts'
import { inputMessage } from '../input-message.ts'
import { foreseeRefinement } from '../meta-refine.ts'
import { openMemory } from '../open-memory.ts'
import type { RunOptions } from '../run-options.ts'
import { BadDocument } from './bad-document.ts'
import { absentModel } from './choose-talk.ts'
import { describeChange } from './describe-change.ts'
import type { DocumentOptions } from './document-options.ts'
import { openDocumentTools } from './open-document-tools.ts'
import { type DocumentPlan, planDocument } from './plan-document.ts'
import type { Preview, PreviewApproval, PreviewMessage, PreviewPiece } from './preview.ts'
import type { DocumentSource } from './read-document.ts'

/**
 * What the model would see if the document ran now, piece by piece with its origin. Starts no model, tool or sub-agent,
 * asks no one, and changes no file. A document with errors gives its diagnostics. One with unknown tools is shown
 * without them.
 */
export async function previewDocument(path: string, options: RunOptions = {}): Promise<Preview> {
  const { cwd = process.cwd() } = options
  const { file, text } = await readNamedDocument(path, options)
  const tree = parseTree(text)
  const source = { file, text, tree }
  const notices: string[] = []
  try {
    const { plan, toolbox } = await listTools(source, options, notices)
    return await previewPlan(plan, toolbox, { cwd, notices, options })
  } catch (error) {
    if (!(error instanceof BadDocument)) throw error
    const { document, diagnostics } = parseChecked(tree, { file })
    const sources = new Map([[file, text] as [string | undefined, string]])
    const model = document.config?.model ?? ''
    const all = error.diagnostics.length === 0 ? diagnostics : [...error.diagnostics]
    return { model, syntax: '', tools: [], messages: [], diagnostics: all, sources, notices }
  }
}

/** A document's text, and its actual or would-be file. */
export async function readNamedDocument(path: string, options: RunOptions): Promise<{ file: string; text: string }> {
  const { cwd = process.cwd(), store } = options
  if (store !== undefined && store.root === undefined) {
    return { file: resolve(cwd, path), text: (await store.documents.read(path)).text }
  }
  const file = await realFile(resolve(cwd, path))
  const result = await readDocumentText(file)
  if (!result.ok) throw new ArgotError(result.problem.code, result.problem.message)
  return { file, text: result.text }
}

/** Plans a document and lists its tools. Starts none of them. */
export async function listTools(
  source: { file: string; text: string; tree: ReturnType<typeof parseTree> },
  options: RunOptions,
  notices: string[],
): Promise<{ plan: DocumentPlan; toolbox: Toolbox }> {
  const { file } = source
  const storePlace = findStorePlace(file, options)
  const memory = await openMemory({ ...storePlace, source: file, isNew: false }, options)
  const shared: DocumentOptions = { ...options, ...memory, listOnly: true }
  shared.createSubAgents = () => previewAgents(shared)
  const records = await readRecords(storePlace.store, storePlace.path)
  const plan = await planPreview({ ...source, records }, shared, notices)
  return { plan, toolbox: await openDocumentTools(plan, shared, text => void notices.push(text)) }
}

function findStorePlace(file: string, options: RunOptions): { store: Store; path: string } {
  const { store: ownStore, cwd = process.cwd(), configFolder, env } = options
  if (ownStore !== undefined && ownStore.root === undefined) return { store: ownStore, path: relative(cwd, file) }
  return { store: folderStore(dirname(file), defined({ configFolder, env })), path: basename(file) }
}

/** A model that is unreachable or unknown is still named: what it would see doesn't depend on it. */
async function planPreview(
  source: Exclude<DocumentSource, ChatDocument>,
  options: DocumentOptions,
  notices: string[],
): Promise<DocumentPlan> {
  const onMissingModel = (problem: ArgotError): void => void notices.push(problem.message)
  try {
    const plan = await planDocument(source, options, onMissingModel)
    notices.push(...plan.notices)
    const { text, notice } = await foreseeRefinement(source, plan, options)
    if (notice !== undefined) notices.push(notice)
    return text === undefined ? plan : await planDocument({ file: source.file, text }, options, () => {})
  } catch (error) {
    if (!(error instanceof ArgotError) || !error.code.startsWith('MODEL_')) throw error
    notices.push(error.message)
    const { config } = parseChecked(source.tree ?? source.text).document
    const name = typeof options.model === 'string' ? options.model : config?.model
    return planDocument(source, { ...options, model: absentModel(name ?? 'unknown') })
  }
}

/** Agents that aren't asked. As tools, they are listed; in the text, they show their known answers. */
function previewAgents(options: DocumentOptions): SubAgents {
  const { tool } = createSubAgents(() => Promise.reject(new Error('A preview runs nothing.')))
  return {
    tool,
    async run({ file, source, local, input, agents }) {
      const later = { ok: true, text: `[the answer of the agent ${file}]`, pending: true } as const
      const { document, diagnostics } = parseChatMd(source, { file })
      if (diagnostics.some(({ severity }) => severity === 'error')) return later
      const agentOptions = { ...options, agents, remote: !local, frozen: undefined, params: undefined }
      try {
        const plan = await planDocument(document, agentOptions)
        const expanded = await plan.askAgents()
        const isPending = expanded.messages.some(({ pieces }) => pieces.some(({ origin }) => origin.pending === true))
        if (isPending) return later
        const cached = await options.agentCache?.find(agentQuestion(plan, expanded, input))
        return cached === undefined ? later : { ok: true, text: cached.text }
      } catch {
        return later
      }
    },
  }
}

interface PreviewContext {
  cwd: string
  notices: string[]
  options: RunOptions
}

/** Shows what `loop` would send: the same writer writes the prompt, which is taken apart here. */
async function previewPlan(plan: DocumentPlan, toolbox: Toolbox, context: PreviewContext): Promise<Preview> {
  const { cwd, notices, options } = context
  const { model, syntax, settings, price } = plan.talk
  const expanded = await plan.askAgents()
  const place = new PlaceNames(expanded.sources, cwd)
  const sent = expanded.messages.filter(one => one.sent)
  const newMessage = inputMessage('preview', options, 0)
  const input = newMessage === undefined ? [] : [newMessage]
  const all = noteUndone([...sent.map(one => one.message), ...input], plan.undone)
  const offer = new ToolOffer(toolbox, all, { syntax, isOn: plan.talk.toolSearch })
  const definitions = offer.definitions.map(({ title: _, ...definition }) => definition)
  const language = model.for?.({ syntax, tools: definitions, answerSchema: plan.answer?.schema }) ?? model.language
  const format = plan.answer?.lesson
  const traced = await tracePrompt(all, {
    syntax,
    tools: definitions,
    taught: offer.taught,
    language,
    fetchFile: fetchOrNotice(plan, notices),
    format,
  })
  const messages: PreviewMessage[] = []
  const steps = new Map<number, number>()
  const shownElements = new Map<number, number>()
  for (const [index, message] of traced.prompt.entries()) {
    const tracing = { sent, place, syntax, steps, shownElements, format }
    const pieces = sharedPieces(message, traced.from[index], traced.cut, tracing)
    messages.push({ role: message.role, pieces: [...undoPieces(message, plan), ...pieces], sent: true })
  }
  for (const one of expanded.messages) {
    if (!one.sent) messages.push({ role: one.message.role, pieces: ownPieces(one, place), sent: false })
  }
  for (const changed of await plan.changedSources()) {
    const { message, cure } = describeChange(changed, undefined)
    notices.push(`${message} ${cure}`)
  }
  const pending = sent.flatMap(({ pieces }) => pieces).filter(({ origin }) => origin.pending === true)
  const start = describeStart(expanded.messages, newMessage !== undefined)
  if (pending.length > 0)
    start.unshift(`${pending.length === 1 ? 'One agent is' : `${pending.length} agents are`} asked first.`)
  const { sources } = expanded
  const approvals = [...offer.tools.values()].map(tool => describeApproval(tool, plan))
  const { prompt, tools: offeredTools } = traced
  const params = plan.params?.used ?? []
  return {
    model: model.name,
    syntax: syntax.name,
    tools: definitions,
    approvals,
    ...defined({ params: params.length > 0 ? params : undefined }),
    messages,
    request: {
      prompt,
      ...model.settings(settings),
      ...defined({ tools: offeredTools, stopSequences: stopSequences(syntax, definitions) }),
    },
    ...weigh(messages, offeredTools, price),
    diagnostics: plan.problems,
    sources,
    notices,
    ...defined({ start: start.length > 0 ? start : undefined }),
  }
}

function undoPieces({ role, content }: LanguageModelV3Message, { undone }: DocumentPlan): PreviewPiece[] {
  if (role !== 'user' || undone.length === 0) return []
  const notes = new Set(undone.map(describeUndone))
  return content.flatMap(part =>
    part.type === 'text' && notes.has(part.text) ? [{ text: part.text, origin: 'an undone turn', added: true }] : [],
  )
}

function describeStart(messages: readonly ExpandedMessage[], hasInput: boolean): string[] {
  const continuation = findContinuation(messages)
  if (continuation === undefined) return hasInput ? [] : [nothingToAnswer(messages).message]
  if (continuation.continued === undefined || !hasOpenCalls(continuation.continued)) return []
  return [
    hasInput
      ? "Calls without a result end first. The model learns that they didn't run."
      : 'Calls without a result are settled first, and the model gets their results.',
  ]
}

/** Adds approximate tokens and cost to each piece, and returns the totals. */
function weigh(
  messages: readonly PreviewMessage[],
  offeredTools: unknown,
  price: Price | undefined,
): Pick<Preview, 'tokens' | 'cost' | 'toolTokens' | 'files'> {
  const toCost = (tokens: number): number | undefined => price && (tokens * price.input) / 1e6
  const toolTokens = offeredTools === undefined ? undefined : estimateTokens(JSON.stringify(offeredTools))
  let tokens = toolTokens ?? 0
  let files = 0
  for (const { pieces, sent } of messages) {
    for (const piece of pieces) {
      if (piece.isFile === true) {
        if (sent) files++
        continue
      }
      piece.tokens = estimateTokens(piece.text)
      Object.assign(piece, defined({ cost: toCost(piece.tokens) }))
      if (sent) tokens += piece.tokens
    }
  }
  return { tokens, ...defined({ cost: toCost(tokens), toolTokens, files: files > 0 ? files : undefined }) }
}

interface Tracing {
  sent: readonly ExpandedMessage[]
  place: PlaceNames
  syntax: Syntax
  format: string | undefined
  /** How many replies of each message were shown. */
  steps: Map<number, number>
  /** For each message, the index after the last element that was shown. */
  shownElements: Map<number, number>
}

/** The pieces of a message that may also contain a summary and parts of other messages. */
function sharedPieces(
  message: LanguageModelV3Message,
  from: number | undefined,
  cut: PromptCut | undefined,
  tracing: Tracing,
): PreviewPiece[] {
  const at =
    cut === undefined || message.role !== 'user'
      ? -1
      : message.content.findIndex(part => part.type === 'text' && part.text === cut.text)
  if (cut === undefined || message.role !== 'user' || at < 0) return toPieces(message, from, tracing)
  const { sent, place } = tracing
  const pieces = (content: typeof message.content, index: number | undefined): PreviewPiece[] =>
    content.length === 0 ? [] : toPieces({ ...message, content }, index, tracing)
  const element = sent[cut.summaryMessageIndex]?.elements.findLast(({ entry }) =>
    entry.node.attributes.some(({ name, value }) => name === 'part' && value === summaryType),
  )
  return [
    ...pieces(message.content.slice(0, at), cut.taskMessageIndex),
    { text: cut.text, origin: place.element(element) },
    ...pieces(message.content.slice(at + 1), from),
  ]
}

function toPieces(
  message: LanguageModelV3Message,
  from: number | undefined,
  { sent, place, syntax, steps, shownElements, format }: Tracing,
): PreviewPiece[] {
  const source = from === undefined ? undefined : sent[from]
  if (from === undefined) {
    const origin = message.content === format ? "the answer's schema" : `the lesson for the ${syntax.name} syntax`
    return toContentPieces(message, () => origin).map(piece => ({ ...piece, added: true }))
  }
  if (source === undefined) return toContentPieces(message, () => '--input')
  if (source.message.role !== 'assistant') return promptPieces(message, source, place)
  const step = message.role === 'assistant' ? (steps.get(from) ?? 0) : (steps.get(from) ?? 1) - 1
  if (message.role === 'assistant') steps.set(from, step + 1)
  const elements = elementSteps(source)[step] ?? source.elements
  const ids = originalIds(source)
  return toContentPieces(message, sentPart => {
    const part =
      sentPart !== undefined && 'toolCallId' in sentPart
        ? { ...sentPart, toolCallId: ids.get(sentPart.toolCallId)! }
        : sentPart
    const at = findElementIndex(
      source.elements,
      part,
      message.role === 'assistant' ? (shownElements.get(from) ?? 0) : 0,
    )
    if (at >= 0 && message.role === 'assistant') shownElements.set(from, at + 1)
    return place.element(source.elements[at] ?? findElement(elements, message.role, part) ?? source.elements[0])
  })
}

/** The original call ids, by the ids that are sent. */
function originalIds({ message }: ExpandedMessage): Map<string, string> {
  const calls = message.parts.filter(isToolPart).map(part => part.toolInvocation as ToolInvocation)
  return new Map(calls.map(call => [sentId(call), call.toolCallId]))
}

type Element = ExpandedMessage['elements'][number]

/** The elements of each reply: a new one begins with `step`, and after responses. */
function elementSteps({ elements }: ExpandedMessage): Element[][] {
  const steps: Element[][] = []
  let isAnswered = true
  for (const element of elements) {
    const { entry } = element
    const isResponse = entry.type === 'tool-response'
    const part = entry.node.attributes.find(({ name }) => name === 'part')?.value
    if (part === 'end' || part === summaryType) continue
    const begins = entry.node.attributes.some(({ name }) => name === 'step') || (isAnswered && !isResponse)
    if (begins || steps.length === 0) steps.push([])
    steps.at(-1)!.push(element)
    isAnswered = isResponse
  }
  return steps
}

/**
 * The index of a part's element. A call and its response are found by id, because parallel calls may be in any order. A
 * text or reasoning is the next one that wasn't shown. −1 if one element holds a whole reply.
 */
function findElementIndex(elements: readonly Element[], part: SentPart | undefined, from: number): number {
  switch (part?.type) {
    case 'tool-call':
    case 'tool-result': {
      const type = part.type === 'tool-call' ? 'tool-call' : 'tool-response'
      const { toolCallId } = part
      return elements.findIndex(
        ({ entry }) => entry.type === type && 'toolCallId' in entry && entry.toolCallId === toolCallId,
      )
    }
    case 'reasoning':
      return elements.findIndex(({ entry }, index) => index >= from && entry.type === 'reasoning')
    case 'text':
      return elements.findIndex(
        ({ entry }, index) => index >= from && !['reasoning', 'tool-call', 'tool-response'].includes(entry.type),
      )
    default:
      return -1
  }
}

/** For a part without its own element. Falls back to the first element. */
function findElement(elements: readonly Element[], role: string, part: SentPart | undefined): Element | undefined {
  const id = part !== undefined && 'toolCallId' in part ? part.toolCallId : undefined
  const type = part?.type === 'tool-call' ? 'tool-call' : role === 'assistant' ? undefined : 'tool-response'
  const expected = part?.type === 'reasoning' ? 'reasoning' : type
  const fits = ({ entry }: Element): boolean => {
    if (expected === undefined) return part?.type !== 'text' || entry.type !== 'reasoning'
    return entry.type === expected && (id === undefined || !('toolCallId' in entry) || entry.toolCallId === id)
  }
  return elements.find(fits) ?? elements[0]
}

type SentPart = Exclude<LanguageModelV3Message['content'], string>[number]

/** The document's pieces. A system message that is sent differently, because the tools were filled in, is one piece. */
function promptPieces(message: LanguageModelV3Message, source: ExpandedMessage, place: PlaceNames): PreviewPiece[] {
  const documentPieces = ownPieces(source, place)
  const sentText = typeof message.content === 'string' ? message.content : getPartsText(message.content)
  if (
    source.pieces.every(({ type }) => type === 'text') &&
    documentPieces.map(({ text }) => text).join('') === sentText
  )
    return documentPieces
  const isFilled = message.role === 'system'
  const origin = documentPieces[0]?.origin ?? 'the document'
  if (isFilled) return [{ text: sentText, origin: `${origin}, filled with the tools`, added: true }]
  return documentPieces
}

function ownPieces({ pieces }: ExpandedMessage, place: PlaceNames): PreviewPiece[] {
  return pieces.map(piece => {
    const origin = place.describe(piece.origin)
    if (piece.type === 'text') return { text: piece.text, origin }
    return { text: `[${piece.mediaType} ${shorten(piece.url)}]`, origin, isFile: true }
  })
}

function getPartsText(parts: readonly SentPart[]): string {
  return parts.map(part => (part.type === 'text' ? part.text : '')).join('')
}

function describeApproval({ name, effect, subject }: Tool, { rules }: DocumentPlan): PreviewApproval {
  const isCommand = effect === 'exec'
  const decision = rules.describe({ toolName: name, effect, subject: isCommand ? subject?.({}) : undefined })
  return {
    toolName: name,
    decision: decision.decision,
    rules: decision.rules.map(({ kind, text, from }) => `${kind} ${text} (${from})`),
  }
}

function toContentPieces(
  { content }: LanguageModelV3Message,
  getOrigin: (part: SentPart | undefined) => string,
): PreviewPiece[] {
  if (typeof content === 'string') return [{ text: content, origin: getOrigin(undefined) }]
  return content.map(part => {
    return {
      text: getPartText(part),
      origin: getOrigin(part),
      ...defined({ isFile: part.type === 'file' || undefined }),
    }
  })
}

function getPartText(part: SentPart): string {
  if (part.type === 'text' || part.type === 'reasoning') return part.text
  if (part.type === 'tool-call') return `${part.toolName} ${JSON.stringify(part.input)}`
  if (part.type !== 'tool-result') return `[${part.type}]`
  const { output } = part
  const text = 'value' in output && typeof output.value === 'string' ? output.value : JSON.stringify(output)
  return `${part.toolName} → ${text}`
}

class PlaceNames {
  readonly #sources: ReadonlyMap<string | undefined, string>
  readonly #lines: Map<string | undefined, ReturnType<typeof createLineCounter>> = new Map()
  readonly #cwd: string

  constructor(sources: ReadonlyMap<string | undefined, string>, cwd: string) {
    this.#sources = sources
    this.#cwd = cwd
  }

  describe({ file, start, source, by }: Origin): string {
    let lines = this.#lines.get(file)
    if (lines === undefined) {
      lines = createLineCounter(this.#sources.get(file) ?? '')
      this.#lines.set(file, lines)
    }
    const place = `${this.#name(file)}:${lines.position(start).line}`
    if (by === 'param') return `the parameter ${source} (${place})`
    return source === undefined || by === 'text' ? place : `${this.#name(source)} (${place})`
  }

  element(element: Element | undefined): string {
    if (element === undefined) return 'the transcript'
    const { entry, file } = element
    return this.describe({ by: 'text', file, start: entry.node.start, end: entry.node.end, imports: [] })
  }

  #name(file: string | undefined): string {
    if (file === undefined) return 'the document'
    return /^[a-z]+:/.test(file) ? file : relative(this.#cwd, file) || file
  }
}

/** Fetches what the run would fetch. A failed fetch gives a notice and empty content. */
function fetchOrNotice({ fetchFile }: DocumentPlan, notices: string[]): DocumentPlan['fetchFile'] {
  return async (url, signal) => {
    try {
      return await fetchFile(url, signal)
    } catch (error) {
      signal?.throwIfAborted()
      notices.push(`${toMessage(error)} The run would fail there.`)
      return { data: new Uint8Array(), mediaType: 'image/*' }
    }
  }
}

function shorten(url: string): string {
  return url.length > 80 ? `${url.slice(0, 79)}…` : url
}
