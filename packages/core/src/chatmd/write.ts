import { type CorrectionPart, isCorrection } from '../message/correction.ts'
import { isToolPart, type Message, type MessagePart, type TextPart, type ToolPart } from '../message/message.ts'
import { formatReplaced, isSummary, type SummaryPart } from '../message/summary.ts'
import type { ProviderMetadata, ToolInvocation } from '../message/tool-invocation.ts'
import { defined } from '../source/defined.ts'
import {
  type Attributes,
  changedFields,
  editedInput,
  formatMilliseconds,
  hasFalseFlag,
  hasResponse,
  isCustom,
  isoTime,
  isSameJson,
  pick,
  responseFields,
  splitMetadata,
  writeApproval,
  writeImage,
  writeJson,
} from './call-attributes.ts'
import type { ElementRecord } from './element-record.ts'
import { describeEnding } from './ending-comment.ts'
import { hasPlaceholder } from './expand/params.ts'
import { toOutline } from './expand/prompt-parts.ts'
import { writeAttribute } from './reader/attribute.ts'
import { writeRaw, writeText } from './reader/raw.ts'
import type { TagName } from './reader/tag.ts'
import { type ElementExtras, isJsonPart, repeatedMetadata } from './record.ts'
import { isVisibleAttribute } from './visible-attributes.ts'

export type TranscriptRecord = { run?: string; offset?: number } & (
  | { type: 'message'; message: Message }
  /** One finished part of an assistant message, in the model's order. A tool part becomes only the call. */
  | { type: 'part'; messageId: string; part: MessagePart }
  /** The result of a call whose element was written before. */
  | {
      type: 'response'
      messageId: string
      call: ToolInvocation
      /** The number of its files, from `WriteResult.numbers`. */
      number?: number
      /** Changes since the call was written are stored with the response. */
      written?: ToolInvocation
    }
  | { type: 'end'; message: Omit<Message, 'parts'> }
)

export interface WriteOptions {
  /** `inline` (`show_tool_call`): tool payloads are in the document; `external`: in separate files. */
  payloads: 'inline' | 'external'
  /** The files' folder as the document names it; `./.chatmd` by default. */
  folder?: string
  /** The first number that no file in the folder uses; 0 by default. */
  number?: number
  /** The end of the document; if it lacks a line break, one is added before the first element. */
  after?: string
  /** The document's line ending; content stays unchanged. */
  newline?: '\n' | '\r\n'
  /**
   * Where to put the bookkeeping: ids, times, usage, provider metadata. `attributes`: in the elements' attributes.
   * `apart`: not in the text, but in `WriteResult.records`, for a sidecar.
   */
  bookkeeping?: 'attributes' | 'apart'
}

export interface WriteResult {
  append: string
  /** Write these before appending the text. Paths are as the document names them. */
  files: { path: string; text: string }[]
  number: number
  /** The number of each written call's files, by its key. */
  numbers: Map<string, number>
  /** With `apart`: what the elements leave out, in order. */
  records: WrittenRecord[]
}

/** `text` and `file` are the texts for the record's hashes. */
export interface WrittenRecord extends Omit<ElementRecord, 'hash' | 'payload'> {
  text?: string
  file?: string
}

/** The text to append to a document, and its separate files, so that reading them gives the same messages. */
export function writeChatMd(records: readonly TranscriptRecord[], options: WriteOptions): WriteResult {
  const writer = new ChatMdWriter(options)
  for (const record of records) writer.write(record)
  return writer.finish()
}

const META_LIMIT = 2048

class ChatMdWriter {
  readonly #options: WriteOptions
  readonly #folder: string
  readonly #newline: '\n' | '\r\n'
  readonly #files: { path: string; text: string }[] = []
  readonly #numbers: Map<string, number> = new Map()
  #number: number
  #text = ''
  #record: TranscriptRecord | undefined
  /** The id of the message with a step that has no element yet. */
  #step: string | undefined
  readonly #records: WrittenRecord[] = []

  constructor(options: WriteOptions) {
    this.#options = options
    this.#folder = (options.folder ?? './.chatmd').replace(/\/+$/, '')
    this.#number = options.number ?? 0
    this.#newline = options.newline ?? '\n'
    if (options.after && !options.after.endsWith('\n')) this.#text = this.#newline
  }

  write(record: TranscriptRecord): void {
    this.#record = record
    switch (record.type) {
      case 'message':
        if (record.message.role === 'assistant') this.#assistantMessage(record.message)
        else this.#promptMessage(record.message)
        return
      case 'part':
        this.#part(record.messageId, record.part)
        return
      case 'response':
        this.#flushStep()
        if (record.number !== undefined) this.#numbers.set(record.call.key, record.number)
        this.#response(record.messageId, record.call, record.written ?? record.call)
        return
      case 'end':
        this.#flushStep()
        this.#end(record.message)
        return
    }
  }

  finish(): WriteResult {
    this.#flushStep()
    return {
      append: this.#text,
      files: this.#files,
      number: this.#number,
      numbers: this.#numbers,
      records: this.#records,
    }
  }

  #promptMessage(message: Message): void {
    this.#flushStep()
    const { id, role, status, createdAt, metadata, parts } = message
    const outline = toOutline(id, parts)
    const more = {
      ...defined({ metadata }),
      ...(status === 'sent' ? {} : { status }),
      ...defined({ parts: outline }),
    }
    const name: TagName = role === 'tool' ? 'msg' : role
    const attributes: Attributes = [
      ['role', name === 'msg' ? role : undefined],
      ['id', id],
      ['created', createdAt],
    ]
    let body = ''
    let text = ''
    for (const part of parts) {
      if (part.type === 'text') text += part.text
      else if (part.type === 'file') {
        body += this.#promptText(text) + writeImage(part)
        text = ''
      }
    }
    body += this.#promptText(text)
    const extras = this.#extras('meta', id, undefined, more)
    this.#element(name, attributes, body === '' ? this.#newline : this.#withNewlines(body), extras)
  }

  /** Text that looks like a placeholder is only text: it must not be filled in when it is read. */
  #promptText(text: string): string {
    if (text === '') return ''
    return hasPlaceholder(text) ? writeRaw(text, this.#newline) : writeText(text, this.#newline)
  }

  #assistantMessage(message: Message): void {
    const waiting: ToolInvocation[] = []
    const respond = () => {
      for (const call of waiting.splice(0)) this.#response(message.id, call, call)
    }
    for (const part of message.parts) {
      if (!isToolPart(part)) respond()
      this.#part(message.id, part)
      if (isToolPart(part) && hasResponse(part.toolInvocation)) waiting.push(part.toolInvocation)
    }
    respond()
    this.#flushStep()
    const { status, finishReason, errorText, createdAt, metadata, parts } = message
    const isPlain = [finishReason, errorText, createdAt, metadata].every(one => one === undefined)
    if (status !== 'sent' || !isPlain || parts.length === 0) this.#end(message)
  }

  #part(messageId: string, part: MessagePart): void {
    if (part.type === 'step-start') {
      this.#flushStep()
      this.#step = messageId
      return
    }
    if (isToolPart(part)) this.#call(messageId, part)
    else if (part.type === 'text') {
      const { id, phase, toolCallId, state } = part
      const attributes: Attributes = [
        ['id', id],
        ['message', messageId],
        ['step', this.#takeStep()],
        ['phase', phase],
        ['tool_call_id', toolCallId],
        ['state', state === 'done' ? undefined : state],
      ]
      const extras = this.#textExtras(part)
      this.#element('assistant', attributes, this.#withNewlines(writeText(part.text, this.#newline)), extras)
    } else if (part.type === 'reasoning') {
      const { id, state, providerMetadata } = part
      const attributes: Attributes = [
        ['id', id],
        ['message', messageId],
        ['step', this.#takeStep()],
        ['state', state === 'done' ? undefined : state],
      ]
      this.#element(
        'reasoning',
        attributes,
        this.#withNewlines(`<summary>${this.#withNewlines(writeText(part.text, this.#newline))}</summary>`),
        this.#extras('meta', id, providerMetadata, undefined),
      )
    } else if (isCorrection(part) && isPlainCorrection(part)) {
      const attributes: Attributes = [
        ['name', part.data.toolName],
        ['message', messageId],
        ['step', this.#takeStep()],
        ['part', part.type],
      ]
      this.#element('developer', attributes, this.#withNewlines(writeText(part.data.text, this.#newline)))
    } else if (isSummary(part) && isPlainSummary(part)) {
      const attributes: Attributes = [
        ['message', messageId],
        ['step', this.#takeStep()],
        ['part', part.type],
        ['replaces', formatReplaced(part.data.replaces)],
      ]
      this.#element('developer', attributes, this.#withNewlines(writeText(part.data.text, this.#newline)))
    } else if (isJsonPart(part.type)) {
      const { type, ...rest } = part
      const attributes: Attributes = [
        ['message', messageId],
        ['step', this.#takeStep()],
        ['part', type],
      ]
      this.#element('assistant', attributes, this.#withNewlines(writeRaw(writeJson(rest), this.#newline)))
    }
  }

  /** A step without any element gets its own. */
  #flushStep(): void {
    if (this.#step === undefined) return
    const attributes: Attributes = [
      ['message', this.#step],
      ['part', 'step-start'],
    ]
    this.#step = undefined
    this.#element('assistant', attributes, undefined)
  }

  #takeStep(): true | undefined {
    const step = this.#step === undefined ? undefined : true
    this.#step = undefined
    return step
  }

  #call(messageId: string, part: ToolPart): void {
    const call: ToolInvocation = part.toolInvocation
    const { toolCallId, toolName, key, state, title, callProviderMetadata, startedAt, approval } = call
    const isAnswered = hasResponse(call)
    const custom = isCustom(call)
    const { itemId, meta } = splitMetadata(callProviderMetadata, custom)
    const isRaw = this.#isApart && call.input === undefined && call.rawInput !== undefined
    const hasPayload = call.input !== undefined || isRaw
    const number = this.#options.payloads === 'external' && hasPayload ? this.#number++ : undefined
    if (number === undefined) this.#numbers.delete(key)
    else this.#numbers.set(key, number)
    const more: Record<string, unknown> = pick(call, isRaw ? ['toolMetadata'] : ['rawInput', 'toolMetadata'])
    if (!isAnswered)
      Object.assign(more, pick(call, responseFields), pick(call, ['output', 'errorText', 'endedAt', 'settledBy']))
    const started = startedAt === undefined ? undefined : isoTime(startedAt)
    if (started === undefined && startedAt !== undefined) more.startedAt = startedAt
    if (call.providerExecuted === false) more.providerExecuted = false
    if (!isAnswered && hasFalseFlag(approval)) more.approval = approval
    const attributes: Attributes = [
      ['function_name', toolName],
      ['tool_call_id', toolCallId],
      ['type', custom ? 'custom_tool_call' : undefined],
      ['encoding', isRaw && typeof call.rawInput === 'string' ? 'text' : undefined],
      ['raw', isRaw ? true : undefined],
      ['id', itemId],
      ['key', key === toolCallId ? undefined : key],
      ['message', messageId],
      ['step', this.#takeStep()],
      ['state', isAnswered || state === 'input-available' ? undefined : state],
      ['title', title],
      ['dynamic', part.type === 'dynamic-tool' ? true : undefined],
      ['provider_executed', call.providerExecuted ? true : undefined],
      ['started', started],
      ...(isAnswered ? [] : writeApproval(approval)),
    ]
    const extras = this.#extras('meta', toolCallId, meta, more, number)
    const value = isRaw ? call.rawInput : call.input
    const isText = custom || (isRaw && typeof value === 'string')
    const payload = value === undefined ? undefined : isText ? (value as string) : writeJson(value)
    this.#payloadElement('tool_call', attributes, { kind: 'tool-call', id: toolCallId, text: payload, number }, extras)
  }

  #response(messageId: string, call: ToolInvocation, written: ToolInvocation): void {
    const { toolCallId, key, state, startedAt, endedAt } = call
    const isError = state === 'output-error'
    const content = isError ? call.errorText : call.output
    const isJson = content !== undefined && typeof content !== 'string'
    const more: Record<string, unknown> = pick(call, [
      ...(isSameJson(call.details, call.resultProviderMetadata?.argot?.details) ? [] : (['details'] as const)),
      ...(isError ? (['output'] as const) : (['errorText'] as const)),
    ])
    const ms = formatMilliseconds(startedAt, endedAt)
    if (endedAt !== undefined && ms === undefined) more.endedAt = endedAt
    if (call.preliminary === false) more.preliminary = false
    if (hasFalseFlag(call.approval)) more.approval = call.approval
    const edited = this.#isApart ? editedInput(call, written) : undefined
    const changed = changedFields(call, edited === undefined ? written : { ...written, ...edited })
    if (changed !== undefined) more.call = changed
    let number = this.#numbers.get(key)
    if (number === undefined && this.#options.payloads === 'external' && content !== undefined) number = this.#number++
    const attributes: Attributes = [
      ['tool_call_id', toolCallId],
      ['type', isCustom(call) ? 'custom_tool_call' : undefined],
      ['key', key === toolCallId ? undefined : key],
      ['message', messageId],
      ['state', state === 'output-available' ? undefined : state],
      ['settled_by', call.settledBy],
      ['encoding', isJson ? 'json' : undefined],
      ['preliminary', call.preliminary ? true : undefined],
      ['ms', ms],
      ...writeApproval(call.approval),
      ['approved_input', edited === undefined ? undefined : JSON.stringify(edited.input)],
    ]
    const extras = this.#extras('meta-result', toolCallId, call.resultProviderMetadata, more, number)
    const payload = { kind: 'tool-call-result', id: toolCallId, text: isJson ? writeJson(content) : content, number }
    this.#payloadElement('tool_response', attributes, payload, extras)
  }

  #end(message: Omit<Message, 'parts'>): void {
    const { id, status, finishReason, errorText, createdAt, metadata } = message
    const attributes: Attributes = [
      ['message', id],
      ['part', 'end'],
      ['status', status === 'sent' ? undefined : status],
      ['finish', finishReason],
      ['error', errorText],
      ['created', createdAt],
    ]
    const extras = this.#extras('meta', id, undefined, metadata === undefined ? undefined : { metadata })
    if (!this.#isApart) return this.#element('assistant', attributes, undefined, extras)
    const comment = describeEnding(message)
    if (comment !== undefined) this.#text += this.#withNewlines(comment)
    this.#keep({ attributes: this.#attributesApart(attributes), ...extras })
  }

  #payloadElement(
    name: TagName,
    attributes: Attributes,
    { kind, id, text, number }: { kind: string; id: string; text: string | undefined; number: number | undefined },
    extras: ElementExtras,
  ): void {
    if (text === undefined) return this.#element(name, attributes, undefined, extras)
    if (this.#options.payloads === 'inline' || number === undefined)
      return this.#element(name, attributes, this.#withNewlines(writeRaw(text, this.#newline)), extras)
    const path = this.#file(`${number}.${kind}.${safeId(id)}.json`, text)
    this.#element(name, attributes, this.#withNewlines(`  <doc ${writeAttribute('src', path)} local/>`), extras, text)
  }

  #file(name: string, text: string): string {
    const path = `${this.#folder}/${name}`
    this.#files.push({ path, text })
    return path
  }

  /** For a run, `meta` leaves out data that the attributes repeat. A text without such data is `plain`. */
  #textExtras(part: TextPart): ElementExtras {
    const { id, providerMetadata } = part
    const repeated = Object.entries(repeatedMetadata(part))
    if (this.#record?.run === undefined || repeated.length === 0) {
      return this.#extras('meta', id, providerMetadata, undefined)
    }
    const { argot, ...meta } = providerMetadata ?? {}
    if (argot === undefined) return this.#extras('meta', id, providerMetadata, { plain: true })
    const same = Object.keys(argot).length === repeated.length && repeated.every(([key, value]) => argot[key] === value)
    if (!same) return this.#extras('meta', id, providerMetadata, undefined)
    return this.#extras('meta', id, Object.keys(meta).length === 0 ? undefined : meta, undefined)
  }

  /** Without a sidecar, long data goes into a separate file. */
  #extras(
    kind: string,
    id: string,
    meta: ProviderMetadata | undefined,
    more: Record<string, unknown> | undefined,
    number?: number,
  ): ElementExtras {
    const argot = more === undefined || Object.keys(more).length === 0 ? undefined : more
    const extras: ElementExtras = defined({ meta, argot })
    if (this.#isApart || (meta === undefined && argot === undefined)) return extras
    if (JSON.stringify(meta ?? '').length + JSON.stringify(argot ?? '').length <= META_LIMIT) return extras
    const name = `${number ?? this.#number++}.${kind}.${safeId(id)}.json`
    return { src: this.#file(name, writeJson({ meta, argot })) }
  }

  get #isApart(): boolean {
    return this.#options.bookkeeping === 'apart'
  }

  #element(
    name: TagName,
    attributes: Attributes,
    body: string | undefined,
    extras: ElementExtras = {},
    file?: string | undefined,
  ): void {
    const isApart = this.#isApart
    if (isApart && body === undefined && name === 'assistant')
      return this.#keep({ attributes: this.#attributesApart(attributes), ...extras })
    const visible = isApart
      ? attributes.filter(one => isVisibleAttribute(name, one))
      : this.#withRun(attributes, extras)
    let tag = `<${name}`
    for (const [key, value] of visible) if (value !== undefined) tag += ` ${writeAttribute(key, value)}`
    const text = body === undefined ? `${tag}/>` : `${tag}>${body}</${name}>`
    this.#text += this.#withNewlines(text)
    if (!isApart) return
    const recordAttributes = attributes.filter(one => !isVisibleAttribute(name, one))
    this.#keep({ text, ...defined({ file }), attributes: this.#attributesApart(recordAttributes), ...extras })
  }

  #withRun(attributes: Attributes, { meta, argot, src }: ElementExtras): Attributes {
    const { run, offset } = this.#record ?? {}
    return [
      ...attributes,
      ['meta', meta === undefined ? undefined : JSON.stringify(meta)],
      ['argot', argot === undefined ? undefined : JSON.stringify(argot)],
      ['meta_src', src],
      ['run', run],
      ['offset', offset === undefined ? undefined : String(offset)],
    ]
  }

  #attributesApart(attributes: Attributes): Record<string, string | true> {
    const { run, offset } = this.#record ?? {}
    const all: Attributes = [...attributes, ['run', run], ['offset', offset === undefined ? undefined : String(offset)]]
    return Object.fromEntries(all.filter((one): one is [string, string | true] => one[1] !== undefined))
  }

  #keep(record: WrittenRecord): void {
    this.#records.push(record)
  }

  #withNewlines(text: string): string {
    return this.#newline + text + this.#newline
  }
}

function isPlainCorrection({ id, data }: CorrectionPart): boolean {
  const { text: _, toolName, ...more } = data
  return id === undefined && Object.keys(more).length === 0 && toolName !== null && typeof (toolName ?? '') === 'string'
}

function isPlainSummary({ id, data }: SummaryPart): boolean {
  return id === undefined && Object.keys(data).length === 2
}

/** An id as a part of a file name: no separator, no dot at the start, limited length. */
export function safeId(id: string): string {
  const safe = id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)
  return safe === '' ? '_' : safe
}

/** The first number that none of these files uses, so that new files never replace old ones. */
export function nextFileNumber(names: Iterable<string>): number {
  let next = 0
  for (const name of names) {
    const number = /^([0-9]{1,15})\./.exec(name)?.[1]
    if (number !== undefined) next = Math.max(next, Number(number) + 1)
  }
  return next
}
