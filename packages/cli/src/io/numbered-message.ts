import type { Message } from '@argot/core'

/** A message of a document. */
export interface NumberedMessage {
  /** Its place among the messages of the document; undefined for one of an import. */
  number: number | undefined
  message: Message
}
