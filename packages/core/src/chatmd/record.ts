import type { MessageStatus, TextPart, TextPhase, TextState } from '../message/message.ts'
import type { SettledBy, ToolState } from '../message/tool-invocation.ts'
import { defined } from '../source/defined.ts'
import { isRecord } from '../source/is-record.ts'
import { type Attribute, attributeValue } from './reader/attribute.ts'

/** `docs/decisions/chatmd-records.md` lists the attributes. */
export const textStates: readonly TextState[] = ['streaming', 'done', 'aborted']
export const textPhases: readonly TextPhase[] = ['pending', 'commentary', 'final', 'remainder']
export const messageStatuses: readonly MessageStatus[] = ['streaming', 'sent', 'cancelled', 'error']
export const callStates: readonly ToolState[] = [
  'input-streaming',
  'input-available',
  'approval-requested',
  'approval-responded',
]
export const responseStates: readonly ToolState[] = ['output-available', 'output-error', 'output-denied']
export const settlers: readonly SettledBy[] = ['abort', 'error', 'end', 'limit']

/** The parts that are written as JSON in an `<assistant part="…">`. */
export function isJsonPart(part: string): part is 'source-url' | 'source-document' | 'file' | `data-${string}` {
  return part === 'source-url' || part === 'source-document' || part === 'file' || part.startsWith('data-')
}

/** The objects in `meta` and `argot` (or in the file that `meta_src` names). */
export interface ElementExtras {
  meta?: Record<string, Record<string, unknown>>
  argot?: Record<string, unknown>
  src?: string
}

/** Metadata of a text that its attributes repeat: it is left out of `meta` and restored when the element is read. */
export function repeatedMetadata(part: Pick<TextPart, 'phase' | 'toolCallId' | 'state'>): Record<string, unknown> {
  const { phase, toolCallId, state } = part
  return {
    ...(phase === undefined || phase === 'pending' ? {} : { phase }),
    ...defined({ toolCallId }),
    ...(state === 'aborted' ? { state } : {}),
  }
}

/** The offset of a run's last chunk in an element; undefined if no run wrote it. */
export function readOffset(attributes: readonly Attribute[]): number | undefined {
  const offset = attributeValue(attributes, 'offset')
  return offset !== undefined && /^[0-9]{1,15}$/.test(offset) ? Number(offset) : undefined
}

export function parseObject(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function partId(messageId: string, index: number): string {
  return `${messageId}:${index}`
}
