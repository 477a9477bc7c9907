import type { Message } from '@argot/core'
import { isRecord } from '@argot/core/stream/internal'
import type { Post } from './store.ts'

type MessagePost = Extract<Post, { type: 'message' }>

/** The post that brings a user's message to a running run. The same message always gives the same post. */
export function toMessagePost(
  message: Message,
  send: Pick<MessagePost, 'key' | 'digest'> = {},
): Post & { type: 'message' } {
  return { id: `message:${message.id}`, type: 'message', message, ...send }
}

/** The message in a post; undefined for other posts and for invalid messages. */
export function messageInPost(post: Post): Message | undefined {
  if (post.type !== 'message' || !isRecord(post.message)) return undefined
  const { id, parts } = post.message
  if (typeof id !== 'string' || !Array.isArray(parts)) return undefined
  return post.message as unknown as Message
}
