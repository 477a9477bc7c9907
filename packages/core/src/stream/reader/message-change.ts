import type { Message, MessagePart } from '../../message/message.ts'
import type { GrownString } from '../json/partial-json.ts'

/**
 * One change of a message. A copy that applies all changes in order equals the message.
 * - `message`: everything except the parts is now this. With `begins`, it is a new message and has no parts yet.
 * - `added`: this part is new, at the end.
 * - `appended`: the text of this part continues with `text`.
 * - `changed`: this part was replaced. With `grown`, only one string in its call's input became longer.
 * - `removed`: the parts from here on were removed.
 */
export type MessageChange =
  | { type: 'message'; begins: boolean; message: Omit<Message, 'parts'> }
  | { type: 'added'; index: number; part: MessagePart }
  | { type: 'appended'; index: number; text: string }
  | { type: 'changed'; index: number; part: MessagePart; grown?: GrownString }
  | { type: 'removed'; from: number }
