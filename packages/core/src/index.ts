export { type FullStreamPart, fromFullStream } from './ai-sdk/full-stream.ts'
export { fromUIMessage, toUIMessage, type UIMessage, type UIMessagePart } from './ai-sdk/ui-message.ts'
// By stars, so that a bundle takes what it uses and an augmentation of this module reaches the types.
export * from './message/public.ts'
export type * from './message/tool-types.ts'
export * from './source/public.ts'
export * from './stream/public.ts'
