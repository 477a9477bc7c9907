import { CallKeys, toUseKey } from '../message/call-keys.ts'
import { asksForMore, type CorrectionPart, correctionType } from '../message/correction.ts'
import type { DataPart, Message, MessagePart, TextPart } from '../message/message.ts'
import { checkOptionalMetadata, checkPart, withoutRunFields } from '../message/own-metadata.ts'
import { parseReplaced, summaryType } from '../message/summary.ts'
import type { ProviderMetadata, ToolApproval, ToolInvocation } from '../message/tool-invocation.ts'
import { defined } from '../source/defined.ts'
import { isRecord } from '../source/is-record.ts'
import { inspectPayload } from '../stream/builder/payload.ts'
import { finishReasons } from '../stream/chunk.ts'
import { withPhases } from '../stream/with-phases.ts'
import { readApproval } from './call-attributes.ts'
import type { MessageEntry, ReasoningEntry, ToolCallEntry, ToolResponseEntry } from './document.ts'
import { type EntryOwner, entryOwners } from './entry-owners.ts'
import { fillOutline, type PromptPiece, plainParts } from './expand/prompt-parts.ts'
import { attributeValue, hasFlag } from './reader/attribute.ts'
import {
  callStates,
  type ElementExtras,
  isJsonPart,
  messageStatuses,
  partId,
  readOffset,
  repeatedMetadata,
  responseStates,
  settlers,
  textPhases,
  textStates,
} from './record.ts'

export type ResolvedEntry =
  | { entry: MessageEntry; parts: PromptPiece[]; extras: ElementExtras }
  | { entry: ToolCallEntry | ToolResponseEntry; payload: string | undefined; extras: ElementExtras }
  | { entry: ReasoningEntry; extras: ElementExtras }

export type ReportMisfit = (
  code: 'CHATMD_BAD_PAYLOAD' | 'CHATMD_RESPONSE_WITHOUT_CALL' | 'STREAM_TOO_DEEP',
  entry: ResolvedEntry['entry'],
  message: string,
  cure: string,
) => void

export interface AssembledMessage {
  message: Message
  entryNumbers: number[]
}

interface MessageDraft extends AssembledMessage {
  parts: MessagePart[]
  keys: CallKeys
  /** The last element was a response or an ending, so the next entry begins a step. */
  beginsStep: boolean
  /** Set by a comment about the ending. Anything after the comment takes that back. */
  isEnded: boolean
  isRecorded: boolean
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
type MutableCall = Mutable<ToolInvocation>

/** Restores the messages that a run had in memory when it wrote these entries. */
export function assemble(entries: readonly ResolvedEntry[], report: ReportMisfit): AssembledMessage[] {
  return new Assembler(report).run(entries)
}

class Assembler {
  readonly #report: ReportMisfit
  readonly #messages: MessageDraft[] = []
  readonly #calls: Map<number, MutableCall> = new Map()
  readonly #textsWithoutPhase: Set<MessagePart> = new Set()
  #number = 0

  constructor(report: ReportMisfit) {
    this.#report = report
  }

  run(entries: readonly ResolvedEntry[]): AssembledMessage[] {
    const owners = entryOwners(entries.map(({ entry }) => entry))
    for (const [number, resolved] of entries.entries()) {
      this.#number = number
      this.#take(resolved, owners[number])
    }
    for (const draft of this.#messages) this.#derivePhases(draft)
    return this.#messages.map(({ message, entryNumbers }) => ({ message, entryNumbers }))
  }

  /** By the same rule as in streams. */
  #derivePhases({ message, parts }: MessageDraft): void {
    if (!parts.some(part => this.#textsWithoutPhase.has(part))) return
    for (const [index, part] of withPhases(message).parts.entries())
      if (this.#textsWithoutPhase.has(parts[index]!)) parts[index] = part
  }

  #take(resolved: ResolvedEntry, owner: EntryOwner | undefined): void {
    const { entry, extras } = resolved
    if (entry.type === 'tool-response') {
      const { payload } = resolved as Extract<ResolvedEntry, { payload: unknown }>
      if (owner?.ignored !== true) this.#response(entry, owner, payload, extras)
      return
    }
    // Only a response may belong to no message: imports are already replaced with their content.
    const draft = this.#draftFor(entry, owner!)
    if ('payload' in resolved) this.#call(draft, resolved.entry as ToolCallEntry, resolved.payload, extras)
    else if (!('parts' in resolved)) this.#reasoning(draft, resolved.entry, extras)
    else if (draft.message.role === 'assistant')
      this.#assistant(draft, resolved.entry, joinText(resolved.parts), extras)
    else this.#prompt(draft, resolved.entry, resolved.parts, extras)
  }

  #start(id: string, role: Message['role']): MessageDraft {
    const parts: MessagePart[] = []
    const message: Message = { id, role, status: 'sent', parts }
    const flags = { beginsStep: false, isEnded: false, isRecorded: false }
    const draft: MessageDraft = { message, parts, keys: new CallKeys(), ...flags, entryNumbers: [] }
    this.#messages.push(draft)
    return draft
  }

  #prompt(draft: MessageDraft, entry: MessageEntry, pieces: PromptPiece[], { argot }: ElementExtras): void {
    const { attributes } = entry.node
    draft.parts.push(...(fillOutline(argot?.parts, pieces) ?? plainParts(draft.message.id, pieces)))
    const status = messageStatuses.find(one => one === argot?.status)
    if (status !== undefined) draft.message.status = status
    const created = attributeValue(attributes, 'created')
    if (created !== undefined) draft.message.createdAt = created
    if (isRecord(argot?.metadata)) draft.message.metadata = argot.metadata
  }

  #draftFor(entry: ResolvedEntry['entry'], { message, startsMessage, isRecorded }: EntryOwner): MessageDraft {
    const role = entry.type === 'message' ? entry.role : 'assistant'
    const draft = startsMessage ? this.#start(message.id!, role) : this.#messages[message.index]!
    draft.entryNumbers.push(this.#number)
    if (role !== 'assistant' || isEnd(entry)) return draft
    if (hasFlag(entry.node.attributes, 'step') || (draft.beginsStep && !isRecorded))
      draft.parts.push({ type: 'step-start' })
    if (draft.isEnded) setEnding(draft.message, {})
    draft.beginsStep = false
    draft.isEnded = false
    draft.isRecorded = isRecorded
    return draft
  }

  #assistant(draft: MessageDraft, entry: MessageEntry, text: string, extras: ElementExtras): void {
    const part = attributeValue(entry.node.attributes, 'part')
    if (part === 'end') this.#end(draft, entry, extras)
    else if (part === 'step-start') draft.parts.push({ type: 'step-start' })
    else if (part === correctionType && entry.node.name === 'developer') draft.parts.push(correction(entry, text))
    else if (part === summaryType && entry.node.name === 'developer') draft.parts.push(summary(entry, text))
    else if (part !== undefined && isJsonPart(part)) this.#jsonPart(draft, entry, part, text)
    else {
      const newText = textPart(draft, entry, text, extras)
      draft.parts.push(newText)
      if (!draft.isRecorded && newText.phase === undefined) this.#textsWithoutPhase.add(newText)
    }
  }

  /** A message that several runs continued has an ending for each; the last one applies. */
  #end(draft: MessageDraft, entry: MessageEntry, { argot }: ElementExtras): void {
    const { attributes, isUnwritten } = entry.node
    const status = pickWord(messageStatuses, attributeValue(attributes, 'status'))
    const finishReason = pickWord(finishReasons, attributeValue(attributes, 'finish'))
    const errorText = attributeValue(attributes, 'error')
    const created = attributeValue(attributes, 'created')
    const { message } = draft
    setEnding(message, defined({ status, finishReason, errorText }))
    if (created !== undefined) message.createdAt = created
    if (isRecord(argot?.metadata)) message.metadata = argot.metadata
    const isComment = isUnwritten === true && attributeValue(attributes, 'message') === undefined
    if (!isComment) return
    draft.isEnded = true
    draft.beginsStep = true
    if (!draft.isRecorded && finishReason !== 'length') cutLastPart(draft.parts)
  }

  #jsonPart(draft: MessageDraft, entry: MessageEntry, type: string, text: string): void {
    const value = this.#json(entry, text)
    if (isRecord(value)) draft.parts.push(checkPart({ ...value, type } as MessagePart))
  }

  #reasoning(draft: MessageDraft, entry: ReasoningEntry, { meta }: ElementExtras): void {
    const state = pickWord(textStates, attributeValue(entry.node.attributes, 'state')) ?? 'done'
    const texts = entry.texts.length === 0 ? [''] : entry.texts
    for (const [index, text] of texts.entries()) {
      const id = toUseKey(entry.id, index + 1)
      draft.parts.push({
        type: 'reasoning',
        id,
        text,
        state,
        ...defined({ providerMetadata: checkOptionalMetadata(meta, 'text') }),
      })
    }
  }

  #call(draft: MessageDraft, entry: ToolCallEntry, payload: string | undefined, { meta, argot }: ElementExtras): void {
    const { attributes } = entry.node
    const text = (name: string) => attributeValue(attributes, name)
    const key = text('key') ?? draft.keys.take(entry.toolCallId)
    if (text('key') !== undefined) draft.keys.restore(entry.toolCallId, key)
    const call: MutableCall = {
      key,
      toolCallId: entry.toolCallId,
      toolName: entry.toolName,
      state: pickWord(callStates, text('state')) ?? 'input-available',
    }
    const approval = readApproval(attributes, entry.toolCallId)
    const started = Date.parse(text('started') ?? '')
    const metadata = callMetadata(checkOptionalMetadata(meta, 'call'), text('id'), entry.custom)
    const title = text('title')
    if (entry.custom) call.input = payload ?? ''
    else if (text('encoding') === 'text') call.rawInput = payload ?? ''
    else if (payload !== undefined && payload !== '') {
      const input = this.#json(entry, payload)
      if (input === undefined) call.rawInput = payload
      else if (hasFlag(attributes, 'raw')) call.rawInput = input
      else call.input = input
    }
    if (approval !== undefined) call.approval = approval
    if (hasFlag(attributes, 'provider_executed')) call.providerExecuted = true
    if (title !== undefined) call.title = title
    if (metadata !== undefined) call.callProviderMetadata = metadata
    if (!Number.isNaN(started)) call.startedAt = started
    assignFields(call, argot)
    const type = hasFlag(attributes, 'dynamic') ? 'dynamic-tool' : 'tool'
    draft.parts.push({ type, toolInvocation: call } as MessagePart)
    this.#calls.set(this.#number, call)
  }

  #response(
    entry: ToolResponseEntry,
    owner: EntryOwner | undefined,
    payload: string | undefined,
    { meta, argot }: ElementExtras,
  ): void {
    const { attributes } = entry.node
    if (owner?.call === undefined) {
      const message = `No open call has the id \`${entry.toolCallId.slice(0, 64)}\`.`
      this.#report('CHATMD_RESPONSE_WITHOUT_CALL', entry, message, 'Remove the response, or correct its id.')
      return
    }
    const call = this.#calls.get(owner.call)!
    const draft = this.#messages[owner.message.index]!
    if (draft.entryNumbers.at(-1) !== this.#number) draft.entryNumbers.push(this.#number)
    draft.beginsStep = true
    const approval = readApproval(attributes, entry.toolCallId)
    const settledBy = pickWord(settlers, attributeValue(attributes, 'settled_by'))
    const ms = attributeValue(attributes, 'ms')
    call.state = pickWord(responseStates, attributeValue(attributes, 'state')) ?? 'output-available'
    if (payload !== undefined) {
      if (call.state === 'output-error') call.errorText = payload
      else call.output = attributeValue(attributes, 'encoding') === 'json' ? this.#json(entry, payload) : payload
    }
    if (approval !== undefined) call.approval = approval
    if (settledBy !== undefined) call.settledBy = settledBy
    if (hasFlag(attributes, 'preliminary')) call.preliminary = true
    const metadata = checkOptionalMetadata(meta, 'result')
    if (metadata !== undefined) call.resultProviderMetadata = metadata
    if (metadata?.argot?.details !== undefined) call.details = metadata.argot.details
    this.#takeEdit(entry, call)
    if (isRecord(argot?.call)) assignFields(call, argot.call)
    if (ms !== undefined && call.startedAt !== undefined && Number.isFinite(Number(ms)))
      call.endedAt = call.startedAt + Number(ms)
    assignFields(call, argot)
  }

  /** The tool ran with a person's input instead of the one in the call's element. */
  #takeEdit(entry: ToolResponseEntry, call: MutableCall): void {
    const edit = attributeValue(entry.node.attributes, 'approved_input')
    const input = edit === undefined ? undefined : this.#json(entry, edit)
    if (input === undefined) return
    call.rawInput = call.input
    call.input = input
  }

  #json(entry: ResolvedEntry['entry'], text: string): unknown {
    try {
      const { value, tooDeep } = inspectPayload(JSON.parse(text))
      if (tooDeep)
        this.#report(
          'STREAM_TOO_DEEP',
          entry,
          'The payload is nested too deeply; its text is kept.',
          'Write flatter data.',
        )
      return value
    } catch {
      this.#report('CHATMD_BAD_PAYLOAD', entry, 'The payload is not JSON.', 'Write the payload as JSON.')
      return undefined
    }
  }
}

function isEnd({ node }: ResolvedEntry['entry']): boolean {
  return attributeValue(node.attributes, 'part') === 'end'
}

function setEnding(message: Message, ending: Pick<Partial<Message>, 'status' | 'finishReason' | 'errorText'>): void {
  delete message.finishReason
  delete message.errorText
  Object.assign(message, { status: 'sent' }, ending)
}

/** The run ended while the model wrote this part, unless the model had reached a call. */
function cutLastPart(parts: MessagePart[]): void {
  const step = parts.slice(parts.findLastIndex(part => part.type === 'step-start') + 1)
  const last = step.at(-1)
  const isOpen = last?.type === 'text' || last?.type === 'reasoning'
  if (isOpen && !step.some(asksForMore)) parts[parts.length - 1] = { ...last, state: 'aborted' }
}

function correction({ node }: MessageEntry, text: string): CorrectionPart {
  return { type: correctionType, data: { text, ...defined({ toolName: attributeValue(node.attributes, 'name') }) } }
}

function summary({ node }: MessageEntry, text: string): DataPart {
  return {
    type: summaryType,
    data: { text, replaces: parseReplaced(attributeValue(node.attributes, 'replaces')) ?? 0 },
  }
}

function joinText(parts: readonly PromptPiece[]): string {
  return parts.map(part => (part.type === 'text' ? part.text : '')).join('')
}

function textPart(
  draft: MessageDraft,
  entry: MessageEntry,
  text: string,
  { meta: rawMeta, argot }: ElementExtras,
): TextPart {
  const { attributes } = entry.node
  const meta = checkOptionalMetadata(rawMeta, 'text')
  const phase = pickWord(textPhases, attributeValue(attributes, 'phase'))
  const toolCallId = attributeValue(attributes, 'tool_call_id')
  const part: TextPart = {
    type: 'text',
    id: attributeValue(attributes, 'id') ?? partId(draft.message.id, draft.parts.length),
    text,
    state: pickWord(textStates, attributeValue(attributes, 'state')) ?? 'done',
    ...defined({ phase, toolCallId, providerMetadata: meta }),
  }
  const repeated = repeatedMetadata(part)
  const isOfRun = attributeValue(attributes, 'run') !== undefined || readOffset(attributes) !== undefined
  const isPlain = !isOfRun || argot?.plain === true || meta?.argot !== undefined
  if (isPlain || Object.keys(repeated).length === 0) return part
  return { ...part, providerMetadata: { ...meta, argot: repeated } }
}

function pickWord<T extends string>(words: readonly T[], word: string | undefined): T | undefined {
  return words.find(one => one === word)
}

/** Adds the item id and the encoding, which have their own attributes. */
function callMetadata(
  meta: ProviderMetadata | undefined,
  itemId: string | undefined,
  custom: boolean,
): ProviderMetadata | undefined {
  if (itemId === undefined && !custom) return meta
  return {
    ...meta,
    argot: {
      ...meta?.argot,
      ...defined({ itemId }),
      ...(custom ? { inputEncoding: 'text' } : {}),
    },
  }
}

const isString = (value: unknown): boolean => typeof value === 'string'
const isNumber = (value: unknown): boolean => typeof value === 'number'
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isAnything = (): boolean => true

const extraFields: readonly (readonly [keyof ToolInvocation, (value: unknown) => boolean])[] = [
  ['input', isAnything],
  ['rawInput', isAnything],
  ['output', isAnything],
  ['details', isAnything],
  ['errorText', isString],
  ['title', isString],
  ['settledBy', value => settlers.some(one => one === value)],
  ['providerExecuted', isBoolean],
  ['preliminary', isBoolean],
  ['callProviderMetadata', isRecord],
  ['resultProviderMetadata', isRecord],
  ['toolMetadata', isRecord],
  ['approval', value => isRecord(value) && isString(value.id)],
  ['startedAt', isNumber],
  ['endedAt', isNumber],
]

/** Fields that only a run can set are not read from a document. */
function assignFields(call: MutableCall, fields: Record<string, unknown> | undefined): void {
  if (fields === undefined) return
  for (const [field, fits] of extraFields) {
    if (Object.hasOwn(fields, field) && fits(fields[field]))
      Object.assign(call, { [field]: checkField(field, fields[field]) })
  }
}

function checkField(field: keyof ToolInvocation, value: unknown): unknown {
  if (field === 'approval') return withoutRunFields(value as ToolApproval)
  if (field === 'callProviderMetadata') return checkOptionalMetadata(value as ProviderMetadata, 'call')
  return field === 'resultProviderMetadata' ? checkOptionalMetadata(value as ProviderMetadata, 'result') : value
}
