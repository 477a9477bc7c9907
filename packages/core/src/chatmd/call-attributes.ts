import { answerFields, pickAnswer } from '../message/approval-answer.ts'
import { isTime } from '../message/is-time.ts'
import type { FilePart } from '../message/message.ts'
import type { ProviderMetadata, ToolApproval, ToolInvocation } from '../message/tool-invocation.ts'
import { defined } from '../source/defined.ts'
import { isRecord } from '../source/is-record.ts'
import { type Attribute, attributeValue, writeAttribute } from './reader/attribute.ts'

export type Attributes = [name: string, value: string | true | undefined][]

/** The fields that a call without a result stores in `argot`, if it has them. */
export const responseFields = ['details', 'preliminary', 'resultProviderMetadata'] as const

export function hasResponse(call: ToolInvocation): boolean {
  return call.state === 'output-available' || call.state === 'output-error' || call.state === 'output-denied'
}

export function isCustom({ input, callProviderMetadata }: ToolInvocation): boolean {
  return typeof input === 'string' && callProviderMetadata?.argot?.inputEncoding === 'text'
}

/** Takes out the data that has its own attributes: the item id, and the encoding of a custom call. */
export function splitMetadata(
  metadata: ProviderMetadata | undefined,
  custom: boolean,
): { itemId?: string; meta?: ProviderMetadata } {
  const own = metadata?.argot
  if (metadata === undefined || !isRecord(own)) return metadata === undefined ? {} : { meta: metadata }
  const { itemId, inputEncoding, ...others } = own
  const hasItem = typeof itemId === 'string'
  if (!hasItem && !custom) return { meta: metadata }
  const argot = {
    ...others,
    ...defined({ itemId: hasItem ? undefined : itemId, inputEncoding: custom ? undefined : inputEncoding }),
  }
  const { argot: _, ...rest } = metadata
  const meta: ProviderMetadata = Object.keys(argot).length === 0 ? rest : { ...rest, argot }
  return defined({ itemId: hasItem ? itemId : undefined, meta: Object.keys(meta).length === 0 ? undefined : meta })
}

export function pick<K extends keyof ToolInvocation>(
  call: ToolInvocation,
  fields: readonly K[],
): Record<string, unknown> {
  const picked: Record<string, unknown> = {}
  for (const field of fields) if (call[field] !== undefined) picked[field] = call[field]
  return picked
}

export function changedFields(call: ToolInvocation, written: ToolInvocation): Record<string, unknown> | undefined {
  const fields = [
    'input',
    'rawInput',
    'title',
    'callProviderMetadata',
    'toolMetadata',
    'startedAt',
    'providerExecuted',
  ] as const
  const changed = fields.filter(
    field =>
      call[field] !== undefined &&
      call[field] !== written[field] &&
      JSON.stringify(call[field]) !== JSON.stringify(written[field]),
  )
  return changed.length === 0 ? undefined : pick(call, changed)
}

/** The input that a person gave the call, and the element's input that it replaced. */
export function editedInput(
  { input, rawInput }: ToolInvocation,
  written: ToolInvocation,
): { input: unknown; rawInput: unknown } | undefined {
  if (input === undefined || written.input === undefined || isSameJson(input, written.input)) return undefined
  return isSameJson(rawInput, written.input) ? { input, rawInput } : undefined
}

export function writeApproval(approval: ToolApproval | undefined): Attributes {
  if (approval === undefined) return []
  const answer = answerFields.map(({ name, kind, attribute }): Attributes[number] => {
    const value = approval[name]
    return [attribute, value === undefined ? undefined : writers[kind](value as never)]
  })
  return [['approval_id', approval.id], ...answer]
}

export function hasFalseFlag(approval: ToolApproval | undefined): boolean {
  return answerFields.some(({ name, kind }) => kind === 'flag' && approval?.[name] === false)
}

export function readApproval(attributes: readonly Attribute[], toolCallId: string): ToolApproval | undefined {
  // Without the sidecar, the id of the answered question is unknown.
  const isAnswered = attributeValue(attributes, 'approved') !== undefined
  const id = attributeValue(attributes, 'approval_id') ?? (isAnswered ? toolCallId : undefined)
  if (id === undefined) return undefined
  const answer = answerFields.map(({ name, kind, attribute }) => {
    const text = attributeValue(attributes, attribute)
    return [name, text === undefined ? undefined : readers[kind](text)]
  })
  return { id, ...pickAnswer(Object.fromEntries(answer)) }
}

const writers = {
  yesNo: (value: boolean) => (value ? 'yes' : 'no'),
  text: (value: string) => value,
  time: isoTime,
  flag: (value: boolean) => value || undefined,
} as const

const readers = {
  yesNo: (text: string) => (text === 'yes' || text === 'no' ? text === 'yes' : undefined),
  text: (text: string) => text,
  time: Date.parse,
  flag: () => true,
} as const

export function isoTime(time: number): string | undefined {
  return isTime(time) ? new Date(time).toISOString() : undefined
}

export function formatMilliseconds(startedAt: number | undefined, endedAt: number | undefined): string | undefined {
  if (startedAt === undefined || endedAt === undefined) return undefined
  return Number.isSafeInteger(startedAt) && Number.isSafeInteger(endedAt) ? String(endedAt - startedAt) : undefined
}

export function isSameJson(value: unknown, other: unknown): boolean {
  return value === other || JSON.stringify(value) === JSON.stringify(other)
}

/** On one line if it is short, otherwise indented. */
export function writeJson(value: unknown): string {
  const line = JSON.stringify(value)
  return line.length <= 100 ? line : JSON.stringify(value, null, 2)
}

export function writeImage({ url, mediaType, filename }: FilePart): string {
  const attributes = [writeAttribute('src', url), writeAttribute('media_type', mediaType)]
  if (filename !== undefined) attributes.push(writeAttribute('filename', filename))
  return `<img ${attributes.join(' ')}/>`
}
