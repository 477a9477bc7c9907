import { useSyncExternalStore } from 'react'
import { isServerGone } from '../store/run/is-server-gone.ts'
import { useOptionalChat } from './chat-context.ts'

const never = (): (() => void) => () => {}
const nothing = (): undefined => undefined

/** Since when the server of the chat around this component does not answer, in milliseconds since 1970. */
export function useGoneSince(): number | undefined {
  const lost = useOptionalChat()?.store.lost
  const value = useSyncExternalStore(lost?.subscribe ?? never, lost?.get ?? nothing, lost?.get ?? nothing)
  return value !== undefined && isServerGone(value) ? value.since : undefined
}
