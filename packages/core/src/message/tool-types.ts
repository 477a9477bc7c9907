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

/**
 * A call by the names of chat components. Applications write such objects too, so only what makes a call is required: the
 * `key` is filled in when a message is read, and the metadata of a provider may have any shape.
 */
interface ChatToolCall<Name extends string, Input, Output>
  extends Omit<ToolInvocation<Name, Input, Output>, 'key' | 'approval' | 'callProviderMetadata'> {
  key?: string
  approval?: ChatToolApproval
  callProviderMetadata?: Record<string, unknown>
}

/** A call of a registered tool. Distributive, so that a check of `toolName` narrows `input` and `output`. */
export type ChatToolInvocation<Name extends ChatKnownToolName = ChatKnownToolName> = Name extends unknown
  ? ChatToolCall<Name, ChatToolInput<Name>, ChatToolOutput<Name>>
  : never

/** A call of a tool that is not known at compile time. */
export type ChatDynamicToolInvocation<Name extends string = string> = ChatToolCall<Name, unknown, unknown>

/** The state of a call. */
export type ChatToolInvocationState = ToolState

/** The question put to a person and, once given, the answer. Without an id, it is the one of the call. */
export interface ChatToolApproval extends Omit<ToolApproval, 'id'> {
  id?: string
}
