import type { Chunk, Diagnostic, Message } from '@argot/core'

/** Shows a stream of chunks, whose texts have their phases, to whoever started the command. */
export interface View {
  /** Shows a chunk. A promise means that the reader is slow: wait for it before the next one. */
  push(chunk: Chunk): Promise<void> | undefined
  /** Shows a message of somebody else than the assistant. */
  quote(message: Message): void
  /** Tells a person something that is not part of the conversation; what is said `always` is not for the quiet to hide. */
  notice(text: string, always?: boolean): void
  /** Tells a person what is doubtful about the document that is run. */
  warn(warnings: readonly Diagnostic[], sources: ReadonlyMap<string | undefined, string>): void
  /** Keeps the terminal free for a question until it is answered. */
  lend<T>(question: () => Promise<T>): Promise<T>
  /** Nothing more comes: shows what is still open, and leaves the cursor at the start of a line. */
  end(): Promise<void>
}

/** The text of a message, without its calls and files. */
export function joinText({ parts }: Message): string {
  return parts.map(part => (part.type === 'text' ? part.text : '')).join('')
}

/** The message with which a user joined a run. */
export function joinedMessage({ messageId: id, parts }: Extract<Chunk, { type: 'user-message' }>): Message {
  return { id, role: 'user', status: 'sent', parts }
}
