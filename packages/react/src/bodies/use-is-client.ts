import { useSyncExternalStore } from 'react'

/** False on a server and while a browser hydrates: anything that differs between the two must wait. */
export function useIsClient(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  )
}

const subscribe = (): (() => void) => () => {}
