import { createHash } from 'node:crypto'
import type { Chunk } from '@argot/core'
import { isRecord } from '@argot/core/stream/internal'
import { filesMark, markData } from './marks.ts'

/**
 * What a tool was about to do to one file, from its run's log. The record is written before the file, so the file
 * contains `before` or `after` unless something else changed it.
 */
export interface FileRecord {
  /** Relative to the document's folder if the file is inside it, otherwise absolute. */
  path: string
  /** SHA-256 of the current content, in hex; null if the file doesn't exist, undefined if it is too large to read. */
  before?: string | null
  /** The same for the new content. */
  after?: string | null
  mode?: number
  /** The topmost folder created for the file, in the form of `path`. */
  folder?: string
  /** The path that a moved file had before, in the form of `path`. */
  from?: string
}

export interface LoggedFiles {
  toolCallId: string
  files: FileRecord[]
  /** An agent or a fork inside the call changes them. */
  isInner: boolean
}

export function hashContent(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** The file changes in a line of a log; undefined for every other line. */
export function readFilesMark(chunk: Chunk): LoggedFiles | undefined {
  if (chunk.type !== filesMark) return undefined
  const { toolCallId, files, inner } = markData(chunk)
  if (typeof toolCallId !== 'string' || !Array.isArray(files)) return undefined
  return { toolCallId, files: files.filter(isFileRecord), isInner: inner === true }
}

function isFileRecord(value: unknown): value is FileRecord {
  if (!isRecord(value)) return false
  const { path, before, after, mode, folder, from } = value
  const isState = (one: unknown): boolean => one === undefined || one === null || isHash(one)
  const isPath = (one: unknown): boolean => one === undefined || typeof one === 'string'
  const isMode =
    mode === undefined || (Number.isSafeInteger(mode) && (mode as number) >= 0 && (mode as number) <= 0o7777)
  return typeof path === 'string' && isState(before) && isState(after) && isMode && isPath(folder) && isPath(from)
}

export function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}
