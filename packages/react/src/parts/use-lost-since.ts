import { useSyncExternalStore } from 'react'
import { useOptionalChat } from '../hooks/chat-context.ts'

const never = (): (() => void) => () => {}
const nothing = (): undefined => undefined

/** Since when the connection of the chat around this component is lost, in milliseconds since 1970. */
export function useLostSince(): number | undefined {
  const lost = useOptionalChat()?.store.lost
  const value = useSyncExternalStore(lost?.subscribe ?? never, lost?.get ?? nothing, lost?.get ?? nothing)
  return value?.since
}
