import { useSyncExternalStore } from 'react'

/** False on a server and while a browser hydrates: anything that differs between the two must wait. */
export function useIsClient(): boolean {
  return useSyncExternalStore(subscribe, isClient, isServer)
}

const subscribe = (): (() => void) => () => {}
const isClient = (): boolean => true
const isServer = (): boolean => false
