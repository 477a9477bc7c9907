/** What an error says, or what was thrown instead of one. */
export function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
