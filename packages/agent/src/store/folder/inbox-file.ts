import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { ArgotError } from '@argot/core'
import { writeAll } from '../../files/write-all.ts'
import { signText, splitSigned } from '../seal.ts'
import type { Post } from '../store.ts'
import { type Disk, isSystemError, syncFolder } from './disk.ts'
import { type FollowContext, followLines } from './follow-log.ts'

/** The longest post in characters. An answer may contain an input, and a message may contain a file. */
export const LONGEST_POST: number = 8 * 1024 * 1024

const types: ReadonlySet<unknown> = new Set(['stop', 'answer', 'message', 'output'])

/**
 * Appends a post to a run's file; it is on disk when this resolves. If two posts have the same id, the first one in the
 * file applies. Posts are signed, because write access to a folder must not be enough to approve calls.
 */
export async function addPost(
  disk: Disk,
  path: string,
  run: string,
  post: Post,
  key: Uint8Array,
): Promise<'accepted' | 'already'> {
  const nonce = randomUUID()
  const text = `{"n":"${nonce}","post":${JSON.stringify(post)}`
  const fd = disk.open(path, 'a')
  try {
    // Others may be appending, so half a post isn't cut off. Readers skip it, because each post begins a line.
    writeAll(fd, `\n${text},"m":"${signText(key, `${run}\n${text}`)}"}\n`, disk.write.bind(disk))
    await disk.sync(fd)
  } finally {
    disk.close(fd)
  }
  // For a new file, which another process may just have created: a file survives a power failure if its name does.
  await syncFolder(disk, dirname(path))
  const first = readSigned(path, run, key).find(one => one.post.id === post.id)
  // The disk took this post in two pieces, and another post got in between.
  if (first === undefined) throw new ArgotError('RUN_NOT_SAVED', "The post couldn't be saved. Send it again.")
  return first.nonce === nonce ? 'accepted' : 'already'
}

/** Only this user's posts, each id once. */
export function readPosts(path: string, run: string, key: Uint8Array): Post[] {
  const posts = new Map<string, Post>()
  for (const { post } of readSigned(path, run, key)) if (!posts.has(post.id)) posts.set(post.id, post)
  return [...posts.values()]
}

function readSigned(path: string, run: string, key: Uint8Array): SignedPost[] {
  return readLines(path).flatMap(line => readPost(line, run, key) ?? [])
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return []
    throw error
  }
}

/** Only this user's posts, each id once. */
export async function* followPosts(
  path: string,
  run: string,
  key: Uint8Array,
  context: FollowContext,
  signal: AbortSignal,
): AsyncGenerator<Post> {
  const ids = new Set<string>()
  for await (const line of followLines(async () => path, context, signal)) {
    const signed = readPost(line, run, key)
    if (signed === undefined || ids.has(signed.post.id)) continue
    ids.add(signed.post.id)
    yield signed.post
  }
}

interface SignedPost {
  nonce: string
  post: Post
}

function readPost(line: string, run: string, key: Uint8Array): SignedPost | undefined {
  const { covered, signature } = splitSigned(line)
  if (signature === undefined || signText(key, `${run}\n${covered}`) !== signature) return undefined
  const { n: nonce, post } = JSON.parse(line) as { n: string; post: Post }
  return typeof post?.id === 'string' && types.has(post.type) ? { nonce, post } : undefined
}
