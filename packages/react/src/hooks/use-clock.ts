import { useSyncExternalStore } from 'react'
import { Clock } from '../store/clock.ts'
import { useOptionalChat } from './chat-context.ts'
import { never } from './use-value.ts'

const standaloneClock: Clock = new Clock()

/** Milliseconds since 1970, updated once a second. Undefined while inactive, and during hydration. */
export function useClock(isActive = true): number | undefined {
  const clock = useOptionalChat()?.store.clock ?? standaloneClock
  const get = isActive ? clock.get : nothing
  return useSyncExternalStore(isActive ? clock.subscribe : never, get, nothing)
}

const nothing = (): undefined => undefined
