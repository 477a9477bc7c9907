import type { LostConnection } from '../chat-store-options.ts'

/** After this many tries the server is gone, not just a connection. */
const SERVER_GONE_AFTER = 4

/** Whether the server no longer answers. Until then, a run is assumed to continue without this page. */
export function isServerGone({ tries }: LostConnection): boolean {
  return tries >= SERVER_GONE_AFTER
}
