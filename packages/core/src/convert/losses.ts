import type { Message } from '../message/message.ts'
import { isRecord } from '../source/is-record.ts'

export interface Loss {
  /** `createdAt`, `parts[].toolInvocation.startedAt`. */
  field: string
  count: number
}

/** `after` is `before` written and read back. Compares everything, so no loss goes unnoticed. */
export function findLosses(before: readonly Message[], after: readonly Message[]): Loss[] {
  const counts = new Map<string, number>()
  const note = (field: string): void => void counts.set(field, (counts.get(field) ?? 0) + 1)
  before.forEach((message, index) => {
    const other = after[index]
    if (other === undefined) note('message')
    else compare(toComparable(message), toComparable(other), '', note)
  })
  return [...counts].map(([field, count]) => ({ field, count }))
}

/** Without undefined fields and a first `step-start`, which says nothing: every message begins with a step. */
function toComparable({ parts, ...fields }: Message): unknown {
  const contents = parts[0]?.type === 'step-start' ? parts.slice(1) : parts
  return JSON.parse(JSON.stringify({ ...fields, parts: contents }))
}

function compare(before: unknown, after: unknown, field: string, note: (field: string) => void): void {
  if (Object.is(before, after)) return
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length) return note(`${field}[]`)
    for (const [index, item] of before.entries()) compare(item, after[index], `${field}[]`, note)
  } else if (isRecord(before) && isRecord(after)) {
    for (const key of Object.keys(before)) {
      compare(
        before[key],
        Object.hasOwn(after, key) ? after[key] : undefined,
        field === '' ? key : `${field}.${key}`,
        note,
      )
    }
  } else note(field)
}
