import { isRecord } from '../source/is-record.ts'
import type { DataPart, MessagePart } from './message.ts'

export const summaryType = 'data-argot-summary'

/**
 * A summary of older turns. In the prompt its text replaces them; the document keeps them. It is part of the
 * assistant's message that follows or contains it. In a document it is a `<developer>` element.
 */
export interface SummaryPart extends DataPart {
  type: typeof summaryType
  /**
   * `replaces`: how many turns it replaces, from the first one. A system, developer or user message is one turn, and so
   * is each reply.
   */
  data: { text: string; replaces: number }
}

export function isSummary(part: MessagePart): part is SummaryPart {
  if (part.type !== summaryType || !('data' in part) || !isRecord(part.data)) return false
  const { text, replaces } = part.data
  return typeof text === 'string' && Number.isSafeInteger(replaces) && (replaces as number) > 0
}

/** As an element writes it: `1-12`. */
export function formatReplaced(replaces: number): string {
  return `1-${replaces}`
}

export function parseReplaced(text: string | undefined): number | undefined {
  const last = Number(/^\s*1\s*[-–]\s*([0-9]{1,9})\s*$/.exec(text ?? '')?.[1])
  return last > 0 ? last : undefined
}
