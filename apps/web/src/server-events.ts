import { base, type DocumentEntry, type RunResource } from './api.ts'

export interface ServerEvents {
  document?: ((entry: DocumentEntry) => void) | undefined
  run?: ((run: RunResource) => void) | undefined
  /** The stream is open, or has been lost. */
  connected?: ((isConnected: boolean) => void) | undefined
}

/** Follows what changes on the server, until the returned function is called. The browser itself tries again. */
export function followServer(events: ServerEvents): () => void {
  const source = new EventSource(`${base}api/events`)
  const read = (event: Event): unknown => JSON.parse((event as MessageEvent<string>).data)
  source.addEventListener('document', event => events.document?.(read(event) as DocumentEntry))
  source.addEventListener('run', event => events.run?.(read(event) as RunResource))
  source.addEventListener('ready', () => events.connected?.(true))
  source.addEventListener('error', () => events.connected?.(false))
  return () => source.close()
}
