import { useSyncExternalStore } from 'react'
import { Clock } from '../store/clock.ts'
import { useOptionalChat } from './chat-context.ts'
import { never } from './use-value.ts'

/** The clock of standalone cards. */
const pageClock: Clock = new Clock()

/** Milliseconds since 1970, once a second while `isActive`; otherwise the value at the last tick, or undefined. */
export function useClock(isActive = true): number | undefined {
  const clock = useOptionalChat()?.store.clock ?? pageClock
  const get = isActive ? clock.get : nothing
  return useSyncExternalStore(isActive ? clock.subscribe : never, get, nothing)
}

const nothing = (): undefined => undefined
