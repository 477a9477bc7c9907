import { realpath } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import type { LanguageModelV3, LanguageModelV3Message } from '@ai-sdk/provider'
import { ArgotError, countLines, type Message } from 'argot'
import { buildPrompt } from 'argot/ai-sdk'
import { type ExpandedMessage, type Origin, parseChatMd } from 'argot/chatmd'
import { fillPrompt, native } from 'argot/syntax'
import { readDocumentText } from '../files/document-file.ts'
import type { Model } from '../model/model.ts'
import type { Tool } from '../tool/tool.ts'
import { BadDocument } from './bad-document.ts'
import { type Prepared, prepareDocument } from './prepare-document.ts'
import type { Preview, PreviewApproval, PreviewMessage, PreviewPiece } from './preview.ts'
import type { RunOptions } from './run-options.ts'

/**
 * What the model would see if the document were run now, piece by piece with its origin. Starts nothing: no model, no
 * tool, no sub-agent; asks nobody; and changes no file. A document with errors gives its diagnostics.
 */
export async function previewDocument(path: string, options: RunOptions = {}): Promise<Preview> {
  const { cwd = process.cwd() } = options
  const file = await realpath(resolve(cwd, path))
  const read = await readDocumentText(file)
  if (!read.ok) throw new ArgotError(read.problem.code, read.problem.message)
  const source = { file, text: read.text }
  const notices: string[] = []
  try {
    const prepared = await prepare(source, options, notices)
    const { tools } = await prepared.openTools(text => void notices.push(text))
    return await show(prepared, tools, { cwd, notices, options })
  } catch (error) {
    if (!(error instanceof BadDocument)) throw error
    const { document, diagnostics } = parseChatMd(read.text, { file })
    const sources = new Map([[file, read.text] as [string | undefined, string]])
    const model = document.config?.model ?? ''
    const all = error.diagnostics.length === 0 ? diagnostics : [...error.diagnostics]
    return { model, syntax: '', tools: [], messages: [], diagnostics: all, sources, notices }
  }
}

/** A model that cannot be reached from here is still named: what it would see does not depend on its key. */
async function prepare(
  source: { file: string; text: string },
  options: RunOptions,
  notices: string[],
): Promise<Prepared> {
  const shared = { ...options, listOnly: true }
  try {
    const prepared = await prepareDocument(source, shared)
    notices.push(...prepared.notices)
    return prepared
  } catch (error) {
    if (!(error instanceof ArgotError) || !error.code.startsWith('MODEL_')) throw error
    notices.push(error.message)
    const name = typeof options.model === 'string' ? options.model : parseChatMd(source.text).document.config?.model
    return prepareDocument(source, { ...shared, model: absentModel(name ?? 'unknown') })
  }
}

function absentModel(name: string): Model {
  const language: LanguageModelV3 = {
    ...{ specificationVersion: 'v3', provider: 'absent', modelId: name, supportedUrls: { '*/*': [/.*/] } },
    doGenerate: () => Promise.reject(new Error(`${name} is not available.`)),
    doStream: () => Promise.reject(new Error(`${name} is not available.`)),
  }
  return { name, language, nativeTools: true, settings: () => ({}) }
}

interface ShowOptions {
  cwd: string
  notices: string[]
  options: RunOptions
}

async function show(prepared: Prepared, tools: ReadonlyMap<string, Tool>, context: ShowOptions): Promise<Preview> {
  const { cwd, notices, options } = context
  const { expanded, model, syntax, diagnostics } = prepared
  const definitions = [...tools.values()].map(({ name, description, inputSchema, effect }) => ({
    ...{ name, inputSchema, effect },
    ...(description === undefined ? {} : { description }),
  }))
  const place = new Places(expanded.sources, cwd)
  const sent = expanded.messages.filter(one => one.sent).map(one => one.message)
  const promptOptions = { syntax, tools: definitions, language: model.language, fetchFile: keepAddress }
  const { added } = await buildPrompt(sent, promptOptions)
  const messages: PreviewMessage[] = []
  if (added !== undefined) {
    const origin = `the lesson of the syntax ${syntax.name}`
    messages.push({ role: 'system', pieces: [{ text: added, origin, added: true }], sent: true })
  }
  const fill = (text: string): string => {
    if (!/\{\{\s*(?:syntax|tools)\s*\}\}/.test(text)) return text
    const teaches = syntax !== native && definitions.length > 0
    return teaches ? fillPrompt(text, syntax, definitions) : text.replaceAll(/\{\{\s*(?:syntax|tools)\s*\}\}/g, '')
  }
  for (const one of expanded.messages) {
    const { role } = one.message
    if (role === 'assistant') {
      const { prompt } = await buildPrompt([one.message, turn], { ...promptOptions, tools: [...definitions] })
      const own = prompt.slice(added === undefined ? 0 : 1, -1)
      const origin = one.pieces[0] === undefined ? 'the transcript' : place.say(one.pieces[0].origin)
      messages.push(...own.map(message => ({ role: message.role, pieces: contentOf(message, origin), sent: one.sent })))
    } else {
      const isSystem = role === 'system' || role === 'developer'
      messages.push({ role, pieces: promptPieces(one, place, isSystem ? fill : undefined), sent: one.sent })
    }
  }
  if (options.input !== undefined) {
    messages.push({ role: 'user', pieces: [{ text: options.input, origin: '--input' }], sent: true })
  }
  const { sources } = expanded
  const approvals = [...tools.values()].map(tool => describeApproval(tool, prepared))
  return {
    model: model.name,
    syntax: syntax.name,
    tools: definitions,
    approvals,
    messages,
    diagnostics,
    sources,
    notices,
  }
}

function describeApproval({ name, effect, subject }: Tool, { rules }: Prepared): PreviewApproval {
  const isCommand = effect === 'exec'
  const found = rules.describe({ toolName: name, effect, subject: isCommand ? subject?.({}) : undefined })
  return {
    toolName: name,
    decision: found.decision,
    rules: found.rules.map(({ kind, text, from }) => `${kind} ${text} (${from})`),
  }
}

function promptPieces(
  { pieces }: ExpandedMessage,
  place: Places,
  fill: ((text: string) => string) | undefined,
): PreviewPiece[] {
  return pieces.map(piece => {
    const origin = place.say(piece.origin)
    if (piece.type !== 'text') return { text: `[${piece.mediaType} ${shorten(piece.url)}]`, origin }
    const text = fill?.(piece.text) ?? piece.text
    if (text !== piece.text) return { text, origin: `${origin}, filled with the tools`, added: true }
    return { text: piece.origin.pending === true ? '[the answer of this agent]' : text, origin }
  })
}

function contentOf({ content }: LanguageModelV3Message, origin: string): PreviewPiece[] {
  if (typeof content === 'string') return [{ text: content, origin }]
  return content.map(part => {
    if (part.type === 'text' || part.type === 'reasoning') return { text: part.text, origin }
    if (part.type === 'tool-call') return { text: `${part.toolName} ${JSON.stringify(part.input)}`, origin }
    if (part.type === 'tool-result') {
      const { output } = part
      const text = 'value' in output && typeof output.value === 'string' ? output.value : JSON.stringify(output)
      return { text: `${part.toolName} → ${text}`, origin }
    }
    return { text: `[${part.type}]`, origin }
  })
}

/** Says where a piece comes from. */
class Places {
  readonly #sources: ReadonlyMap<string | undefined, string>
  readonly #lines: Map<string | undefined, ReturnType<typeof countLines>> = new Map()
  readonly #cwd: string

  constructor(sources: ReadonlyMap<string | undefined, string>, cwd: string) {
    this.#sources = sources
    this.#cwd = cwd
  }

  say({ file, start, source, by }: Origin): string {
    let lines = this.#lines.get(file)
    if (lines === undefined) {
      lines = countLines(this.#sources.get(file) ?? '')
      this.#lines.set(file, lines)
    }
    const place = `${this.#name(file)}:${lines.position(start).line}`
    return source === undefined || by === 'text' ? place : `${this.#name(source)} (${place})`
  }

  #name(file: string | undefined): string {
    if (file === undefined) return 'the document'
    return /^[a-z]+:/.test(file) ? file : relative(this.#cwd, file) || file
  }
}

/** A message behind another one, so that nothing of that one counts as the end of the conversation. */
const turn: Message = {
  ...{ id: 'turn', role: 'user', status: 'sent' },
  parts: [{ type: 'text', id: 'turn:0', text: '.', state: 'done' }],
}

function keepAddress(): Promise<{ data: Uint8Array; mediaType: string }> {
  return Promise.resolve({ data: new Uint8Array(), mediaType: 'image/png' })
}

function shorten(url: string): string {
  return url.length > 80 ? `${url.slice(0, 79)}…` : url
}
