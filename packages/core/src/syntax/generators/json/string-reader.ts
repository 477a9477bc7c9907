import type { JsonSink } from './json-sink.ts'

/** Reads, in pieces, the strings that a dialect writes otherwise than JSON does, and gives them on as JSON. */
export interface StringReader {
  /** `none`: what began like a string was none. */
  readonly state: 'reading' | 'closed' | 'none'
  /** What is wrong with the string, once it is closed; nobody can tell where it ends. */
  readonly problem: string | undefined
  /** What was repaired in the string, once it is closed. */
  readonly repaired: string | undefined
  /** A string begins with this character. */
  begins(code: number, isKey: boolean): boolean
  /** A string begins with the next character; `prefix` is the word right before it. */
  begin(prefix?: string): void
  /** True for a word that belongs to the string which begins with the character after it: `r'\d'`. */
  isPrefix(word: string, next: number): boolean
  /** Reads on in `text`; gives the index after what was read. */
  read(text: string, at: number, sink: JsonSink): number
}

/** What a scanner allows: `strings` that aren't JSON's, `rounds` leaves large integers, `python` takes its literals. */
export interface ScannerOptions {
  strings?: StringReader | undefined
  rounds?: boolean
  python?: boolean
}
