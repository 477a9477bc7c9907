import type { LostConnection } from '../chat-store-options.ts'

/** After this many tries the server is gone, and not only a connection. */
const SERVER_GONE_AFTER = 4

/** Whether nobody answers any more: until then a run counts as one that continues without us. */
export function isServerGone({ tries }: LostConnection): boolean {
  return tries >= SERVER_GONE_AFTER
}
