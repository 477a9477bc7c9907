import { createElement, type ReactElement, useMemo } from 'react'
import type { ChatMessagePart, ChatPartRenderer, ChatPartRendererMap, ChatPartRendererProps } from '../types/index.ts'
import { useOptionalChat } from './chat-context.ts'

/** The renderer for parts of this type, or undefined. It returns an element that mounts the renderer as a component. */
export function useChatPartRenderer<Type extends ChatMessagePart['type']>(
  type: Type,
): ((props: ChatPartRendererProps<Extract<ChatMessagePart, { type: Type }>>) => ReactElement) | undefined {
  const renderer = findRenderer(useOptionalChat()?.partRenderers, type)
  return useMemo(() => renderer && (props => createElement(renderer as ChatPartRenderer, props as never)), [renderer])
}

export function findRenderer(map: ChatPartRendererMap | undefined, type: string): ChatPartRenderer | undefined {
  if (map === undefined || !Object.hasOwn(map, type)) return undefined
  const renderer: unknown = map[type as keyof ChatPartRendererMap]
  return typeof renderer === 'function' ? (renderer as ChatPartRenderer) : undefined
}
