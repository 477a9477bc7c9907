import type { Chunk } from '@argot/core'
import type { Usage } from '@argot/core/ai-sdk/internal'
import { defined } from '@argot/core/stream/internal'
import { agentsMark, compactedMark, markData, stepMark, takenBackMark } from './marks.ts'

export type PricedUsage = Usage & { cost?: number }

export interface RunSpending {
  /** Completed model calls. A call that died with its process is repeated and counted once. */
  steps: number
  usage: Usage
  own: Usage
  /** Agents, and the model that writes summaries. */
  others: readonly PricedUsage[]
}

/** Adds up a run's usage from its log: its own steps, its summaries, and the agents in its document and its calls. */
export class LoggedSpending implements RunSpending {
  steps = 0
  usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
  own: Usage = this.usage
  readonly others: PricedUsage[] = []

  push(chunk: Chunk): void {
    switch (chunk.type) {
      case stepMark:
      case takenBackMark:
        this.steps++
        return this.#addOwn(markData(chunk).usage)
      case compactedMark:
      case agentsMark:
        return this.#addOther(markData(chunk).usage)
      case 'data-argot-sub':
        return this.#addOther(readEndUsage(markData(chunk).chunk))
      default:
    }
  }

  #addOwn(value: unknown): void {
    const usage = readUsage(value)
    this.usage = addUsage(this.usage, usage)
    this.own = addUsage(this.own, usage)
  }

  #addOther(value: unknown): void {
    if (value === undefined) return
    const usage = readUsage(value)
    const cost = (value as Partial<PricedUsage> | null)?.cost
    const isCost = typeof cost === 'number' && Number.isFinite(cost) && cost >= 0
    this.usage = addUsage(this.usage, usage)
    this.others.push(isCost ? { ...usage, cost } : usage)
  }
}

/** Reads token counts from a log or a sidecar and ignores everything else. */
export function readUsage(value: unknown): Usage {
  const { inputTokens = 0, outputTokens = 0, totalTokens = inputTokens + outputTokens, ...rest } = readCounts(value)
  return { inputTokens, outputTokens, totalTokens, ...rest }
}

/** The run's total usage, from one of its last chunks. */
export function readEndUsage(chunk: unknown): unknown {
  const { type, messageMetadata } = (chunk ?? {}) as { type?: unknown; messageMetadata?: { usage?: unknown } | null }
  // A run that fails or is stopped reports its usage right before its end.
  return type === 'finish' || type === 'message-metadata' ? messageMetadata?.usage : undefined
}

/** Adds two usages. Counts that neither of them has stay undefined. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum = (one: number | undefined, other: number | undefined): number | undefined =>
    one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0)
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    totalTokens: a.totalTokens + b.totalTokens,
    ...defined({
      reasoningTokens: sum(a.reasoningTokens, b.reasoningTokens),
      cachedInputTokens: sum(a.cachedInputTokens, b.cachedInputTokens),
      estimated: a.estimated ?? b.estimated,
    }),
  }
}

const counts = ['inputTokens', 'outputTokens', 'totalTokens', 'reasoningTokens', 'cachedInputTokens'] as const

function readCounts(usage: unknown): Partial<Usage> {
  if (typeof usage !== 'object' || usage === null) return {}
  const usageCounts: Partial<Usage> = {}
  for (const name of counts) {
    const count = (usage as Partial<Record<string, unknown>>)[name]
    if (typeof count === 'number' && Number.isFinite(count) && count >= 0) usageCounts[name] = count
  }
  if ((usage as Partial<Usage>).estimated === true) usageCounts.estimated = true
  return usageCounts
}
