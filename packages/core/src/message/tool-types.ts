import type { ToolApproval, ToolInvocation, ToolState } from './tool-invocation.ts'

/**
 * An application's typed tools. Fill it by module augmentation:
 *
 *     declare module '@argot/core/types' {
 *       interface ChatToolDefinitionMap {
 *         get_weather: { input: { city: string }; output: { temperature: number } }
 *       }
 *     }
 *
 * If it is empty, every tool name is a `string`, and inputs and outputs are `unknown`. The module may also be
 * `@argot/react/types`; use the same one in the whole program.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be augmented
export interface ChatToolDefinitionMap {}

export type ChatRegisteredToolName = Extract<keyof ChatToolDefinitionMap, string>

/** The registered names, or any name if none is registered. */
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
 * A call under the names that chat components use. Applications also write such objects, so only the essential fields
 * are required: `key` is filled in when a message is read, and a provider's metadata may have any shape.
 */
interface ChatToolCall<Name extends string, Input, Output>
  extends Omit<ToolInvocation<Name, Input, Output>, 'key' | 'approval' | 'callProviderMetadata'> {
  key?: string
  approval?: ChatToolApproval
  callProviderMetadata?: Record<string, unknown>
}

/** A registered tool's call. Distributive, so that checking `toolName` narrows `input` and `output`. */
export type ChatToolInvocation<Name extends ChatKnownToolName = ChatKnownToolName> = Name extends unknown
  ? ChatToolCall<Name, ChatToolInput<Name>, ChatToolOutput<Name>>
  : never

/** A call of a tool that is unknown at compile time. */
export type ChatDynamicToolInvocation<Name extends string = string> = ChatToolCall<Name, unknown, unknown>

export type ChatToolInvocationState = ToolState

/** The question to a person and the answer. The id defaults to the call's. */
export interface ChatToolApproval extends Omit<ToolApproval, 'id'> {
  id?: string
}
