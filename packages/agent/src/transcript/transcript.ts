import type { Accumulator, Chunk, Message } from 'argot'

/**
 * The document of a run on disk: its run log, and the elements that are appended to the document from it. Held by one
 * run at a time. Everything that `push` has taken is in the log when it returns, so that `kill -9` loses nothing.
 */
export interface Transcript {
  readonly file: string
  /** The whole text of the document now: repaired, and with everything that an earlier log still had to say. */
  readonly source: string
  /** What was repaired or recovered, in words for a person. */
  readonly notices: readonly string[]
  /** Of a run that died: what its log knows and the document cannot say. */
  readonly recovered: Recovered | undefined
  /** Appends a whole message of the user, synced. */
  write(message: Message): Promise<void>
  /** Starts the log of a run. `message` is what the document already has of the message that the run goes on with. */
  begin(run: { id: string; message?: Message; payloads: 'inline' | 'external' }): Promise<void>
  /**
   * Takes a chunk that `fold` has just taken: one line of the log, and in the document the elements that are complete
   * with it. Elements of a step appear when the model's part of it is over (`data-argot-step`), never before, because
   * until then the step may be reset. Synchronous; returns the chunk's offset.
   */
  push(chunk: Chunk, fold: Pick<Accumulator, 'message'>): number
  /** Waits until the disk has everything that was pushed. */
  sync(): Promise<void>
  /** Gives the document free for the next run. */
  close(): Promise<void>
}

/** What was in the log of a run that died, and is not in the document. */
export interface Recovered {
  runId: string
  messageId: string
  /** Calls whose tool had been started, by id: what they did is not known. Others had not begun. */
  started: ReadonlySet<string>
  /** What a person gave calls without an answer instead of the input that the document shows, by id, if there is any. */
  inputs?: ReadonlyMap<string, unknown>
  /**
   * Calls of a step that the model had not finished and that will be made again: what their tools gave. The same tool
   * with the same input gets this instead of running a second time.
   */
  answers: readonly { toolName: string; input: unknown; output: unknown; details?: unknown }[]
}

export interface TranscriptOptions {
  /** Wait for another run on the same file instead of failing with `RUN_LOCKED`. */
  wait?: boolean
  signal?: AbortSignal
  now?: () => number
}

export { stepMark } from 'argot'

/** The type of the transient chunk that says that a tool which changes something starts. */
export const callMark = 'data-argot-call'
