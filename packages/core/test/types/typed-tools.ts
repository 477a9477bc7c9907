/**
 * Type tests: this program compiles only if registered tools are typed. It has a tsconfig of its own, because an
 * augmentation holds for a whole program. Each `@ts-expect-error` fails the check when the error is not there.
 */
import type { Message } from '@argot/core'
import type {
  ChatDynamicToolInvocation,
  ChatOnToolCallPayload,
  ChatToolInput,
  ChatToolInvocation,
  ChatToolMessagePart,
} from '@argot/core/types'

declare module '@argot/core/types' {
  interface ChatToolDefinitionMap {
    get_weather: { input: { city: string }; output: { temperature: number; condition: string } }
    search_docs: {
      input: { query: string; limit?: number }
      output: { results: Array<{ title: string; url: string }> }
    }
  }
}

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function isTrue<T extends true>(): T | undefined {
  return undefined
}

isTrue<Equal<ChatToolInput<'get_weather'>, { city: string }>>()
isTrue<Equal<ChatToolInvocation<'get_weather'>['output'], { temperature: number; condition: string } | undefined>>()
isTrue<Equal<ChatDynamicToolInvocation['input'], unknown>>()

/** A check of `toolName` narrows input and output. */
export function title(call: ChatToolInvocation): string {
  switch (call.toolName) {
    case 'get_weather':
      // @ts-expect-error the weather has no query
      call.input?.query
      return `${call.input?.city}: ${call.output?.temperature.toFixed(0)}`
    case 'search_docs':
      return call.output?.results.map(result => result.title).join() ?? call.input?.query ?? ''
  }
}

export function inPart(part: ChatToolMessagePart): string | undefined {
  if (part.toolInvocation.toolName === 'get_weather') return part.toolInvocation.input?.city
  return part.toolInvocation.input?.query
}

export function inMessage(message: Message): (string | undefined)[] {
  return message.parts.map(part => {
    if (part.type === 'tool' && part.toolInvocation.toolName === 'search_docs') return part.toolInvocation.input?.query
    if (part.type === 'dynamic-tool') {
      // @ts-expect-error the input of a dynamic call is unknown
      part.toolInvocation.input.query
      return part.toolInvocation.toolName
    }
    return undefined
  })
}

/** So it does in what `onToolCall` gets, where calls of tools that are not registered come too. */
export function observe({ toolCall }: ChatOnToolCallPayload): string {
  if (toolCall.toolName === 'search_docs') return toolCall.output?.results[0]?.title ?? ''
  switch (toolCall.toolName) {
    case 'get_weather':
      // @ts-expect-error the weather has no query
      toolCall.input?.query
      return `${toolCall.input?.city} ${toolCall.output?.temperature.toFixed(0)}`
    default:
      // @ts-expect-error the input of a tool that is not registered is unknown
      toolCall.input?.query
      return `Tool "${toolCall.toolName}" is now ${toolCall.state}`
  }
}

// @ts-expect-error no such tool is registered
export type Unknown = ChatToolInvocation<'unknown'>
