import type { ErrorCode } from '../../../source/error.ts'

export interface ScanProblem {
  code: ErrorCode
  message: string
}

/** Receives the strict JSON that a scanner produces. */
export interface JsonSink {
  /** The next characters of the text, unchanged. */
  pass(text: string): void
  /** JSON that the text has in another form, or lacks. */
  put(json: string): void
  /** Called before `put`, and before a character is dropped. */
  repair(): void
}

export const noSink: JsonSink = { pass() {}, put() {}, repair() {} }
