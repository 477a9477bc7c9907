import type { JsonSink } from './json-sink.ts'

/** Reads, in pieces, strings that a dialect writes differently from JSON, and passes them on as JSON. */
export interface StringReader {
  /** `none`: what looked like a string wasn't one. */
  readonly state: 'reading' | 'closed' | 'none'
  /** Set once the string is closed if it is unclear where it ends. */
  readonly problem: string | undefined
  /** The repair made in the string, once it is closed. */
  readonly repaired: string | undefined
  begins(code: number, isKey: boolean): boolean
  /** A string begins with the next character. `prefix` is the word directly before it. */
  begin(prefix?: string): void
  /** True for a word that belongs to the string after it: `r'\d'`. */
  isPrefix(word: string, next: number): boolean
  /** Returns the index after what it read. */
  read(text: string, at: number, sink: JsonSink): number
}

/**
 * `strings` reads strings that differ from JSON's. With `rounds`, large integers stay numbers. With `python`, Python's
 * literals and quotes are correct.
 */
export interface ScannerOptions {
  strings?: StringReader | undefined
  rounds?: boolean
  python?: boolean
}
