import { useSyncExternalStore } from 'react'
import { useOptionalChat } from './chat-context.ts'
import { useClock } from './use-clock.ts'
import { never } from './use-value.ts'

const nothing = (): undefined => undefined

/** The clock of running calls: it stops when the connection is lost, until there is news. */
export function useRunClock(isActive: boolean): number | undefined {
  const lost = useOptionalChat()?.store.lost
  const get = lost?.get ?? nothing
  const since = useSyncExternalStore(lost?.subscribe ?? never, get, get)?.since
  const now = useClock(isActive && since === undefined)
  return isActive ? (since ?? now) : undefined
}
