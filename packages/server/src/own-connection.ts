import { ServerResponse } from 'node:http'

const claimed = new WeakSet<ServerResponse>()

/** From here on Argot may write to the connection directly: no other code handles the response. */
export function claimConnection(env: unknown): void {
  const outgoing = (env as { outgoing?: unknown } | undefined)?.outgoing
  if (outgoing instanceof ServerResponse) claimed.add(outgoing)
}

/** The connection of a request that came through `listen`. In other apps, their middleware runs after the response. */
export function ownConnection(env: unknown): ServerResponse | undefined {
  const outgoing = (env as { outgoing?: unknown } | undefined)?.outgoing
  return outgoing instanceof ServerResponse && claimed.has(outgoing) ? outgoing : undefined
}
