import type { ErrorCode } from '../../../source/error.ts'

/** What is wrong with the JSON of a call. */
export interface ScanProblem {
  code: ErrorCode
  message: string
}

/** Receives the strict JSON that a scanner makes of what it reads. */
export interface JsonSink {
  /** The next characters of the text, as they are. */
  pass(text: string): void
  /** JSON that the text has in another form, or does not have. */
  put(json: string): void
  /** Called before `put`, and before a character is left out. */
  repair(): void
}

/** Takes everything and keeps nothing. */
export const noSink: JsonSink = { pass() {}, put() {}, repair() {} }
