import { defined } from '../../source/defined.ts'
import type { ErrorCode } from '../../source/error.ts'
import { isRecord } from '../../source/is-record.ts'
import { toMessage } from '../../source/to-message.ts'
import { checkImportedText } from '../check/check-structure.ts'
import type { ChatDocument, ChatMdEntry, DocumentConfig, ToolDeclaration } from '../document.ts'
import type { ElementRecord } from '../element-record.ts'
import { parseDocument } from '../parse.ts'
import { Problems } from '../problems.ts'
import { attributeValue, hasFlag } from '../reader/attribute.ts'
import {
  type ElementContent,
  type ElementPayload,
  type HelperContent,
  readImportedText,
  type TextContent,
} from '../reader/content.ts'
import { type ElementNode, parseTree } from '../reader/tree.ts'
import { type ElementExtras, parseObject } from '../record.ts'
import { assemble, type ReportMisfit, type ResolvedEntry } from '../transcript.ts'
import { type RecordedEntries, withRecords } from '../with-records.ts'
import type { ExpandedDocument, ExpandedPiece, ExpandOptions, Origin } from './expanded.ts'
import { isEmpty, joinText, shortenSource } from './expanded-text.ts'
import { Filler, type FillMode, getFillMode } from './filler.ts'
import { FrozenPlaces } from './frozen-places.ts'
import type { AgentResult, ResolveKind, ResolveResult } from './resolver.ts'

const IMPORT_DEPTH = 32
const AGENT_DEPTH = 8

/**
 * Returns the messages that a model would see. Reads only through the resolver, and only imports, documents, images and
 * agents in user, system, developer and agent elements, and payload references in tool elements.
 */
export async function expand(document: ChatDocument, options: ExpandOptions): Promise<ExpandedDocument> {
  return new Expander(document, options).run()
}

/** `imports`: the files that led to this one. */
interface OpenFile {
  file: string | undefined
  source: string
  problems: Problems
  imports: readonly string[]
}

interface SourceReference {
  kind: ResolveKind
  src: string
  local: boolean
  node: ElementNode
  openFile: OpenFile
  html?: 'keep' | 'strip' | 'markdown'
}

interface PendingElement {
  entry: Exclude<ChatMdEntry, { type: 'import' }>
  openFile: OpenFile
  isAnswered: boolean
}

class Expander {
  readonly #document: ChatDocument
  readonly #options: ExpandOptions
  readonly #files: OpenFile[] = []
  readonly #tools: ToolDeclaration[] = []
  #config: { config: DocumentConfig; openFile: OpenFile } | undefined
  readonly #frozen: FrozenPlaces
  #filler: Filler
  readonly #waiting: PendingElement[] = []
  readonly #recorded: RecordedEntries
  readonly #entries: { resolved: ResolvedEntry; pieces: ExpandedPiece[]; openFile: OpenFile }[] = []
  #sources = 0
  #characters = 0
  /** After a limit is reached, nothing more is read. This is reported once. */
  #exhausted = false

  constructor(document: ChatDocument, options: ExpandOptions) {
    this.#document = document
    this.#options = options
    this.#recorded = withRecords(document, options.records)
    this.#frozen = new FrozenPlaces(options.frozen, document.file)
    this.#filler = new Filler(undefined, new Map(), this.#frozen)
  }

  async run(): Promise<ExpandedDocument> {
    const { file, tree } = this.#document
    await this.#elements(this.#document, this.#addFile(file, tree.source, []))
    const values = await this.#options.params?.(this.#config?.config.params ?? [])
    this.#filler = new Filler(this.#config, values ?? new Map(), this.#frozen)
    for (const { entry, openFile, isAnswered } of this.#waiting) {
      this.#frozen.isAnswered = isAnswered
      await this.#entry(entry, openFile)
    }
    if (!this.#files.some(({ problems }) => problems.hasErrors)) this.#filler.reportUnused()
    const filesByEntry = new Map(this.#entries.map(one => [one.resolved.entry, one.openFile]))
    const report: ReportMisfit = (code, entry, message, cure) => {
      if (!this.#isKnownToChecker(code, entry, filesByEntry.get(entry))) {
        filesByEntry.get(entry)?.problems.warn(code, entry.node.start, entry.node.openEnd, message, cure)
      }
    }
    const assembled = assemble(
      this.#entries.map(one => one.resolved),
      report,
    )
    const messages = assembled.map(({ message, entryNumbers }) => ({
      message,
      pieces: entryNumbers.flatMap(index => this.#entries[index]!.pieces),
      sent: true,
      elements: entryNumbers.map(index => ({
        entry: this.#entries[index]!.resolved.entry,
        file: this.#entries[index]!.openFile.file,
      })),
    }))
    const last = messages.at(-1)
    const waits = last?.pieces.some(({ origin }) => origin.pending === true) === true
    if (last?.message.role === 'user' && isEmpty(last.message) && !waits) last.sent = false
    return {
      ...defined({ config: this.#config?.config, configFile: this.#config?.openFile.file }),
      tools: this.#tools,
      messages,
      diagnostics: this.#files.flatMap(({ problems, source, file: name }) => problems.diagnostics(source, name)),
      sources: new Map(this.#files.map(openFile => [openFile.file, openFile.source])),
    }
  }

  /** Problems that `checkChatMd` finds in the document alone are not reported again. */
  #isKnownToChecker(code: ErrorCode, entry: ResolvedEntry['entry'], openFile: OpenFile | undefined): boolean {
    if (openFile === undefined || openFile.imports.length > 0) return false
    if (code === 'CHATMD_RESPONSE_WITHOUT_CALL') return !this.#document.entries.some(one => one.type === 'import')
    return !('payload' in entry) || entry.payload.type === 'text'
  }

  #addFile(file: string | undefined, source: string, imports: readonly string[]): OpenFile {
    const openFile = { file, source, problems: new Problems(), imports }
    this.#files.push(openFile)
    return openFile
  }

  /** A top-level import is replaced with its elements. */
  async #elements(document: ChatDocument, openFile: OpenFile): Promise<void> {
    const { config, tools } = document
    const entries = document === this.#document ? this.#recorded.entries : document.entries
    const declared = [...tools]
    const answers = openFile.imports.length > 0 ? -1 : entries.findLastIndex(isAnswer)
    for (const [index, entry] of entries.entries()) {
      if (openFile.imports.length === 0) this.#frozen.isAnswered = index < answers
      while (declared[0] !== undefined && declared[0].node.start < entry.node.start) this.#tools.push(declared.shift()!)
      if (config !== undefined && config.node.start < entry.node.start) this.#config ??= { config, openFile }
      if (entry.type === 'import') await this.#importElements(entry.src, entry.node, openFile)
      else this.#waiting.push({ entry, openFile, isAnswered: this.#frozen.isAnswered })
    }
    this.#tools.push(...declared)
    if (config !== undefined) this.#config ??= { config, openFile }
  }

  async #importElements(src: string, node: ElementNode, openFile: OpenFile): Promise<void> {
    const resolved = await this.#import(src, node, openFile)
    if (resolved === undefined) return
    if (isPlainText(src, resolved.file)) {
      const message = `\`${shortenSource(src)}\` is plain text, and text must be inside a message.`
      this.#error('CHATMD_TEXT_AT_TOP', node, openFile, message, 'Import it inside `<system>…</system>`.')
      return
    }
    const inner = this.#addFile(resolved.file, resolved.text, [...openFile.imports, resolved.file])
    await this.#elements(parseDocument(resolved.text, inner.problems, resolved.file), inner)
  }

  async #entry(candidate: Exclude<ChatMdEntry, { type: 'import' }>, openFile: OpenFile): Promise<void> {
    const payload =
      'payload' in candidate ? await this.#payload(candidate.payload, candidate.node, openFile) : undefined
    const recorded = this.#recorded.records.get(candidate)
    const isRecordValid = recorded !== undefined && this.#isUnchanged(recorded.record, payload)
    const entry = isRecordValid || recorded === undefined ? candidate : (recorded.plain as typeof candidate)
    const extras = isRecordValid ? recorded.record : await this.#extras(entry.node, openFile)
    if (entry.type === 'reasoning') {
      this.#entries.push({ resolved: { entry, extras }, pieces: [], openFile })
    } else if (entry.type === 'message') {
      const pieces = await this.#pieces(entry.content, openFile, getFillMode(entry.role))
      this.#entries.push({ resolved: { entry, parts: pieces, extras }, pieces, openFile })
    } else {
      const text = payload?.type === 'text' ? payload.text : undefined
      const pieces = payload === undefined ? [] : [payload]
      this.#entries.push({ resolved: { entry, payload: text, extras }, pieces, openFile })
    }
  }

  /** A person may have changed the payload's file. */
  #isUnchanged({ payload: hash }: ElementRecord, payload: ExpandedPiece | undefined): boolean {
    if (hash === undefined) return true
    return payload?.type === 'text' && this.#options.records?.hash(payload.text) === hash
  }

  async #pieces(content: readonly ElementContent[], openFile: OpenFile, fillMode: FillMode): Promise<ExpandedPiece[]> {
    const pieces: ExpandedPiece[] = []
    for (const one of content) {
      if (one.type !== 'text') for (const piece of await this.#helper(one, openFile, fillMode)) pieces.push(piece)
      else if (one.form === 'text' && fillMode !== 'none' && one.text.includes('{{'))
        for (const piece of await this.#fillText(one, openFile, fillMode)) pieces.push(piece)
      else {
        const { form, text, start, end } = one
        pieces.push({ type: 'text', text, origin: this.#origin(form, { start, end }, openFile) })
      }
    }
    return pieces
  }

  async #fillText({ text, start }: TextContent, openFile: OpenFile, fillMode: FillMode): Promise<ExpandedPiece[]> {
    const parts = await this.#filler.fill(text, start, openFile)
    return parts.map(({ text: piece, start: from, end: to, name, isValue }) => {
      const at = { start: start + from, end: start + to }
      if (!isValue) return { type: 'text', text: piece, origin: this.#origin('text', at, openFile) }
      const origin = this.#origin('param', at, openFile, name)
      return { type: 'text', text: piece, ...defined({ literal: fillMode === 'literal' || undefined }), origin }
    })
  }

  #origin(
    by: Origin['by'],
    { start, end }: { start: number; end: number },
    openFile: OpenFile,
    source?: string,
  ): Origin {
    return { by, file: openFile.file, start, end, imports: openFile.imports, ...defined({ source }) }
  }

  async #helper(helper: HelperContent, openFile: OpenFile, fillMode: FillMode): Promise<ExpandedPiece[]> {
    if (helper.src === '') return []
    switch (helper.type) {
      case 'import':
        return this.#importContent(helper, openFile, fillMode)
      case 'doc': {
        const html = helper.strip ? 'strip' : helper.markdown ? 'markdown' : 'keep'
        const resolved = await this.#text({
          kind: 'doc',
          src: helper.src,
          local: helper.local,
          node: helper.node,
          openFile,
          html,
        })
        if (resolved === undefined) return []
        return [
          { type: 'text', text: resolved.text, origin: this.#origin('doc', helper.node, openFile, resolved.file) },
        ]
      }
      case 'img':
        return this.#image(helper, openFile)
      case 'agent':
        return this.#agent(helper, openFile)
    }
  }

  async #importContent({ src, node }: HelperContent, openFile: OpenFile, fillMode: FillMode): Promise<ExpandedPiece[]> {
    const resolved = await this.#import(src, node, openFile)
    if (resolved === undefined) return []
    if (isPlainText(src, resolved.file))
      return [{ type: 'text', text: resolved.text, origin: this.#origin('doc', node, openFile, resolved.file) }]
    const inner = this.#addFile(resolved.file, resolved.text, [...openFile.imports, resolved.file])
    const tree = parseTree(resolved.text, inner.problems)
    checkImportedText(inner.problems, tree)
    return this.#pieces(readImportedText(tree), inner, fillMode)
  }

  /** Undefined for one of the files that led here. */
  async #import(
    src: string,
    node: ElementNode,
    openFile: OpenFile,
  ): Promise<{ text: string; file: string } | undefined> {
    if (src === '') return undefined
    const chain = [this.#document.file ?? 'the document', ...openFile.imports]
    if (openFile.imports.length >= IMPORT_DEPTH) {
      const message = `Imports are nested more than ${IMPORT_DEPTH} deep: ${[...chain, src].join(' → ')}.`
      this.#error('CHATMD_IMPORT_TOO_DEEP', node, openFile, message, 'Import fewer levels.')
      return undefined
    }
    const resolved = await this.#text({ kind: 'import', src, local: true, node, openFile })
    if (resolved === undefined) return undefined
    if (chain.includes(resolved.file)) {
      const message = `The import is circular: ${[...chain, resolved.file].join(' → ')}.`
      this.#error('CHATMD_IMPORT_CYCLE', node, openFile, message, 'Remove one of these imports.')
      return undefined
    }
    return resolved
  }

  async #image({ src, local, node }: HelperContent, openFile: OpenFile): Promise<ExpandedPiece[]> {
    const filename = attributeValue(node.attributes, 'filename')
    const declaredType = attributeValue(node.attributes, 'media_type')
    const shared = { type: 'file', ...defined({ filename }) } as const
    if (!local && src.startsWith('data:')) {
      const mediaType = declaredType ?? (/^data:([^;,]*)/.exec(src)?.[1] || 'text/plain')
      return [{ ...shared, url: src, mediaType, origin: this.#origin('img', node, openFile) }]
    }
    const resolved = await this.#resolve({ kind: 'img', src, local, node, openFile })
    if (resolved === undefined) return []
    if (!('url' in resolved)) {
      this.#error(
        'CHATMD_NOT_RESOLVED',
        node,
        openFile,
        `\`${shortenSource(src)}\` is not an image.`,
        'Use `<doc>` for text.',
      )
      return []
    }
    const { url, mediaType, file } = resolved
    return [{ ...shared, url, mediaType: declaredType ?? mediaType, origin: this.#origin('img', node, openFile, file) }]
  }

  async #agent(helper: HelperContent, openFile: OpenFile): Promise<ExpandedPiece[]> {
    const { src, local, node } = helper
    // Always read: places after the agent are identified by the places before them.
    const input = await this.#pieces(helper.content, openFile, 'plain')
    const where = this.#frozen.next({ kind: 'answer', src, local, html: 'keep' }, node, openFile.file)
    const frozen = await this.#frozen.recall(where, hasFlag(node.attributes, 'live'))
    if (frozen !== undefined && 'text' in frozen)
      return [{ type: 'text', text: frozen.text, origin: this.#origin('agent', node, openFile, frozen.file) }]
    const pieces = await this.#askAgent(helper, input, openFile)
    const [answer] = pieces
    if (answer?.type === 'text' && answer.origin.pending !== true)
      this.#frozen.keep(where, { ok: true, text: answer.text, file: answer.origin.source ?? src })
    return pieces
  }

  async #askAgent(
    { src, local, node }: HelperContent,
    input: ExpandedPiece[],
    openFile: OpenFile,
  ): Promise<ExpandedPiece[]> {
    const resolved = await this.#text({ kind: 'agent', src, local, node, openFile })
    if (resolved === undefined) return []
    const running = this.#options.agents ?? [this.#document.file ?? 'the document']
    const chain = [...running, resolved.file]
    if (running.includes(resolved.file)) {
      const message = `The agent ends up calling itself: ${chain.join(' → ')}.`
      this.#error('CHATMD_AGENT_CYCLE', node, openFile, message, 'Remove one of these agents.')
      return []
    }
    if (running.length > AGENT_DEPTH) {
      const message = `Agents are nested more than ${AGENT_DEPTH} deep: ${chain.join(' → ')}.`
      this.#error('CHATMD_AGENT_TOO_DEEP', node, openFile, message, 'Nest fewer agents.')
      return []
    }
    const origin = this.#origin('agent', node, openFile, resolved.file)
    const { runAgent, signal } = this.#options
    if (runAgent === undefined) return [{ type: 'text', text: '', origin: { ...origin, pending: true } }]
    let result: AgentResult
    try {
      const request = { file: resolved.file, source: resolved.text, local, input: joinText(input), agents: chain }
      result = await runAgent(signal === undefined ? request : { ...request, signal })
    } catch (error) {
      signal?.throwIfAborted()
      const message = `The agent \`${shortenSource(src)}\` failed: ${toMessage(error)}`
      result = { ok: false, problem: { code: 'CHATMD_AGENT_FAILED', message } }
    }
    if (result.ok)
      return [{ type: 'text', text: result.text, origin: { ...origin, ...defined({ pending: result.pending }) } }]
    const { code, message, cure } = result.problem
    this.#error(code, node, openFile, message, cure)
    return []
  }

  async #payload(payload: ElementPayload, node: ElementNode, openFile: OpenFile): Promise<ExpandedPiece | undefined> {
    if (payload.type === 'none') return undefined
    if (payload.type === 'text')
      return { type: 'text', text: payload.text, origin: this.#origin('text', node, openFile) }
    const resolved = await this.#text({ kind: 'payload', src: payload.src, local: true, node: payload.node, openFile })
    if (resolved === undefined) return undefined
    return { type: 'text', text: resolved.text, origin: this.#origin('payload', payload.node, openFile, resolved.file) }
  }

  /** `meta` and `argot`, from the attributes or from the file that `meta_src` names. */
  async #extras(node: ElementNode, openFile: OpenFile): Promise<ElementExtras> {
    const src = attributeValue(node.attributes, 'meta_src')
    let meta: unknown
    let argot: unknown
    if (src) {
      const resolved = await this.#text({ kind: 'meta', src, local: true, node, openFile })
      const both = parseObject(resolved?.text)
      meta = both?.meta
      argot = both?.argot
    } else {
      meta = parseObject(attributeValue(node.attributes, 'meta'))
      argot = parseObject(attributeValue(node.attributes, 'argot'))
    }
    return {
      ...defined({
        meta: isRecord(meta) ? (meta as Record<string, Record<string, unknown>>) : undefined,
        argot: isRecord(argot) ? argot : undefined,
      }),
    }
  }

  async #text(source: SourceReference): Promise<{ text: string; file: string } | undefined> {
    const { src, node, openFile } = source
    const resolved = await this.#resolve(source)
    if (resolved === undefined) return undefined
    if ('text' in resolved) return resolved
    this.#error(
      'CHATMD_NOT_RESOLVED',
      node,
      openFile,
      `\`${shortenSource(src)}\` is not text.`,
      'Use `<img>` for images.',
    )
    return undefined
  }

  async #resolve(source: SourceReference): Promise<Extract<ResolveResult, { ok: true }> | undefined> {
    const { kind, src, local, node, openFile, html = 'keep' } = source
    const { resolver, signal, limits } = this.#options
    signal?.throwIfAborted()
    const isCounted = kind !== 'payload' && kind !== 'meta'
    if (isCounted && this.#sources++ >= (limits?.sources ?? 1000))
      return this.#tooMuch(node, openFile, 'sources are read')
    const where = isCounted ? this.#frozen.next({ kind, src, local, html }, node, openFile.file) : undefined
    const frozen = where && (await this.#frozen.recall(where, hasFlag(node.attributes, 'live')))
    if (frozen !== undefined) return frozen
    let result: ResolveResult
    try {
      const { file } = this.#document
      const request = { kind, src, local, html, from: openFile.file, document: file }
      result = await resolver.resolve(signal === undefined ? request : { ...request, signal })
    } catch (error) {
      signal?.throwIfAborted()
      const message = `\`${shortenSource(src)}\` cannot be read: ${toMessage(error)}`
      result = { ok: false, problem: { code: 'CHATMD_NOT_RESOLVED', message } }
    }
    if (!result.ok) {
      const { code, message, severity, cure } = result.problem
      this.#error(code, node, openFile, message, cure, severity)
      return undefined
    }
    if (isCounted) this.#characters += 'text' in result ? result.text.length : result.url.length
    if (this.#characters > (limits?.characters ?? 64 * 1024 * 1024))
      return this.#tooMuch(node, openFile, 'characters are read')
    if (where !== undefined) this.#frozen.keep(where, result)
    return result
  }

  #tooMuch(node: ElementNode, openFile: OpenFile, what: string): undefined {
    if (this.#exhausted) return undefined
    this.#exhausted = true
    this.#error('CHATMD_TOO_MUCH_EXPANDED', node, openFile, `Too many ${what}.`, 'Import or insert less.')
    return undefined
  }

  #error(
    code: ErrorCode,
    node: ElementNode,
    openFile: OpenFile,
    message: string,
    cure?: string,
    severity = 'error',
  ): void {
    if (severity === 'error') openFile.problems.error(code, node.start, node.openEnd, message, cure)
    else openFile.problems.warn(code, node.start, node.openEnd, message, cure)
  }
}

/** `AGENTS.md` is written for every agent, not for this language: a tag in it is text. */
function isPlainText(...names: readonly string[]): boolean {
  return names.some(name => /(?:^|[\\/])agents\.md$/i.test(name))
}

function isAnswer(entry: ChatMdEntry): boolean {
  return entry.type === 'message' ? entry.role === 'assistant' : entry.type !== 'import'
}
