import { isRecord } from '../source/is-record.ts'
import type { MessagePart } from './message.ts'
import type { ProviderMetadata, ToolApproval, ToolInvocation } from './tool-invocation.ts'

export type MetadataPlace = 'call' | 'result' | 'text' | 'other'

type FieldCheck = (value: unknown) => boolean

const isText: FieldCheck = value => typeof value === 'string'
const isAnything: FieldCheck = () => true
const isCount: FieldCheck = value => Number.isSafeInteger(value) && (value as number) >= 0
const isOneOf =
  (...words: readonly string[]): FieldCheck =>
  value =>
    words.some(word => word === value)

/** Where in the model's text a call was found, in what form, and what was wrong with it. */
const fieldChecks: Readonly<Record<string, FieldCheck>> = {
  code: isText,
  offset: isCount,
  dialect: isText,
  inReasoning: value => value === true,
  repaired: value => Array.isArray(value) && value.every(isText),
  modelId: isText,
  extra: isRecord,
}

/**
 * Everything allowed under `argot`. Providers, documents and clients can write here, so it contains nothing that people
 * or programs base decisions on: a question's facts are in `approval.facts`, which only the run that asks can set.
 */
const allowedFields: Readonly<Record<MetadataPlace, Readonly<Record<string, FieldCheck>>>> = {
  call: {
    ...fieldChecks,
    itemId: isText,
    callId: isText,
    inputEncoding: isOneOf('text', 'json'),
    rawInput: isAnything,
  },
  result: {
    ...fieldChecks,
    details: isAnything,
    waited: value => typeof value === 'number',
    settledBy: isOneOf('abort', 'error', 'end', 'limit'),
    approval: value => isRecord(value) && !Object.hasOwn(value, 'facts'),
    full: value => isRecord(value) && isCount(value.bytes) && isText(value.sha256),
  },
  text: {
    phase: isOneOf('pending', 'commentary', 'final', 'remainder'),
    toolCallId: isText,
    state: isOneOf('aborted'),
  },
  other: {},
}

/** Removes other fields under `argot`. Returns the same object if nothing had to be removed. */
export function checkMetadata(metadata: ProviderMetadata, place: MetadataPlace): ProviderMetadata {
  if (!isRecord(metadata) || !Object.hasOwn(metadata, 'argot')) return metadata
  const { argot, ...others } = metadata
  if (!isRecord(argot)) return others
  const checks = allowedFields[place]
  const fits = ([key, value]: [string, unknown]): boolean => Object.hasOwn(checks, key) && checks[key]!(value)
  const entries = Object.entries(argot)
  if (entries.every(fits)) return metadata
  const fields = entries.filter(fits)
  return fields.length === 0 ? others : { ...others, argot: Object.fromEntries(fields) }
}

/** The same for optional metadata; undefined if nothing is left. */
export function checkOptionalMetadata(
  metadata: ProviderMetadata | undefined,
  place: MetadataPlace,
): ProviderMetadata | undefined {
  if (metadata === undefined) return undefined
  const checked = checkMetadata(metadata, place)
  return checked !== metadata && Object.keys(checked).length === 0 ? undefined : checked
}

/** Undefined if nothing is left. */
export function withoutArgotMetadata(metadata: ProviderMetadata | undefined): ProviderMetadata | undefined {
  if (!isRecord(metadata) || !Object.hasOwn(metadata, 'argot')) return metadata
  const { argot: _, ...others } = metadata
  return Object.keys(others).length === 0 ? undefined : others
}

/** Only the run that asks can set the facts and the signature. */
export function withoutRunFields(approval: ToolApproval): ToolApproval {
  const { facts: _, signature: __, ...rest } = approval
  return rest
}

/** A part from a document or a client must not have fields that only a run can set. */
export function checkPart(part: MessagePart): MessagePart {
  if ('toolInvocation' in part && isRecord(part.toolInvocation)) {
    return { ...part, toolInvocation: checkCall(part.toolInvocation) } as MessagePart
  }
  if (!('providerMetadata' in part) || part.providerMetadata === undefined) return part
  const { providerMetadata, ...rest } = part
  const ownFields = checkOptionalMetadata(
    providerMetadata,
    part.type === 'text' || part.type === 'reasoning' ? 'text' : 'other',
  )
  return (ownFields === undefined ? rest : { ...rest, providerMetadata: ownFields }) as MessagePart
}

function checkCall(call: ToolInvocation): ToolInvocation {
  const { callProviderMetadata, resultProviderMetadata, approval, ...rest } = call
  const checked: ToolInvocation = rest
  const callMetadata = checkOptionalMetadata(callProviderMetadata, 'call')
  const resultMetadata = checkOptionalMetadata(resultProviderMetadata, 'result')
  if (callMetadata !== undefined) checked.callProviderMetadata = callMetadata
  if (resultMetadata !== undefined) checked.resultProviderMetadata = resultMetadata
  if (isRecord(approval)) checked.approval = withoutRunFields(approval)
  return checked
}
