import { describeSystemError } from '@argot/core/stream/internal'

/** An error's message in words that a person understands, or a description of whatever was thrown. */
export function toMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'AbortError') return 'It was stopped.'
  return describeSystemError(error) ?? error.message
}
