import { type Chunk, describeCall } from '@argot/core'
import { argotMetadata, chunkFacts, english, settledState } from '@argot/core/stream'
import { type ChunkOn, defined, type ToolOutputAvailable } from '@argot/core/stream/internal'

export class Tally {
  #steps = 0
  readonly #ended: Map<string, 'well' | 'failed' | 'denied'> = new Map()
  #usage: TokenUse = {}
  #error: string | undefined

  push(chunk: Chunk): void {
    const { on, does } = chunkFacts(chunk)
    if (on === 'step') this.#steps += does === 'opens' ? 1 : does === 'resets' ? -1 : 0
    else if (on === 'call') this.#countCall(chunk as ChunkOn<'call'>)
    else if (chunk.type === 'error') this.#error = chunk.errorText
    else if (chunk.type === 'finish' || chunk.type === 'message-metadata') {
      this.#usage = { ...this.#usage, ...readUsage(chunk.messageMetadata) }
    }
  }

  get error(): string | undefined {
    return this.#error
  }

  /**
   * For example "3 steps, 5 calls (1 failed), 1,204 tokens (1,000 in, 204 out), cost 0.0031, 12 s". Estimates have
   * "about".
   */
  describe(milliseconds: number): string {
    const words = [plural(this.#steps, 'step')]
    const problems = (['failed', 'denied'] as const)
      .map(how => [[...this.#ended.values()].filter(end => end === how).length, how] as const)
      .filter(([count]) => count > 0)
    const how = problems.length === 0 ? '' : ` (${problems.map(one => one.join(' ')).join(', ')})`
    if (this.#ended.size > 0) words.push(plural(this.#ended.size, 'call') + how)
    const { total = 0, input, output, cost, estimated } = this.#usage
    const about = estimated === true ? 'about ' : ''
    const split =
      input === undefined || output === undefined ? '' : ` (${english.number(input)} in, ${english.number(output)} out)`
    if (total > 0) words.push(`${about}${plural(total, 'token')}${split}`)
    if (cost !== undefined && cost > 0) words.push(`cost ${about}${Number(cost.toPrecision(3))}`)
    return [...words, english.duration(milliseconds)].join(', ')
  }

  /** Ignores further ends of a call. */
  #countCall(chunk: ChunkOn<'call'>): void {
    const state = settledState(chunk)
    if (state === undefined || this.#ended.has(chunk.toolCallId)) return
    if (state === 'output-denied') this.#ended.set(chunk.toolCallId, 'denied')
    else this.#ended.set(chunk.toolCallId, state === 'output-available' && hasSucceeded(chunk) ? 'well' : 'failed')
  }
}

/** The same rule as for its row: a program that ran and failed is a failed call. */
function hasSucceeded(chunk: ChunkOn<'call'>): boolean {
  const { toolCallId } = chunk
  const { output } = chunk as ToolOutputAvailable
  const details = argotMetadata(chunk)?.details
  const call = { key: toolCallId, toolCallId, toolName: '', state: 'output-available', output, details } as const
  return describeCall(call).state === 'done'
}

export function plural(count: number, word: string): string {
  return `${english.number(count)} ${word}${count === 1 ? '' : 's'}`
}

export interface TokenUse {
  total?: number
  input?: number
  output?: number
  cost?: number
  estimated?: boolean
}

export function readUsage(metadata: unknown): TokenUse {
  const usage = (metadata as { usage?: Record<string, unknown> } | null | undefined)?.usage
  if (typeof usage !== 'object' || usage === null) return {}
  const number = (value: unknown): number | undefined => (Number.isFinite(value) ? (value as number) : undefined)
  const [input, output] = [number(usage.inputTokens), number(usage.outputTokens)]
  const total = number(usage.totalTokens) ?? (input ?? 0) + (output ?? 0)
  const estimated = usage.estimated === true ? true : undefined
  return defined({ total, input, output, cost: number(usage.cost), estimated })
}
