import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { describeBytes } from '../words/describe-bytes.ts'
import { getCode } from '../words/get-code.ts'
import { quoted } from '../words/quoted.ts'
import { isKeyFile } from './key-file.ts'
import { SourceError } from './source-error.ts'

/** No system opens a longer path, and each part of a path costs a disk access. */
const PATH_CHARACTERS = 4096

/** Files are read in pieces of this size, so that reading can be aborted between them. */
const READ_BYTES = 1024 * 1024
const SMALLEST_BUFFER = 1024

export interface LocateOptions {
  /** Relative paths are tried against these folders, in this order. */
  bases: readonly string[]
  /** Files must be in one of these folders; real paths. */
  roots: readonly string[]
}

/** Resolves links. Refuses a path outside whether it exists or not, so that a document can't probe the disk. */
export async function locate(src: string, { bases, roots }: LocateOptions): Promise<string> {
  const candidates = listCandidates(src, bases)
  let outside = false
  for (const path of candidates) {
    const { real, missing } = await resolveLinks(path, src)
    const inside = roots.some(root => isInside(root, real))
    if (inside && missing.length === 0) return real
    outside ||= !inside
  }
  if (outside) {
    const message = `${quoted(src)} is outside the folders that this document may read.`
    const cure = 'Move the file next to the document, or allow its folder with `--allow-path DIR`.'
    throw new SourceError('CHATMD_PATH_OUTSIDE', message, cure)
  }
  const message = `${quoted(src)} does not exist. Looked for ${candidates.map(quoted).join(' and ')}.`
  throw new SourceError('CHATMD_FILE_NOT_FOUND', message, 'Correct the path, or create the file.')
}

/** The real path of a folder, or the path unchanged if there is no such folder. */
export async function toRealPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    return path
  }
}

/** The absolute paths that `src` can mean, without duplicates. Rejects what no system accepts as a path. */
export function listCandidates(src: string, bases: readonly string[]): string[] {
  if (src.includes('\0')) {
    const message = `${quoted(src)} is not a path: it contains a NUL character.`
    throw new SourceError('CHATMD_FILE_NOT_FOUND', message, 'Correct the path.')
  }
  if (src.length > PATH_CHARACTERS) throw unreadable(undefined, src, 'the path is too long')
  return [...new Set(isAbsolute(src) ? [resolve(src)] : bases.map(base => resolve(base, src)))]
}

export interface PathResolution {
  /** The path with all links resolved as far as it exists; the rest is appended unchanged. */
  real: string
  /** The part of `real` that exists. */
  existing: string
  missing: readonly string[]
}

/** Resolves the links of an absolute path. `src` is its name in messages. */
export async function resolveLinks(path: string, src: string): Promise<PathResolution> {
  const missing: string[] = []
  for (let at = path; ; at = dirname(at)) {
    try {
      const real = await realpath(at)
      return { real: join(real, ...missing), existing: real, missing }
    } catch (error) {
      if (getCode(error) !== 'ENOENT' && getCode(error) !== 'ENOTDIR') throw unreadable(error, src)
      if (dirname(at) === at) return { real: path, existing: at, missing }
      missing.unshift(basename(at))
    }
  }
}

/** Whether a path is the folder itself or below it. Both must be absolute real paths. */
export function isInside(root: string, path: string): boolean {
  const relativePath = relative(root, path)
  return (
    relativePath === '' || (relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath))
  )
}

export interface OpenedFile {
  file: FileHandle
  stats: Stats
}

/** The caller closes it. Refuses devices, pipes, folders, and paths on which a link was placed meanwhile. */
export async function openFile(path: string, src: string): Promise<OpenedFile> {
  try {
    if (isKeyFile(path)) throw unreadable(undefined, src, 'it contains keys, which no document or tool may read')
    refuseUnlessFile(await stat(path), src)
    // Non-blocking, without following links: the path may have been replaced since the check.
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)
    const file = await open(path, flags)
    try {
      const stats = await file.stat()
      refuseUnlessFile(stats, src)
      if (!(await isAt(file, path))) throw unreadable(undefined, src, 'it was replaced while it was being opened')
      return { file, stats }
    } catch (error) {
      await file.close()
      throw error
    }
  } catch (error) {
    throw error instanceof SourceError ? error : unreadable(error, src)
  }
}

/**
 * Whether the opened file is at this real path, which means that no folder on the way was a link when it was opened.
 * Linux reports the path of an open file; other systems check the path again.
 */
export async function isAt(file: FileHandle, path: string): Promise<boolean> {
  const place = process.platform === 'linux' ? await readlink(`/proc/self/fd/${file.fd}`).catch(() => '') : ''
  if (place !== '') return place === path
  if ((await realpath(path)) !== path) return false
  const [now, opened] = await Promise.all([stat(path), file.stat()])
  return now.ino === opened.ino && now.dev === opened.dev
}

/** Reads a regular file of at most `limit` bytes. Refuses devices, pipes and folders. */
export async function readBytes(path: string, src: string, limit: number, signal?: AbortSignal): Promise<Buffer> {
  const { file, stats } = await openFile(path, src)
  try {
    if (stats.size > limit) throw tooLarge(src, limit, stats.size)
    // Beyond the reported size, because a file can grow and some report 0; and one byte beyond the limit.
    let bytes = Buffer.allocUnsafe(Math.min(Math.max(stats.size, SMALLEST_BUFFER), limit) + 1)
    for (let length = 0; ; ) {
      const { bytesRead } = await file.read(bytes, length, Math.min(bytes.length - length, READ_BYTES), null)
      signal?.throwIfAborted()
      if (bytesRead === 0) return bytes.subarray(0, length)
      length += bytesRead
      if (length > limit) throw tooLarge(src, limit)
      if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * length, limit + 1))
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw error instanceof SourceError ? error : unreadable(error, src)
  } finally {
    await file.close()
  }
}

export function describeKind(stats: Stats): string {
  if (stats.isFile()) return 'a file'
  return stats.isDirectory() ? 'a folder' : stats.isFIFO() ? 'a pipe' : stats.isSocket() ? 'a socket' : 'a device'
}

function refuseUnlessFile(stats: Stats, src: string): void {
  if (stats.isFile()) return
  throw new SourceError(
    'CHATMD_FILE_UNREADABLE',
    `${quoted(src)} is ${describeKind(stats)}, not a file.`,
    'Name a file.',
  )
}

function tooLarge(src: string, limit: number, size?: number): SourceError {
  const has = size === undefined ? `is larger than ${describeBytes(limit)}` : `is ${describeBytes(size)}`
  const message = `${quoted(src)} ${has}. The limit is ${describeBytes(limit)}.`
  return new SourceError('CHATMD_SOURCE_TOO_LARGE', message, 'Insert a part of it, or raise the limit.')
}

function unreadable(error: unknown, src: string, reason?: string): SourceError {
  const message = `${quoted(src)} cannot be read: ${reason ?? describeReason(error)}.`
  return new SourceError('CHATMD_FILE_UNREADABLE', message, 'Check the path and its permissions.')
}

/** Why the system refused something, to end a sentence with. */
export function describeReason(error: unknown): string {
  const code = getCode(error)
  return REASONS[code] ?? `the system reports ${code || String(error)}`
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission was denied',
  EPERM: 'permission was denied',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'the path is too long',
  ENOENT: 'it was just removed',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
}
