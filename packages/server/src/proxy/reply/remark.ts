/** Something that a person should know of a reply: it is in the log line, on the debug page, and in a comment of the stream. */
export interface Remark {
  /** `near-miss`: text that looks like a call and is none. */
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

/** The remarks as a comment of server-sent events, which clients skip; empty if there are none. */
export function formatComment(remarks: readonly Remark[]): string {
  const lines = remarks
    .slice(0, 16)
    .map(({ type, message }) => `: argot ${type}: ${message.replace(/\s+/g, ' ').slice(0, 400)}\n`)
  return lines.length === 0 ? '' : `${lines.join('')}\n`
}
