/**
 * Type tests: the samples of a page on tool calling compile with nothing but their import path changed, and a tool that
 * is registered through the types of this package is known to the core.
 */

import { accumulate } from '@argot/core'
import type { ChatToolOutput } from '@argot/core/types'
import type {
  ChatAdapter,
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
  FlatToolCall,
  ToolActivity,
} from '@argot/react/types'

declare module '@argot/react/types' {
  interface ChatToolDefinitionMap {
    book_flight: { input: { from: string; to: string }; output: { seat: string } }
    get_weather: { input: { city: string }; output: { temperature: number; condition: string } }
  }
}

export const seat: ChatToolOutput<'book_flight'> = { seat: '12A' }
export const route: ChatToolInput<'book_flight'> = { from: 'VIE', to: 'OSL' }
export const known: ChatKnownToolName = 'book_flight'

export const adapter: ChatAdapter = {
  async sendMessage({ message }) {
    return new ReadableStream({
      start(controller) {
        controller.enqueue({ type: 'start', messageId: `re-${message.id}` })
        controller.enqueue({ type: 'tool-input-start', toolCallId: 'call-1', toolName: 'get_weather' })
        controller.enqueue({ type: 'tool-input-delta', toolCallId: 'call-1', inputTextDelta: '{"city":"Paris"}' })
        controller.enqueue({
          type: 'tool-input-available',
          toolCallId: 'call-1',
          toolName: 'get_weather',
          input: { city: 'Paris' },
        })
        controller.enqueue({ type: 'tool-input-error', toolCallId: 'call-2', errorText: 'No JSON.' })
        controller.enqueue({ type: 'tool-output-available', toolCallId: 'call-1', output: { temperature: 22 } })
        controller.enqueue({ type: 'tool-input-start', toolCallId: 'call-3', toolName: 'user_defined', dynamic: true })
        // @ts-expect-error no chunk has this type
        controller.enqueue({ type: 'tool-input-begin', toolCallId: 'call-4' })
        controller.enqueue({ type: 'finish', messageId: 'msg-1' })
        controller.close()
      },
    })
  },
}

/** A check of `toolName` narrows what `onToolCall` gets. */
export function observe({ toolCall }: ChatOnToolCallPayload): string {
  if (toolCall.toolName === 'book_flight') return toolCall.output?.seat ?? toolCall.input?.from ?? ''
  switch (toolCall.toolName) {
    case 'get_weather':
      // @ts-expect-error the weather has no query
      toolCall.input?.query
      return `${toolCall.input?.city} ${toolCall.output?.temperature.toFixed(0)}`
    default:
      // @ts-expect-error the input of a tool that is not registered is unknown
      toolCall.input?.query
      return toolCall.toolName.toUpperCase()
  }
}

accumulate({
  onToolCall: ({ toolCall }) => {
    if (toolCall.toolName === 'get_weather') return toolCall.input?.city
    return anyCall(toolCall)
  },
})

/** What takes any call takes the one of the payload too. */
function anyCall(call: ChatToolInvocation | ChatDynamicToolInvocation): ChatToolInvocationState {
  return call.state
}

export function approvalOf(part: ChatToolMessagePart | ChatDynamicToolMessagePart): ChatToolApproval | undefined {
  return part.toolInvocation.approval
}

export function typesOf(message: ChatMessage): string[] {
  return message.parts.map(part => part.type)
}

export const flat: FlatToolCall = { id: 'call-1', name: 'get_weather', args: {}, status: 'completed' }
export const activity: ToolActivity = { isActive: true, currentStep: 'get_weather' }
