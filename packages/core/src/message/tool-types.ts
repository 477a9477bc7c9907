import type { ToolInvocation } from './tool-invocation.ts'

/**
 * The typed tools of an application, filled by module augmentation:
 *
 *     declare module 'argot' {
 *       interface ChatToolDefinitionMap {
 *         get_weather: { input: { city: string }; output: { temperature: number } }
 *       }
 *     }
 *
 * Empty, every tool is called `string` and takes and gives `unknown`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be augmented
export interface ChatToolDefinitionMap {}

export type ChatRegisteredToolName = Extract<keyof ChatToolDefinitionMap, string>

/** The registered names, or any name where none is registered. */
export type ChatKnownToolName = [ChatRegisteredToolName] extends [never] ? string : ChatRegisteredToolName

type Definition<Name extends string> = Name extends keyof ChatToolDefinitionMap ? ChatToolDefinitionMap[Name] : never

export type ChatToolInput<Name extends string> = [Definition<Name>] extends [never]
  ? unknown
  : Definition<Name> extends { input: infer Input }
    ? Input
    : unknown

export type ChatToolOutput<Name extends string> = [Definition<Name>] extends [never]
  ? unknown
  : Definition<Name> extends { output: infer Output }
    ? Output
    : unknown

/** A call of a registered tool. Distributive, so that a check of `toolName` narrows `input` and `output`. */
export type ChatToolInvocation<Name extends ChatKnownToolName = ChatKnownToolName> = Name extends unknown
  ? ToolInvocation<Name, ChatToolInput<Name>, ChatToolOutput<Name>>
  : never

/** A call of a tool that is not known at compile time. */
export type ChatDynamicToolInvocation<Name extends string = string> = ToolInvocation<Name, unknown, unknown>

/** What `onToolCall` gets: the call, just after its state changed. */
export interface ChatOnToolCallPayload {
  toolCall: ChatToolInvocation | ChatDynamicToolInvocation
}
