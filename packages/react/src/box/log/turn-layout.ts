import { isToolPart, type MessagePart } from '@argot/core'
import { isCorrection, isSummary } from '@argot/core/stream/internal'

/** A message's items, in order: a text, consecutive calls, or any other part. */
export type TurnItem =
  | { kind: 'text'; index: number }
  /** `steps`: each call's step; undefined if the message doesn't mark its steps. */
  | { kind: 'calls'; indexes: readonly number[]; steps: readonly number[] | undefined }
  | { kind: 'other'; index: number }

export interface TurnLayout {
  items: readonly TurnItem[]
  /** This many items from the start are work: the calls, and what leads to them. The rest is the answer. */
  work: number
  calls: readonly number[]
}

/** A message's layout. Steps leave no mark, and text past the call limit is never shown. */
export function turnLayout(parts: readonly MessagePart[]): TurnLayout {
  const items: TurnItem[] = []
  const calls: number[] = []
  const hasSteps = parts.some(({ type }) => type === 'step-start')
  let step = 0
  let work = 0
  parts.forEach((part, index) => {
    if (part.type === 'step-start') step++
    if (part.type === 'step-start' || isHidden(part)) return
    if (isToolPart(part)) {
      calls.push(index)
      const last = items.at(-1)
      const before = last?.kind === 'calls' ? last : undefined
      const steps = hasSteps ? [...(before?.steps ?? []), step] : undefined
      const item: TurnItem = { kind: 'calls', indexes: [...(before?.indexes ?? []), index], steps }
      items.splice(before === undefined ? items.length : items.length - 1, 1, item)
      work = items.length
    } else items.push({ kind: part.type === 'text' ? 'text' : 'other', index })
  })
  return { items, work, calls }
}

function isHidden(part: MessagePart): boolean {
  return (
    (part.type.startsWith('data-argot-') && !isCorrection(part) && !isSummary(part)) ||
    (part.type === 'text' && part.phase === 'remainder')
  )
}
