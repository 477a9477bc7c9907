import { useSyncExternalStore } from 'react'

/** False on a server and while a browser takes over what it rendered: what differs between the two must wait. */
export function useIsClient(): boolean {
  return useSyncExternalStore(subscribe, isClient, isServer)
}

/** It never changes by itself. */
const subscribe = (): (() => void) => () => {}
const isClient = (): boolean => true
const isServer = (): boolean => false
