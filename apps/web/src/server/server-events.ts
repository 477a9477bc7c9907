import { sharedServerEvents } from '@argot/react'
import { base, type DocumentEntry, type RunResource } from './api.ts'

export interface ServerEvents {
  document?: ((entry: DocumentEntry) => void) | undefined
  run?: ((run: RunResource) => void) | undefined
  /** The stream is open, or has been lost. */
  connected?: ((isConnected: boolean) => void) | undefined
}

/** Follows what changes on the server, until the returned function is called. All tabs share one connection. */
export function followServer(events: ServerEvents): () => void {
  return sharedServerEvents({ url: base }).listen(({ name, data }) => {
    switch (name) {
      case 'document':
        return events.document?.(data as DocumentEntry)
      case 'run':
        return events.run?.(data as RunResource)
      case 'ready':
        return events.connected?.(true)
      case 'lost':
        return events.connected?.(false)
      default:
    }
  })
}
