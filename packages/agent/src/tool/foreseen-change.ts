import { createHash } from 'node:crypto'
import type { EditPart } from '@argot/core/stream/internal'
import { countLines, lineDiff } from './line-diff.ts'

/** What a call would do to a file, for the person who is asked about it. */
export interface ForeseenChange {
  /** As tools show it, relative to the working folder where it lies there. */
  path: string
  /** Where a moved file is now. */
  from?: string
  operation: 'add' | 'update' | 'move' | 'delete'
  /** Lines of the file now, where it is a text. */
  linesBefore?: number
  /** Lines of the file afterwards. */
  linesAfter?: number
  /** The lines that change, in the unified format. */
  diff?: string
  /** Identifies the content that the file has now: another value means that the file was changed. */
  before?: string
  /** The call replaces or removes everything in the file, whatever that is by then. */
  isWhole?: boolean
  /** What of it can be made or left out by itself, if any choice does to all files just what its parts show. */
  parts?: readonly ForeseenPart[]
}

/** A part of what a call would do to a file. */
export type ForeseenPart = Omit<EditPart, 'path' | 'from' | 'operation'>

interface ForeseeOptions {
  isWhole?: boolean
  /** Identifies a content that is no text. */
  before?: string | undefined
}

/** Compares a file with the text that it would get. `before` is undefined if there is no file, or no text in it. */
export function foreseeChange(
  path: string,
  exists: boolean,
  before: string | undefined,
  after: string,
  { isWhole = false, before: content }: ForeseeOptions = {},
): ForeseenChange {
  const change: ForeseenChange = { path, operation: exists ? 'update' : 'add', linesAfter: countLines(after), isWhole }
  if (before !== undefined) change.linesBefore = countLines(before)
  if (!exists || before !== undefined) change.diff = lineDiff(before ?? '', after)
  change.before = exists ? (content ?? identifyContent(before ?? '')) : MISSING
  return change
}

/** In place of a content's identity: there is no such file. */
export const MISSING = 'missing'

export function identifyContent(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22)
}

/**
 * Identifies what a call would do to files. It stays the same if a file was changed in another place than the call changes, and
 * differs if something else would come of the call than the person saw.
 */
export function identifyChanges(changes: readonly ForeseenChange[]): string {
  const effects = changes.map(({ path, from, operation, isWhole, before, diff = '' }) => [
    path,
    from,
    operation,
    isWhole === true ? before : changedLines(diff),
  ])
  return identifyContent(JSON.stringify(effects))
}

/** The parts of all files, if each can be left out by itself, and if there is a choice. */
export function joinParts(changes: readonly ForeseenChange[]): EditPart[] | undefined {
  const parts = changes.flatMap(({ path, from, operation, parts: own = [] }) =>
    own.map(part => ({ path, ...(from !== undefined && { from }), operation, ...part })),
  )
  return parts.length > 1 && changes.every(({ parts: own }) => own !== undefined) ? parts : undefined
}

/** The lines that a diff takes away or adds, without where they are. */
function changedLines(diff: string): string[] {
  return diff.split('\n').filter(line => /^[-+\\]/.test(line))
}
