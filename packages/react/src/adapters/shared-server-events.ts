import { announceHeader } from '@argot/core/stream/internal'
import { EndpointError } from './ai-sdk-adapter.ts'
import { SharedEvents } from './shared-events.ts'

export interface SharedServerEventsOptions {
  /** The server's address; the page's own by default. */
  url?: string | undefined
  headers?: Record<string, string> | (() => Record<string, string>) | undefined
}

const sharedByAddress: Map<string, SharedEvents> = new Map()

export function canShareEvents(): boolean {
  return typeof document !== 'undefined' && typeof BroadcastChannel !== 'undefined'
}

/** A server's events, read once for all tabs of this browser. The same address gives the same object. */
export function sharedServerEvents({ url = '', headers }: SharedServerEventsOptions = {}): SharedEvents {
  const name = typeof location === 'undefined' ? url : new URL(`${url}api/`, location.href).href
  const existing = sharedByAddress.get(name)
  if (existing !== undefined) return existing
  const events = new SharedEvents(name, async (path, { signal }) => {
    const extraHeaders = typeof headers === 'function' ? headers() : headers
    const response = await fetch(`${url}api/${path}`, { signal, headers: { [announceHeader]: '1', ...extraHeaders } })
    if (response.ok) return response
    throw new EndpointError(response.status, `The server answered ${response.status}.`, undefined)
  })
  sharedByAddress.set(name, events)
  return events
}
