import { sharedServerEvents } from '@argot/react'
import type { ServerEvents } from '@argot/server/api'
import { base } from './api.ts'

export interface ServerListener {
  document?: ((entry: ServerEvents['document']) => void) | undefined
  run?: ((run: ServerEvents['run']) => void) | undefined
  connected?: ((isConnected: boolean) => void) | undefined
}

/** Follows the server's changes until the returned function is called. All tabs share one connection. */
export function followServer(listener: ServerListener): () => void {
  return sharedServerEvents({ url: base }).listen(({ name, data }) => {
    switch (name) {
      case 'document':
        return listener.document?.(data as ServerEvents['document'])
      case 'run':
        return listener.run?.(data as ServerEvents['run'])
      case 'ready':
        return listener.connected?.(true)
      case 'lost':
        return listener.connected?.(false)
      default:
    }
  })
}
