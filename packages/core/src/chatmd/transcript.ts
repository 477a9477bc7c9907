import type { Message, MessagePart, TextPart } from '../message/message.ts'
import type { ProviderMetadata, ToolApproval, ToolInvocation } from '../message/tool-invocation.ts'
import { defined } from '../source/defined.ts'
import { isRecord } from '../source/is-record.ts'
import { inspectPayload } from '../stream/builder/payload.ts'
import { finishReasons } from '../stream/chunk.ts'
import type { MessageEntry, ReasoningEntry, ToolCallEntry, ToolResponseEntry } from './document.ts'
import { fillOutline, type PromptPiece, plainParts } from './expand/prompt-parts.ts'
import { attributeValue, hasFlag } from './reader/attribute.ts'
import {
  callStates,
  type Extras,
  isJsonPart,
  messageStatuses,
  offsetOf,
  partId,
  repeatedMetadata,
  responseStates,
  settlers,
  textPhases,
  textStates,
} from './record.ts'

/** An entry whose helpers and references were resolved. */
export type ResolvedEntry =
  | { entry: MessageEntry; parts: PromptPiece[]; extras: Extras }
  | { entry: ToolCallEntry | ToolResponseEntry; payload: string | undefined; extras: Extras }
  | { entry: ReasoningEntry; extras: Extras }

/** What reading a transcript found: something that does not fit, and the entry where it is. */
export type Report = (
  code: 'CHATMD_BAD_PAYLOAD' | 'CHATMD_RESPONSE_WITHOUT_CALL' | 'STREAM_TOO_DEEP',
  entry: ResolvedEntry['entry'],
  message: string,
  cure: string,
) => void

/** A message that is being put together; `parts` and `message` are the same object's. */
export interface Assembled {
  message: Message
  /** The numbers of the entries of which it is made. */
  entries: number[]
}

interface Draft extends Assembled {
  parts: MessagePart[]
  /** The elements name their message. */
  named: boolean
  /** The last element was a response. */
  answered: boolean
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
type Call = Mutable<ToolInvocation>

/** Puts the messages together that a run had in memory when it wrote these entries. */
export function assemble(entries: readonly ResolvedEntry[], report: Report): Assembled[] {
  return new Assembler(report).run(entries)
}

class Assembler {
  readonly #report: Report
  readonly #messages: Draft[] = []
  #current: Draft | undefined
  /** The calls without a response by id, the newest last. */
  readonly #openCalls: Map<string, { call: Call; draft: Draft }[]> = new Map()
  #number = 0
  /** The numbers of responses to calls that are to be made again. */
  #ignored: ReadonlySet<number> = new Set()

  constructor(report: Report) {
    this.#report = report
  }

  run(entries: readonly ResolvedEntry[]): Assembled[] {
    this.#ignored = responsesToIgnore(entries)
    for (const resolved of entries) {
      if (!('payload' in resolved)) {
        if (!('parts' in resolved)) this.#reasoning(resolved.entry, resolved.extras)
        else if (resolved.entry.role === 'assistant')
          this.#assistant(resolved.entry, textOf(resolved.parts), resolved.extras)
        else this.#prompt(resolved.entry, resolved.parts, resolved.extras)
      } else if (this.#ignored.has(this.#number)) {
        // The call is made again.
      } else if (resolved.entry.type === 'tool-call') this.#call(resolved.entry, resolved.payload, resolved.extras)
      else this.#response(resolved.entry, resolved.payload, resolved.extras)
      this.#number++
    }
    return this.#messages.map(({ message, entries: list }) => ({ message, entries: list }))
  }

  #start(id: string, role: Message['role'], named: boolean): Draft {
    const parts: MessagePart[] = []
    const message: Message = { id, role, status: 'sent', parts }
    const draft: Draft = { message, parts, named, answered: false, entries: [this.#number] }
    this.#messages.push(draft)
    return draft
  }

  #prompt(entry: MessageEntry, pieces: PromptPiece[], { argot }: Extras): void {
    const { attributes } = entry.node
    this.#current = undefined
    const draft = this.#start(attributeValue(attributes, 'id') || `chatmd-${this.#number}`, entry.role, false)
    draft.parts.push(...(fillOutline(argot?.parts, pieces) ?? plainParts(draft.message.id, pieces)))
    const status = messageStatuses.find(one => one === argot?.status)
    if (status !== undefined) draft.message.status = status
    const created = attributeValue(attributes, 'created')
    if (created !== undefined) draft.message.createdAt = created
    if (isRecord(argot?.metadata)) draft.message.metadata = argot.metadata
  }

  /** The message to which an element of the assistant belongs. */
  #draftFor(entry: ResolvedEntry['entry'], isText: boolean): Draft {
    const { attributes } = entry.node
    const id = attributeValue(attributes, 'message')
    // A run names its message with its first element only.
    const isOfRun = offsetOf(attributes) !== undefined
    const last = this.#current
    const continues =
      last !== undefined &&
      (id === undefined
        ? isOfRun || (!last.named && !(isText && last.parts.at(-1)?.type === 'text'))
        : last.message.id === id)
    const draft = continues ? last : this.#start(id ?? `chatmd-${this.#number}`, 'assistant', false)
    if (continues) draft.entries.push(this.#number)
    // A run names the message that it continues, also one that a person wrote.
    if (id !== undefined || isOfRun) draft.named = true
    this.#current = draft
    if (hasFlag(attributes, 'step') || (draft.answered && !draft.named)) draft.parts.push({ type: 'step-start' })
    draft.answered = false
    return draft
  }

  #assistant(entry: MessageEntry, text: string, extras: Extras): void {
    const { attributes } = entry.node
    const part = attributeValue(attributes, 'part')
    const draft = this.#draftFor(entry, part === undefined)
    if (part === 'end') this.#end(draft, entry, extras)
    else if (part === 'step-start') draft.parts.push({ type: 'step-start' })
    else if (part !== undefined && isJsonPart(part)) this.#jsonPart(draft, entry, part, text)
    else draft.parts.push(textPart(draft, entry, text, extras))
  }

  /** A message that several runs continued has an end of each; the last one says how it ended. */
  #end(draft: Draft, entry: MessageEntry, { argot }: Extras): void {
    const { attributes } = entry.node
    const status = oneOf(messageStatuses, attributeValue(attributes, 'status'))
    const finish = oneOf(finishReasons, attributeValue(attributes, 'finish'))
    const error = attributeValue(attributes, 'error')
    const created = attributeValue(attributes, 'created')
    const { message } = draft
    message.status = status ?? 'sent'
    delete message.finishReason
    delete message.errorText
    if (finish !== undefined) message.finishReason = finish
    if (error !== undefined) message.errorText = error
    if (created !== undefined) message.createdAt = created
    if (isRecord(argot?.metadata)) message.metadata = argot.metadata
  }

  #jsonPart(draft: Draft, entry: MessageEntry, type: string, text: string): void {
    const value = this.#json(entry, text)
    if (isRecord(value)) draft.parts.push({ ...value, type } as MessagePart)
  }

  #reasoning(entry: ReasoningEntry, { meta }: Extras): void {
    const draft = this.#draftFor(entry, false)
    const state = oneOf(textStates, attributeValue(entry.node.attributes, 'state')) ?? 'done'
    const texts = entry.texts.length === 0 ? [''] : entry.texts
    for (const [index, text] of texts.entries()) {
      const id = index === 0 ? entry.id : `${entry.id}#${index + 1}`
      draft.parts.push({
        type: 'reasoning',
        id,
        text,
        state,
        ...defined({ providerMetadata: meta }),
      })
    }
  }

  #call(entry: ToolCallEntry, payload: string | undefined, { meta, argot }: Extras): void {
    const draft = this.#draftFor(entry, false)
    const { attributes } = entry.node
    const text = (name: string) => attributeValue(attributes, name)
    const call: Call = {
      key: text('key') ?? entry.toolCallId,
      toolCallId: entry.toolCallId,
      toolName: entry.toolName,
      state: oneOf(callStates, text('state')) ?? 'input-available',
    }
    const approval = readApproval(attributes)
    const started = Date.parse(text('started') ?? '')
    const metadata = callMetadata(meta, text('id'), entry.custom)
    const title = text('title')
    if (entry.custom) call.input = payload ?? ''
    else if (payload !== undefined && payload !== '') {
      const input = this.#json(entry, payload)
      if (input === undefined) call.rawInput = payload
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
    const open = this.#openCalls.get(entry.toolCallId)
    if (open === undefined) this.#openCalls.set(entry.toolCallId, [{ call, draft }])
    else open.push({ call, draft })
  }

  #response(entry: ToolResponseEntry, payload: string | undefined, { meta, argot }: Extras): void {
    const { attributes } = entry.node
    const found = this.#take(entry.toolCallId, attributeValue(attributes, 'key'))
    if (found === undefined) {
      const message = `No open call has the id \`${entry.toolCallId.slice(0, 64)}\`.`
      this.#report('CHATMD_RESPONSE_WITHOUT_CALL', entry, message, 'Remove the response, or correct its id.')
      return
    }
    const { call, draft } = found
    if (draft.entries.at(-1) !== this.#number) draft.entries.push(this.#number)
    draft.answered = true
    const approval = readApproval(attributes)
    const settledBy = oneOf(settlers, attributeValue(attributes, 'settled_by'))
    const ms = attributeValue(attributes, 'ms')
    call.state = oneOf(responseStates, attributeValue(attributes, 'state')) ?? 'output-available'
    if (payload !== undefined) {
      if (call.state === 'output-error') call.errorText = payload
      else call.output = attributeValue(attributes, 'encoding') === 'json' ? this.#json(entry, payload) : payload
    }
    if (approval !== undefined) call.approval = approval
    if (settledBy !== undefined) call.settledBy = settledBy
    if (hasFlag(attributes, 'preliminary')) call.preliminary = true
    if (meta !== undefined) call.resultProviderMetadata = meta
    if (meta?.argot?.details !== undefined) call.details = meta.argot.details
    if (isRecord(argot?.call)) assignFields(call, argot.call)
    if (ms !== undefined && call.startedAt !== undefined && Number.isFinite(Number(ms)))
      call.endedAt = call.startedAt + Number(ms)
    assignFields(call, argot)
  }

  /** The call that a response settles: the one of that key, else the newest open one of that id. */
  #take(id: string, key: string | undefined): { call: Call; draft: Draft } | undefined {
    const open = this.#openCalls.get(id)
    if (open === undefined) return undefined
    let index = open.findLastIndex(one => one.call.key === (key ?? id))
    if (index < 0 && key === undefined) index = open.length - 1
    return index < 0 ? undefined : open.splice(index, 1)[0]
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

/** A call with `state="again"` has no response until a run has written another one. */
function responsesToIgnore(entries: readonly ResolvedEntry[]): Set<number> {
  const ignored = new Set<number>()
  const again = new Map<string, number[]>()
  for (const [number, { entry }] of entries.entries()) {
    if (entry.type === 'tool-call' && attributeValue(entry.node.attributes, 'state') === 'again')
      again.set(entry.toolCallId, [])
    else if (entry.type === 'tool-response') again.get(entry.toolCallId)?.push(number)
  }
  for (const numbers of again.values()) {
    for (const number of numbers.length === 1 ? numbers : numbers.slice(0, -1)) ignored.add(number)
  }
  return ignored
}

function textOf(parts: readonly PromptPiece[]): string {
  return parts.map(part => (part.type === 'text' ? part.text : '')).join('')
}

function textPart(draft: Draft, entry: MessageEntry, text: string, { meta, argot }: Extras): TextPart {
  const { attributes } = entry.node
  const phase = oneOf(textPhases, attributeValue(attributes, 'phase'))
  const toolCallId = attributeValue(attributes, 'tool_call_id')
  const part: TextPart = {
    type: 'text',
    id: attributeValue(attributes, 'id') ?? partId(draft.message.id, draft.parts.length),
    text,
    state: oneOf(textStates, attributeValue(attributes, 'state')) ?? 'done',
    ...defined({ phase, toolCallId, providerMetadata: meta }),
  }
  const repeated = repeatedMetadata(part)
  const isOfRun = attributeValue(attributes, 'run') !== undefined || offsetOf(attributes) !== undefined
  const isPlain = !isOfRun || argot?.plain === true || meta?.argot !== undefined
  if (isPlain || Object.keys(repeated).length === 0) return part
  return { ...part, providerMetadata: { ...meta, argot: repeated } }
}

function oneOf<T extends string>(words: readonly T[], word: string | undefined): T | undefined {
  return words.find(one => one === word)
}

function readApproval(attributes: MessageEntry['node']['attributes']): ToolApproval | undefined {
  const id = attributeValue(attributes, 'approval_id')
  if (id === undefined) return undefined
  const approved = attributeValue(attributes, 'approved')
  const reason = attributeValue(attributes, 'approval_reason')
  const by = attributeValue(attributes, 'approved_by')
  const at = Date.parse(attributeValue(attributes, 'approved_at') ?? '')
  return {
    id,
    ...defined({ approved: approved === 'yes' || approved === 'no' ? approved === 'yes' : undefined }),
    ...defined({ reason }),
    ...defined({ always: hasFlag(attributes, 'approval_always') || undefined }),
    ...defined({ by, at: Number.isNaN(at) ? undefined : at }),
  }
}

/** The provider's data of a call, with the item id and the encoding that have attributes of their own. */
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
const isTrue = (value: unknown): boolean => typeof value === 'boolean'
const isAnything = (): boolean => true

/** The fields that may be in `argot`, and what each must be. */
const extraFields: readonly (readonly [keyof ToolInvocation, (value: unknown) => boolean])[] = [
  ['input', isAnything],
  ['rawInput', isAnything],
  ['output', isAnything],
  ['details', isAnything],
  ['errorText', isString],
  ['title', isString],
  ['settledBy', value => settlers.some(one => one === value)],
  ['providerExecuted', isTrue],
  ['preliminary', isTrue],
  ['callProviderMetadata', isRecord],
  ['resultProviderMetadata', isRecord],
  ['toolMetadata', isRecord],
  ['approval', value => isRecord(value) && isString(value.id)],
  ['startedAt', isNumber],
  ['endedAt', isNumber],
]

/** Takes the fields of a call that are in `argot`. */
function assignFields(call: Call, fields: Record<string, unknown> | undefined): void {
  if (fields === undefined) return
  for (const [field, fits] of extraFields) {
    if (Object.hasOwn(fields, field) && fits(fields[field])) Object.assign(call, { [field]: fields[field] })
  }
}
