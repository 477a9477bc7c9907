import { useSyncExternalStore } from 'react'
import { never } from './use-value.ts'

/** False on a server and while a browser takes over what it rendered: what differs between the two must wait. */
export function useIsClient(): boolean {
  return useSyncExternalStore(never, isClient, isServer)
}

const isClient = (): boolean => true
const isServer = (): boolean => false
