import { isTime } from '../message/is-time.ts'
import type { FilePart } from '../message/message.ts'
import type { ProviderMetadata, ToolApproval, ToolInvocation } from '../message/tool-invocation.ts'
import { defined } from '../source/defined.ts'
import { isRecord } from '../source/is-record.ts'
import { writeAttribute } from './reader/attribute.ts'

/** What an element says before its content, in order; undefined is left out. */
export type Attributes = [name: string, value: string | true | undefined][]

/** The fields that a call without a result keeps in `argot`, should it have them. */
export const responseFields = ['details', 'preliminary', 'resultProviderMetadata'] as const

export function hasResponse(call: ToolInvocation): boolean {
  return call.state === 'output-available' || call.state === 'output-error' || call.state === 'output-denied'
}

export function isCustom({ input, callProviderMetadata }: ToolInvocation): boolean {
  return typeof input === 'string' && callProviderMetadata?.argot?.inputEncoding === 'text'
}

/** The provider's data without what has attributes of its own. */
export function withoutOwn(
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

/** The fields of the call element that differ from what was written. */
export function changes(call: ToolInvocation, written: ToolInvocation): Record<string, unknown> | undefined {
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

export function writeApproval(approval: ToolApproval | undefined): Attributes {
  if (approval === undefined) return []
  const { id, approved, by, at, reason, always } = approval
  return [
    ['approval_id', id],
    ['approved', approved === undefined ? undefined : approved ? 'yes' : 'no'],
    ['approved_by', by],
    ['approved_at', at === undefined ? undefined : isoTime(at)],
    ['approval_reason', reason],
    ['approval_always', always ? true : undefined],
  ]
}

export function isoTime(time: number): string | undefined {
  return isTime(time) ? new Date(time).toISOString() : undefined
}

export function duration(startedAt: number | undefined, endedAt: number | undefined): string | undefined {
  if (startedAt === undefined || endedAt === undefined) return undefined
  return Number.isSafeInteger(startedAt) && Number.isSafeInteger(endedAt) ? String(endedAt - startedAt) : undefined
}

/** The details of a result come with its metadata, and are written once. */
export function isSame(details: unknown, said: unknown): boolean {
  return details === said || JSON.stringify(details) === JSON.stringify(said)
}

/** On one line where it is short, else indented. */
export function writeJson(value: unknown): string {
  const line = JSON.stringify(value)
  return line.length <= 100 ? line : JSON.stringify(value, null, 2)
}

/** A file of a message as an element. */
export function writeImage({ url, mediaType, filename }: FilePart): string {
  const attributes = [writeAttribute('src', url), writeAttribute('media_type', mediaType)]
  if (filename !== undefined) attributes.push(writeAttribute('filename', filename))
  return `<img ${attributes.join(' ')}/>`
}
