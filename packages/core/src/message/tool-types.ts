import type { ToolApproval, ToolInvocation, ToolState } from './tool-invocation.ts'

/**
 * The typed tools of an application, filled by module augmentation:
 *
 *     declare module '@argot/core/types' {
 *       interface ChatToolDefinitionMap {
 *         get_weather: { input: { city: string }; output: { temperature: number } }
 *       }
 *     }
 *
 * Empty, every tool is called `string` and takes and gives `unknown`. The module may also be `@argot/react/types`,
 * the same one in all of a program.
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

/** The state of a call. */
export type ChatToolInvocationState = ToolState

/** The question put to a person and, once given, the answer. */
export type ChatToolApproval = ToolApproval

declare const unregistered: unique symbol

/** The name of a tool that is not registered: a text that is equal to no name in the program. */
export type ChatUnregisteredToolName = `${string & { readonly [unregistered]: true }}`

/**
 * What `onToolCall` gets: the call, just after its state changed. A check of `toolName` narrows `input` and `output`; to
 * be checked for, a name must be registered.
 */
export interface ChatOnToolCallPayload {
  toolCall: ChatToolInvocation | ChatDynamicToolInvocation<ChatUnregisteredToolName>
}
