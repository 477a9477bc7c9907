import { useSyncExternalStore } from 'react'
import type { Subscribable } from '../store/topic.ts'

export function useValue<T>(value: Subscribable<T>): T {
  return useSyncExternalStore(value.subscribe, value.get, value.get)
}

/** Subscribes to nothing. */
export const never = (): (() => void) => () => {}
