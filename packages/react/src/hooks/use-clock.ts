import { useSyncExternalStore } from 'react'
import { Clock } from '../store/clock.ts'
import { useOptionalChat } from './chat-context.ts'
import { never } from './use-value.ts'

/** The clock of cards that are on their own. */
const pageClock: Clock = new Clock()

/** Milliseconds since 1970, once a second while `isActive`; else what it was at the last tick, or undefined. */
export function useClock(isActive = true): number | undefined {
  const clock = useOptionalChat()?.store.clock ?? pageClock
  const get = isActive ? clock.get : nothing
  return useSyncExternalStore(isActive ? clock.subscribe : never, get, nothing)
}

const nothing = (): undefined => undefined
