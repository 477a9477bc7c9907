import { useChatPartRenderer } from '@argot/react'

export function MessagePart({ part, message, index }) {
  const renderer = useChatPartRenderer(part.type)

  if (renderer) {
    return renderer({ part, message, index })
  }

  // Render your own fallback here — parts without a registered renderer
  // are otherwise dropped. Built-in components like <ChatMessageContent />
  // only consult this hook first and fall back to their default part rendering.
  return null
}
