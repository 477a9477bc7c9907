import { useSyncExternalStore } from 'react'

/** Something outside React that can be read and followed. */
export interface Followed<T> {
  subscribe: (listener: () => void) => () => void
  get: () => T
}

/** The newest value; the component renders again when it is another. */
export function useValue<T>(value: Followed<T>): T {
  return useSyncExternalStore(value.subscribe, value.get, value.get)
}

/** Subscribes to nothing. */
export const never = (): (() => void) => () => {}
