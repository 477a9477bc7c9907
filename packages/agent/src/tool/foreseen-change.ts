import { createHash } from 'node:crypto'
import type { EditPart } from '@argot/core/stream/internal'
import { countLines, lineDiff } from './line-diff.ts'

export interface ForeseenChange {
  /** As tools show it: relative to the working folder if it is inside. */
  path: string
  /** The current path of a moved file. */
  from?: string
  operation: 'add' | 'update' | 'move' | 'delete'
  linesBefore?: number
  linesAfter?: number
  diff?: string
  /** Identifies the file's current content: another value means that the file was changed. */
  before?: string
  /** The call replaces or removes everything in the file, whatever its content is by then. */
  isWhole?: boolean
  /** Can be accepted or rejected separately. Any choice does to all files exactly what its parts show. */
  parts?: readonly ForeseenPart[]
}

export type ForeseenPart = Omit<EditPart, 'path' | 'from' | 'operation'>

interface ForeseeOptions {
  isWhole?: boolean
  /** Identifies content that is not text. */
  before?: string | undefined
}

/** Compares a file with its future text. `before` is undefined if there is no file, or it is not text. */
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

/** Replaces a content's identity if there is no such file. */
export const MISSING = 'missing'

export function identifyContent(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22)
}

/**
 * Identifies what a call would do to files. It stays the same if a file was changed elsewhere than the call changes it,
 * and differs if the call would now do something else than the person saw.
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

/** The parts of all files, if each can be rejected separately and there is a choice. */
export function joinParts(changes: readonly ForeseenChange[]): EditPart[] | undefined {
  const parts = changes.flatMap(({ path, from, operation, parts: own = [] }) =>
    own.map(part => ({ path, ...(from !== undefined && { from }), operation, ...part })),
  )
  return parts.length > 1 && changes.every(({ parts: own }) => own !== undefined) ? parts : undefined
}

/** The lines that a diff removes or adds, without their positions. */
function changedLines(diff: string): string[] {
  return diff.split('\n').filter(line => /^[-+\\]/.test(line))
}
