import type {
  ChatDynamicToolInvocation,
  ChatDynamicToolMessagePart,
  ChatKnownToolName,
  ChatMessage,
  ChatOnToolCallPayload,
  ChatToolApproval,
  ChatToolInput,
  ChatToolInvocation,
  ChatToolInvocationState,
  ChatToolMessagePart,
  ChatToolOutput,
} from '@argot/react/types'

/** The shapes as the page writes them: what we give fits where they are expected. */
interface SeedInvocation<TToolName extends ChatKnownToolName = ChatKnownToolName> {
  toolCallId: string
  toolName: TToolName
  state: ChatToolInvocationState
  input?: ChatToolInput<TToolName>
  output?: ChatToolOutput<TToolName>
  errorText?: string
  approval?: ChatToolApproval
  providerExecuted?: boolean
  title?: string
  callProviderMetadata?: Record<string, unknown>
  preliminary?: boolean
}

interface SeedPart<TToolName extends ChatKnownToolName = ChatKnownToolName> {
  type: 'tool'
  toolInvocation: SeedInvocation<TToolName>
}

interface SeedPayload {
  toolCall: ChatToolInvocation | ChatDynamicToolInvocation
}

export const toInvocation = (call: ChatToolInvocation<'get_weather'>): SeedInvocation<'get_weather'> => call
export const toPart = (part: ChatToolMessagePart<'get_weather'>): SeedPart<'get_weather'> => part
export const toPayload = (payload: ChatOnToolCallPayload): SeedPayload => payload
export const untyped = (part: ChatDynamicToolMessagePart): unknown => part.toolInvocation.input
export const roles = (messages: ChatMessage[]): string[] => messages.map(({ role }) => role)

/** And the other way: what an application writes in these shapes is a call of ours. */
export const fromInvocation = (call: SeedInvocation<'get_weather'>): ChatToolInvocation<'get_weather'> => call
export const fromPart = (part: SeedPart<'get_weather'>): ChatToolMessagePart<'get_weather'> => part
export const written: ChatToolInvocation<'get_weather'> = {
  toolCallId: 'call-1',
  toolName: 'get_weather',
  state: 'output-available',
  input: { city: 'Paris' },
  output: { temperature: 22, condition: 'sunny' },
  approval: { approved: true },
  callProviderMetadata: { requestId: 'r-1' },
}
export const writtenPart: ChatToolMessagePart = { type: 'tool', toolInvocation: written }
export const dynamic: ChatDynamicToolInvocation = {
  toolCallId: 'call-2',
  toolName: 'user_defined_tool',
  state: 'input-available',
  input: { query: 'anything' },
}
export const dynamicPart: ChatDynamicToolMessagePart = { type: 'dynamic-tool', toolInvocation: dynamic }

export const input: ChatToolInput<'search_docs'> = { query: 'argot', limit: 3 }
export const output: ChatToolOutput<'get_weather'> = { temperature: 22, condition: 'sunny' }
// @ts-expect-error a city is a text
export const wrong: ChatToolInput<'get_weather'> = { city: 1 }

export const states: Record<ChatToolInvocationState, true> = {
  'input-streaming': true,
  'input-available': true,
  'approval-requested': true,
  'approval-responded': true,
  'output-available': true,
  'output-error': true,
  'output-denied': true,
}
