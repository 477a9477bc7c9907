export { type FullStreamPart, fromFullStream } from './full-stream.ts'
export { fromUIMessage, toUIMessage, type UIMessage, type UIMessagePart } from './ui-message.ts'
