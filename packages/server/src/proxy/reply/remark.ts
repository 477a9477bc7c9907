/** A remark about a reply for people: in the log line, on the debug page, and in a comment in the stream. */
export interface Remark {
  /** `near-miss`: text that looks like a call but isn't one. */
  type:
    | 'near-miss'
    | 'broken-call'
    | 'repaired'
    | 'doubled-call'
    | 'lost-call'
    | 'past-limit'
    | 'quoted-error'
    | 'upstream'
  message: string
  toolName?: string | undefined
}

/** The remarks as a comment in the event stream, which clients skip. Empty if there are none. */
export function formatComment(remarks: readonly Remark[]): string {
  const lines = remarks
    .slice(0, 16)
    .map(({ type, message }) => `: argot ${type}: ${message.replace(/\s+/g, ' ').slice(0, 400)}\n`)
  return lines.length === 0 ? '' : `${lines.join('')}\n`
}
