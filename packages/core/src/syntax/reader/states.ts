import type { ErrorCode } from '../../source/error.ts'

/**
 * One state of a reader: reads `reader.text` from `reader.at` on and gives the state that continues. It is called only
 * while there is text, reads at least one character or changes the state, and when the text is used up gives the state
 * in which the next piece is to be read; what it must remember between pieces it keeps beside itself.
 */
export type State = () => State

/** The states of one reader that read the calls of a syntax. */
export interface States {
  /** Entered at one of the opening's marks. Leads to `reader.open` or to `reader.notCall`. */
  opener: State
  /** What is wrong when the text ends within a call; `source` is the call's text from its first character. */
  unclosed(source: string): { code: ErrorCode; message: string }
  /**
   * Asked when the text ends before `open`: the name to open a call with (`unknown` where none was read) if what was
   * read can only be a call that was cut off, undefined if it is text.
   */
  cutOff?(): string | undefined
  /**
   * The text ends between the mark and the end of a call: the state that continues, for calls that the end of the text
   * ends, or undefined. Without it an opener that did not lead to a call is text, and an open call is unclosed.
   */
  end?(): State | undefined
  /**
   * Nothing begins at this place of the text, after the first thing of the reply, whatever follows: the reader need not
   * go to `opener`.
   */
  passes?(text: string, at: number): boolean
  /** Like `opener`, where what the reader has read after the mark is known; without it the reader goes back. */
  openerAfter?(read: string): State
  /** Another way to read what is at the mark, tried before it is text: `begin`, with this many characters read already. */
  next?(): { read: number; begin: State } | undefined
  /** There is such a way. */
  hasNext?(): boolean
}
