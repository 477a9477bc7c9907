import type { Chunk, Diagnostic, Message } from '@argot/core'

/** Shows a stream of chunks to the user. Texts in it have their phases. */
export interface View {
  /** Shows a chunk. If it returns a promise, the reader is slow: await it before the next one. */
  push(chunk: Chunk): Promise<void> | undefined
  quote(message: Message): void
  /** Shows a notice that isn't part of the conversation. With `always`, even `--quiet` doesn't hide it. */
  notice(text: string, always?: boolean): void
  warn(warnings: readonly Diagnostic[], sources: ReadonlyMap<string | undefined, string>): void
  /** Keeps the terminal free for a question until it is answered. */
  lend<T>(question: () => Promise<T>): Promise<T>
  /** Nothing more comes. Shows what is still open, and leaves the cursor at the start of a line. */
  end(): Promise<void>
}

export function joinText({ parts }: Message): string {
  return parts.map(part => (part.type === 'text' ? part.text : '')).join('')
}

export function toUserMessage({ messageId: id, parts }: Extract<Chunk, { type: 'user-message' }>): Message {
  return { id, role: 'user', status: 'sent', parts }
}
