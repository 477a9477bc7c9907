import { isToolPart, type MessagePart } from '@argot/core'
import { isCorrection, isSummary } from '@argot/core/stream/internal'

/** What a message is made of, in its order: a text, consecutive calls, or any other part. */
export type TurnItem =
  | { kind: 'text'; index: number }
  /** `steps`: the step of each call; undefined if the message doesn't tell its steps. */
  | { kind: 'calls'; indexes: readonly number[]; steps: readonly number[] | undefined }
  | { kind: 'other'; index: number }

export interface TurnLayout {
  items: readonly TurnItem[]
  /** This many items from the first on are work: what leads to calls, and the calls. The rest is the answer. */
  work: number
  calls: readonly number[]
}

/** How the parts of a message are laid out. Steps leave no mark, and text past the call limit is never shown. */
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
