/** What of this folder is in the door `argot`. */
export type { CallLocale } from './call-locale.ts'
export { type CallDescription, type DescribeCallOptions, describeCall } from './describe-call.ts'
export { english } from './english.ts'
export {
  isToolPart,
  type Message,
  type MessagePart,
  type Role,
  type TextPart,
  type ToolPart,
  toolCalls,
} from './message.ts'
export type { JsonSchema, ToolDefinition } from './tool-definition.ts'
export type { ToolInvocation, ToolState } from './tool-invocation.ts'
export { type UserFile, userMessage } from './user-message.ts'
