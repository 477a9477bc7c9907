import type { Message } from '@argot/core'

export interface NumberedMessage {
  /** Its position among the document's messages. Undefined for an imported message. */
  number: number | undefined
  message: Message
}
