import type { Message } from '@argot/core'
import { isRecord } from '@argot/core/stream/internal'
import type { Post } from './store.ts'

type MessagePost = Extract<Post, { type: 'message' }>

/** The post that brings a message of the user to a run that works. The same message is the same post. */
export function toMessagePost(
  message: Message,
  send: Pick<MessagePost, 'key' | 'digest'> = {},
): Post & { type: 'message' } {
  return { id: `message:${message.id}`, type: 'message', message, ...send }
}

/** The message that a post brings; undefined for other posts, and for what is no message. */
export function messageInPost(post: Post): Message | undefined {
  if (post.type !== 'message' || !isRecord(post.message)) return undefined
  const { id, parts } = post.message
  if (typeof id !== 'string' || !Array.isArray(parts)) return undefined
  return post.message as unknown as Message
}
