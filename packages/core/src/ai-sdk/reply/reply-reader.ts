import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import type { FinishReason } from '../../message/message.ts'
import { withoutArgotMetadata } from '../../message/own-metadata.ts'
import type { ToolDefinition } from '../../message/tool-definition.ts'
import type { ProviderMetadata } from '../../message/tool-invocation.ts'
import { defined } from '../../source/defined.ts'
import { ArgotError } from '../../source/error.ts'
import { type Chunk, finishReasons, withArgotMetadata } from '../../stream/chunk.ts'
import type { CallLimit, ParserOptions, Syntax, SyntaxDiagnostic, SyntaxParser } from '../../syntax/syntax.ts'
import { explainStop, type ReplyCut, refuseCutCalls } from './cut-calls.ts'
import { mergeMetadata } from './merge-metadata.ts'
import { NativeCalls } from './native-calls.ts'
import { fileChunk, sourceChunk, warningText } from './plain-chunks.ts'
import { ReasoningField } from './reasoning-field.ts'
import { toUsage, type Usage } from './usage.ts'

export interface ReplyReaderOptions {
  syntax: Syntax
  tools: readonly ToolDefinition[]
  /** The number of the model call in the run, which is in every id made here. */
  step: number
  limit?: CallLimit | undefined
  readOnly?: ((toolName: string) => boolean) | undefined
  /** Makes the id of a call that is read from text and has none; `tool-STEP-N` by default. */
  nextId?: ((toolName: string) => string) | undefined
  /** With native calls: reads the text in this syntax, for models that leak a dialect into their text. */
  salvage?: Syntax | undefined
  /** How to treat calls in text whose tool is not in `tools`; a call by default. */
  unknownTools?: ParserOptions['unknownTools']
  /** The server's stop texts: a call that ends at one was cut. */
  stop?: readonly string[] | undefined
  /** How to treat calls in reasoning that is open at the end; with `open`, the default, they are calls. */
  reasoningCalls?: ParserOptions['reasoningCalls']
}

export interface ReplyFinish {
  reason: FinishReason
  raw?: string
  usage?: Usage
  providerMetadata?: ProviderMetadata
}

interface OpenPart {
  id: string
  metadata: ProviderMetadata | undefined
}

/**
 * Reads the reply of one model call: takes parts of a provider's stream and returns chunks for text, reasoning, calls,
 * sources and files. It makes its own text ids (`text-STEP-N`); native calls keep the provider's ids. Synchronous and
 * linear; no reply makes it throw.
 *
 * In a text syntax, and when looking for leaked calls, all text of the reply is read as one, with a line break between
 * two text parts that have none. Otherwise each text part is read separately, and anything that follows ends it. If a
 * model writes the result of its own call, that is dropped.
 *
 * Reasoning parts from the provider are open until something follows. If the reply ends with open reasoning, and that
 * ends with calls of known tools, these are calls. Reasoning with provider metadata, such as a signature, stays
 * unchanged.
 */
export class ReplyReader {
  readonly warnings: string[] = []
  /** Once the text has ended: text that looked like a call but wasn't. */
  readonly diagnostics: SyntaxDiagnostic[] = []
  readonly #options: ReplyReaderOptions
  readonly #joined: boolean
  readonly #syntax: Syntax
  readonly #calls: NativeCalls = new NativeCalls()
  #parser: SyntaxParser | undefined
  #textPart: { id: string; metadata: ProviderMetadata | undefined } | undefined
  #open: (OpenPart & { type: 'text' | 'reasoning' }) | undefined
  readonly #reasoning: Map<string, OpenPart> = new Map()
  /** Reasoning in which calls may be held, until something follows it. */
  #field: ReasoningField | undefined
  #hasAnswerBegun = false
  #endsInsideLine = false
  #isTextPartNew = false
  #partCount = 0
  readonly #isSalvaging: boolean
  #salvaged = 0
  #ended = false
  #stopped = false
  #finish: ReplyFinish | undefined
  #error: unknown

  constructor(options: ReplyReaderOptions) {
    this.#options = options
    const isNative = options.syntax.kind === 'native'
    this.#isSalvaging = isNative && options.salvage !== undefined
    // One parser for all text: its limit applies to the whole reply.
    this.#joined = !isNative || this.#isSalvaging
    this.#syntax = (isNative ? options.salvage : undefined) ?? options.syntax
  }

  /** Calls that were read from the text although the model has native calls. */
  get salvaged(): number {
    return this.#salvaged
  }

  /** The call limit was reached: the provider's stream can be cancelled, and further text is only stored. */
  get stopped(): boolean {
    return this.#stopped
  }

  /** Undefined until the provider has finished: a stream that ends without it is broken. */
  get finish(): ReplyFinish | undefined {
    return this.#finish
  }

  /** The error of the first `error` part. */
  get error(): unknown {
    return this.#error
  }

  push(part: LanguageModelV3StreamPart): Chunk[] {
    if (this.#ended) {
      throw new ArgotError('SYNTAX_PARSER_ENDED', 'The step has ended. Create a new reader for the next one.')
    }
    return this.#read(withoutArgotFields(part))
  }

  #read(part: LanguageModelV3StreamPart): Chunk[] {
    switch (part.type) {
      case 'text-delta':
        return this.#text(part)
      case 'text-start':
        return this.#startText(part.id, part.providerMetadata)
      case 'text-end':
        return this.#endText(part)
      case 'reasoning-start':
        return [...this.#closeField(), ...this.#interrupt(), this.#startReasoning(part.id, part.providerMetadata)]
      case 'reasoning-delta':
        return this.#reason(part)
      case 'reasoning-end':
        return this.#endReasoning(part)
      case 'tool-input-start':
        return [...this.#beginAnswer(), ...this.#interrupt(), this.#calls.start(part)]
      case 'tool-input-delta':
        return [this.#calls.delta(part)]
      case 'tool-input-end':
        this.#calls.noteMetadata(part)
        return []
      case 'tool-call':
        return [...this.#beginAnswer(), ...this.#interrupt(), ...this.#calls.call(part)]
      case 'tool-result':
        return [this.#calls.result(part)]
      case 'source':
        return [sourceChunk(part)]
      case 'file':
        return [...this.#beginAnswer(), ...this.#interrupt(), fileChunk(part)]
      case 'tool-approval-request':
        this.warnings.push(
          "The provider requests approval for a tool that it runs itself. Argot doesn't answer such requests.",
        )
        return []
      case 'stream-start':
        for (const warning of part.warnings) this.warnings.push(warningText(warning))
        return []
      case 'finish':
        this.#finish = {
          reason: finishReasons.includes(part.finishReason.unified) ? part.finishReason.unified : 'other',
          usage: toUsage(part.usage),
          ...defined({ raw: part.finishReason.raw, providerMetadata: part.providerMetadata }),
        }
        return []
      case 'error':
        this.#error ??= part.error
        return []
      default:
        return []
    }
  }

  /**
   * Settles everything open. Call it once, after the last part: how the model call finished decides what is complete.
   */
  end(): Chunk[] {
    if (this.#ended) return []
    this.#ended = true
    const broken = this.#finish === undefined && !this.#stopped
    const cut = this.#cut()
    const chunks = [...this.#endParser(cut), ...this.#endField(cut)]
    for (const part of this.#reasoning.values()) chunks.push(endChunk('reasoning', part))
    this.#reasoning.clear()
    chunks.push(...this.#calls.endUnreadable(cut))
    if (this.#finish !== undefined) chunks.push(...this.#calls.end(cut))
    if (!broken && cut !== 'content-filter') return chunks
    return chunks.map(chunk => (chunk.type === 'text-end' || chunk.type === 'reasoning-end' ? asAborted(chunk) : chunk))
  }

  /** Why the model did not stop by itself: calls that the end of the text would complete may be incomplete. */
  #cut(): ReplyCut | undefined {
    if (this.#stopped) return undefined
    const reason = this.#finish?.reason
    if (reason === 'length' || reason === 'content-filter') return reason
    return reason === undefined || reason === 'error' ? 'broken' : undefined
  }

  #startText(id: string, metadata: ProviderMetadata | undefined): Chunk[] {
    const chunks = this.#joined ? [] : this.#endParser()
    this.#textPart = { id, metadata: this.#joined ? withoutPhase(metadata) : metadata }
    this.#isTextPartNew = true
    return chunks
  }

  #text(part: Extract<LanguageModelV3StreamPart, { type: 'text-delta' }>): Chunk[] {
    const { delta, providerMetadata } = part
    if (this.#textPart?.id !== part.id) {
      const chunks = this.#startText(part.id, undefined)
      return [...chunks, ...this.#text(part)]
    }
    let before: Chunk[] | undefined
    if (this.#isTextPartNew && delta !== '') before = this.#beginText()
    if (providerMetadata !== undefined) this.#noteMetadata(providerMetadata)
    if (delta === '') return before ?? []
    this.#endsInsideLine = delta.charCodeAt(delta.length - 1) !== 10
    this.#parser ??= this.#syntax.parser(this.#parserOptions())
    const field = this.#hasAnswerBegun || !/\S/.test(delta) ? [] : this.#beginAnswer()
    const chunks = this.#rename(this.#parser.push(delta))
    this.#stopped = this.#parser.stopped
    if (providerMetadata !== undefined) this.#attach(chunks)
    if (field.length > 0) return [...field, ...(before ?? []), ...chunks]
    return before === undefined || before.length === 0 ? chunks : [...before, ...chunks]
  }

  /** Anything that the parser still has open belongs to the previous text part. */
  #beginText(): Chunk[] {
    this.#isTextPartNew = false
    if (!this.#joined || this.#parser === undefined) return []
    const chunks = this.#endsInsideLine ? this.#rename(this.#parser.push('\n')) : []
    return this.#open?.type === 'text' ? [...chunks, this.#close()] : chunks
  }

  #noteMetadata(metadata: ProviderMetadata | undefined): void {
    const fields = this.#joined ? withoutPhase(metadata) : metadata
    if (this.#textPart !== undefined) this.#textPart.metadata = mergeMetadata(this.#textPart.metadata, fields)
    if (this.#open?.type === 'text') this.#open.metadata = mergeMetadata(this.#open.metadata, fields)
  }

  /** Readers replace metadata with later metadata, so a delta carries everything known. */
  #attach(chunks: Chunk[]): void {
    const index = chunks.findIndex(chunk => chunk.type === 'text-delta')
    const delta = chunks[index]
    const { metadata } = this.#open ?? {}
    if (delta?.type === 'text-delta' && delta.id === this.#open?.id && metadata !== undefined) {
      chunks[index] = { ...delta, providerMetadata: metadata }
    }
  }

  #endText(part: Extract<LanguageModelV3StreamPart, { type: 'text-end' }>): Chunk[] {
    if (this.#textPart?.id !== part.id) return []
    this.#noteMetadata(part.providerMetadata)
    const empty = this.#isTextPartNew ? this.#textPart.metadata : undefined
    const chunks = this.#joined ? [] : this.#endParser()
    // In a text syntax the parser may still hold back some of this text.
    if (!this.#joined) this.#textPart = undefined
    this.#isTextPartNew = false
    if (empty === undefined) return chunks
    // There was no text, but there is metadata to send back to the provider.
    const id = this.#nextId('text')
    return [
      ...chunks,
      { type: 'text-start', id, providerMetadata: empty },
      { type: 'text-end', id, providerMetadata: empty },
    ]
  }

  #interrupt(): Chunk[] {
    if (this.#joined) return this.#open === undefined ? [] : [this.#close()]
    return this.#parser === undefined ? [] : this.#endParser()
  }

  #endParser(cut?: ReplyCut): Chunk[] {
    const parser = this.#parser
    if (parser === undefined) return []
    this.#parser = undefined
    this.#endsInsideLine = false
    const chunks = this.#rename(parser.end())
    this.diagnostics.push(...(parser.diagnostics ?? []))
    if (this.#open !== undefined) chunks.push(this.#close())
    return this.#judgeCut(chunks, cut)
  }

  #judgeCut(chunks: Chunk[], cut: ReplyCut | undefined): Chunk[] {
    if (cut !== undefined) return refuseCutCalls(chunks, cut)
    return this.#finish?.reason === 'stop' ? chunks.map(chunk => explainStop(chunk, this.#options.stop)) : chunks
  }

  #beginAnswer(): Chunk[] {
    this.#hasAnswerBegun = true
    return this.#closeField()
  }

  #closeField(): Chunk[] {
    const field = this.#field
    if (field === undefined) return []
    this.#field = undefined
    return this.#giveField(field, field.release())
  }

  #endField(cut: ReplyCut | undefined): Chunk[] {
    const field = this.#field
    if (field === undefined) return []
    this.#field = undefined
    const { reasoning, calls, diagnostics } = field.end()
    this.diagnostics.push(...diagnostics)
    const chunks = this.#giveField(field, reasoning)
    return calls.length === 0 ? chunks : [...chunks, ...this.#judgeCut(this.#rename(calls), cut)]
  }

  #giveField({ id, isEnded }: ReasoningField, delta: string): Chunk[] {
    const part = this.#reasoning.get(id)
    if (part === undefined) return []
    const chunks: Chunk[] = delta === '' ? [] : [{ type: 'reasoning-delta', id: part.id, delta }]
    if (!isEnded && !this.#ended) return chunks
    this.#reasoning.delete(id)
    return [...chunks, endChunk('reasoning', part)]
  }

  /** Undefined if this part's reasoning can't contain calls. */
  #getField(id: string, { metadata }: OpenPart): ReasoningField | undefined {
    if (this.#field?.id === id) return metadata === undefined ? this.#field : undefined
    const { tools, reasoningCalls } = this.#options
    const isRead = this.#joined && tools.length > 0 && reasoningCalls !== 'text'
    if (!isRead || this.#hasAnswerBegun || metadata !== undefined) return undefined
    const options: ParserOptions = { ...this.#parserOptions(), startsIn: 'reasoning-field' }
    return new ReasoningField(id, this.#syntax.parser(options))
  }

  #startReasoning(sourceId: string, metadata: ProviderMetadata | undefined): Chunk {
    const id = this.#nextId('reasoning')
    this.#reasoning.set(sourceId, { id, metadata })
    return { type: 'reasoning-start', id, ...defined({ providerMetadata: metadata }) }
  }

  #reason(part: Extract<LanguageModelV3StreamPart, { type: 'reasoning-delta' }>): Chunk[] {
    const { delta, providerMetadata } = part
    const reopensField = this.#field?.id === part.id && this.#field.isEnded
    const chunks: Chunk[] = reopensField ? this.#closeField() : []
    let open = this.#reasoning.get(part.id)
    if (open === undefined) {
      chunks.push(...this.#interrupt(), this.#startReasoning(part.id, undefined))
      open = this.#reasoning.get(part.id)!
    }
    if (providerMetadata !== undefined) open.metadata = mergeMetadata(open.metadata, providerMetadata)
    if (delta === '' && open.metadata === undefined) return chunks
    const field = this.#getField(part.id, open)
    if (field !== this.#field) chunks.push(...this.#closeField())
    this.#field = field
    const reasoningDelta = field === undefined ? delta : field.push(delta)
    if (reasoningDelta === '') return chunks
    const chunk: Chunk = { type: 'reasoning-delta', id: open.id, delta: reasoningDelta }
    if (providerMetadata !== undefined && open.metadata !== undefined) chunk.providerMetadata = open.metadata
    chunks.push(chunk)
    return chunks
  }

  #endReasoning(part: Extract<LanguageModelV3StreamPart, { type: 'reasoning-end' }>): Chunk[] {
    const open = this.#reasoning.get(part.id)
    if (open === undefined) return []
    open.metadata = mergeMetadata(open.metadata, part.providerMetadata)
    const field = this.#field?.id === part.id ? this.#field : undefined
    if (field !== undefined) field.isEnded = true
    if (field?.isHolding === true) return open.metadata === undefined ? [] : this.#closeField()
    this.#reasoning.delete(part.id)
    return [endChunk('reasoning', open)]
  }

  /** Gives the parser's chunks this reader's ids. Returns the same array if no chunk is added or removed. */
  #rename(chunks: Chunk[]): Chunk[] {
    const [only] = chunks
    if (chunks.length === 1 && only?.type === 'text-delta' && this.#open?.type === 'text') {
      only.id = this.#open.id
      return chunks
    }
    const renamed: Chunk[] = []
    for (const chunk of chunks) this.#renameOne(chunk, renamed)
    return renamed
  }

  #renameOne(chunk: Chunk, out: Chunk[]): void {
    switch (chunk.type) {
      case 'text-start':
      case 'reasoning-start': {
        if (this.#open !== undefined) out.push(this.#close())
        out.push(this.#openPart(chunk.type === 'text-start' ? 'text' : 'reasoning', chunk.providerMetadata))
        return
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const type = chunk.type === 'text-delta' ? 'text' : 'reasoning'
        if (this.#open === undefined) out.push(this.#openPart(type))
        chunk.id = this.#open!.id
        out.push(chunk)
        return
      }
      case 'text-end':
      case 'reasoning-end':
        if (this.#open !== undefined) out.push(this.#close())
        return
      case 'tool-output-available':
      case 'tool-output-error':
        return
      case 'tool-input-start':
        if (this.#isSalvaging) this.#salvaged++
        out.push(chunk)
        return
      default:
        out.push(chunk)
    }
  }

  #openPart(type: 'text' | 'reasoning', own?: ProviderMetadata): Chunk {
    const metadata = type === 'text' ? mergeMetadata(this.#textPart?.metadata, own) : own
    this.#open = { type, id: this.#nextId(type), metadata }
    return { type: `${type}-start`, id: this.#open.id, ...defined({ providerMetadata: metadata }) }
  }

  #close(): Chunk {
    const { type, ...part } = this.#open!
    this.#open = undefined
    return endChunk(type, part)
  }

  #nextId(type: 'text' | 'reasoning'): string {
    return `${type}-${this.#options.step}-${++this.#partCount}`
  }

  #parserOptions(): ParserOptions {
    const { tools, step, limit, readOnly, nextId, unknownTools, reasoningCalls } = this.#options
    return {
      tools,
      step,
      reasoning: 'parts',
      ...defined({ limit, readOnly, nextId, unknownTools, reasoningCalls }),
    }
  }
}

function endChunk(type: 'text' | 'reasoning', { id, metadata }: OpenPart): Chunk {
  return { type: `${type}-end`, id, ...defined({ providerMetadata: metadata }) }
}

/** A provider that doesn't see the calls in a text marks text that leads to one as the answer. */
function withoutPhase(metadata: ProviderMetadata | undefined): ProviderMetadata | undefined {
  if (metadata === undefined) return undefined
  const entries = Object.entries(metadata).map(([provider, { phase, ...fields }]) => [provider, fields] as const)
  return Object.fromEntries(entries)
}

function asAborted<C extends Chunk & { providerMetadata?: ProviderMetadata }>(chunk: C): C {
  return { ...chunk, providerMetadata: withArgotMetadata(chunk.providerMetadata, { state: 'aborted' }) }
}

/** A provider's fields under `argot` are not Argot's, so they are removed. */
function withoutArgotFields<Part extends LanguageModelV3StreamPart>(part: Part): Part {
  if (!('providerMetadata' in part) || part.providerMetadata === undefined) return part
  const providerMetadata = withoutArgotMetadata(part.providerMetadata as ProviderMetadata)
  if (providerMetadata === part.providerMetadata) return part
  const { providerMetadata: _, ...rest } = part
  return { ...rest, ...defined({ providerMetadata }) } as unknown as Part
}
