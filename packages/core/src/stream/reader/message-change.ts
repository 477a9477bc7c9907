import type { Message, MessagePart } from '../../message/message.ts'
import type { GrownString } from '../json/partial-json.ts'

/**
 * One change of a message. A copy that applies them in their order equals the message:
 * `message`: everything but the parts is now this; with `begins`, it is a new message and has no parts yet ·
 * `added`: this part is new, at the end · `appended`: the text of this part continues with `text` ·
 * `changed`: this part is now another; with `grown`, only one string in the input of its call has become longer ·
 * `removed`: the parts from here on are gone.
 */
export type MessageChange =
  | { type: 'message'; begins: boolean; message: Omit<Message, 'parts'> }
  | { type: 'added'; index: number; part: MessagePart }
  | { type: 'appended'; index: number; text: string }
  | { type: 'changed'; index: number; part: MessagePart; grown?: GrownString }
  | { type: 'removed'; from: number }
