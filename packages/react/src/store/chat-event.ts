/** What screen readers announce, at the boundaries of a run; never a token. */
export type ChatEvent =
  | { type: 'run-started' }
  | { type: 'call-asks'; callKey: string }
  | { type: 'call-failed'; callKey: string }
  /** Its output has arrived, and is not preliminary. */
  | { type: 'call-done'; callKey: string }
  | { type: 'run-ended'; messageId: string | undefined; how: 'complete' | 'stopped' | 'failed' | 'waiting' }
