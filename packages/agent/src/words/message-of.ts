import { describeSystemError } from '@argot/core/stream/internal'

/** What an error says, in words that a person understands, or what was thrown instead of one. */
export function toMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'AbortError') return 'It was stopped.'
  return describeSystemError(error) ?? error.message
}
