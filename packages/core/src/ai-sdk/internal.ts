/** For the packages of this repository alone: names here change without notice. */
export { GrowingPrompt } from './prompt/growing-prompt.ts'
export { sentId } from './prompt/native-history.ts'
export type { PromptOptions } from './prompt/prompt-writer.ts'
export { toTextPrompt } from './prompt/text-prompt.ts'
export { tracePrompt } from './prompt/trace-prompt.ts'
export type { ReplyReaderOptions } from './reply/reply-reader.ts'
export type { Usage } from './reply/usage.ts'
export type { UIMessagePart } from './ui-message.ts'
