import { isRecord } from '@argot/core/stream/internal'
import { estimateTokens } from '../protocol/estimate-tokens.ts'
import type { TokenUsage } from '../protocol/protocol.ts'
import type { Reply } from './reply.ts'

/** Estimates numbers that the upstream leaves out, because some clients need them. */
export function readUsage(
  usage: unknown,
  request: Readonly<Record<string, unknown>>,
  replies: readonly Reply[],
): TokenUsage {
  const fields = isRecord(usage) ? usage : {}
  const details = isRecord(fields.prompt_tokens_details) ? fields.prompt_tokens_details : {}
  const input = count(fields.prompt_tokens)
  const output = count(fields.completion_tokens)
  const cached = Math.min(count(details.cached_tokens) ?? 0, input ?? 0)
  return {
    input: input ?? estimateTokens([request.messages, request.tools]),
    output: output ?? replies.reduce((sum, { written, reasoning }) => sum + estimateTokens([written, reasoning]), 0),
    cached,
    isEstimated: input === undefined || output === undefined,
  }
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
