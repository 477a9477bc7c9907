import type { ErrorCode } from '../../source/error.ts'

/**
 * One state of a reader: reads `reader.text` from `reader.at` on and returns the state that continues. It is called
 * only while there is text, and reads at least one character or changes the state. When the text is used up, it returns
 * the state for the next piece. Anything it must remember between pieces is stored next to it.
 */
export type State = () => State

/** The states in which one reader reads a syntax's calls. */
export interface States {
  /** Entered at one of the opening's marks. Leads to `reader.open` or to `reader.notCall`. */
  opener: State
  /** The problem if the text ends within a call. `source` is the call's text from its first character. */
  unclosed(source: string): { code: ErrorCode; message: string }
  /**
   * Called if the text ends before `open`. Returns the name to open a call with (`unknown` if none was read) if the
   * text so far can only be a call that was cut off, or undefined if it is text.
   */
  cutOff?(): string | undefined
  /**
   * Called if the text ends between the mark and the end of a call. Returns the state that continues, for calls that
   * the end of the text ends, or undefined. Without this method, an opener that didn't lead to a call is text, and an
   * open call is unclosed.
   */
  end?(): State | undefined
  /** True if nothing can begin here after the start of the reply, so the reader needn't enter `opener`. */
  passes?(text: string, at: number): boolean
  /** Like `opener`, but with the text the reader has read after the mark. Without it, the reader goes back. */
  openerAfter?(prefix: string): State
  /** Another way to read the text at the mark before treating it as text. `read` characters are already read. */
  next?(): { read: number; begin: State } | undefined
  hasNext?(): boolean
}
