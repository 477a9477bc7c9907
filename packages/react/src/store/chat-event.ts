/** What a person who does not see the page is told about, at the boundaries of a run; never a token. */
export type ChatEvent =
  | { type: 'run-started' }
  | { type: 'call-asks'; callKey: string }
  | { type: 'call-failed'; callKey: string }
  /** Its output is there, and is no preview. */
  | { type: 'call-done'; callKey: string }
  | { type: 'run-ended'; messageId: string | undefined; how: 'complete' | 'stopped' | 'failed' | 'waiting' }
