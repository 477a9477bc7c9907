import type { Job } from './queue.ts'

/**
 * What makes two sends the same one: the route, the document, and the key that the client gave, or else the id of the
 * message. No two of these make the same text, whatever characters they hold.
 */
export type SendName = { key: string } | { message: string }

export function formatSendKey(scope: 'runs' | 'chat', document: string, name: SendName): string {
  return JSON.stringify('key' in name ? [scope, document, name.key] : [scope, document, 'message', name.message])
}

/**
 * The keys that a job of an older journal has now. Older versions joined the same parts with spaces:
 *
 *   runs notes.chatmd KEY
 *   chat notes.chatmd message ID
 *
 * The job says which document it is of, so the parts can be told apart. A client that gave the key `message ID` itself
 * wrote the same text, so such a job has both keys.
 */
export function keysOfOlderJob({ key = '', document }: Job): string[] {
  for (const scope of ['runs', 'chat'] as const) {
    const start = `${scope} ${document} `
    if (!key.startsWith(start)) continue
    const rest = key.slice(start.length)
    const byKey = formatSendKey(scope, document, { key: rest })
    if (!rest.startsWith('message ')) return [byKey]
    return [byKey, formatSendKey(scope, document, { message: rest.slice('message '.length) })]
  }
  return []
}
