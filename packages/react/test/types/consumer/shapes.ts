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
