import type { Job } from './queue.ts'

/**
 * Identifies a send: the route, the document, and the client's key or else the message id. No two of these give the
 * same text, whatever characters they contain.
 */
export type SendName = { key: string } | { message: string }

export function formatSendKey(scope: 'runs' | 'chat', document: string, name: SendName): string {
  return JSON.stringify('key' in name ? [scope, document, name.key] : [scope, document, 'message', name.message])
}

/**
 * The current keys for a job from an older journal. Older versions joined the same parts with spaces:
 *
 *   runs notes.chatmd KEY
 *   chat notes.chatmd message ID
 *
 * The job names its document, so the parts can be separated. A client that chose the key `message ID` itself produced
 * the same text, so such a job has both keys.
 */
export function toCurrentKeys({ key = '', document }: Job): string[] {
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
