import type { ApprovalCheck } from '@argot/core/stream/internal'
import { type ForeseenChange, identifyChanges } from '../tool/foreseen-change.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolFailure } from '../words/tool-failure.ts'

/** A call that would change files. */
export interface ChangingCall {
  tool: Pick<Tool, 'foresee'>
  /** As the tool takes it. */
  input: unknown
}

/** What a call would do to the files as they are now. */
export interface ChangeCheck {
  /** Milliseconds since 1970. */
  at: number
  /** Undefined if the call would fail. */
  changes?: readonly ForeseenChange[]
  /** Why the call would fail, in a sentence. */
  problem?: string
}

/** Most files that are remembered for an input that a person edits. */
const MOST_FILES = 100

/** Checks a call against the files as they are. Undefined if the tool foresees nothing. Never rejects. */
export async function checkChange(
  { tool, input }: ChangingCall,
  signal: AbortSignal,
  now: () => number = Date.now,
): Promise<ChangeCheck | undefined> {
  try {
    const changes = await tool.foresee?.(input, signal)
    return changes === undefined || changes.length === 0 ? undefined : { at: now(), changes }
  } catch (error) {
    return error instanceof ToolFailure ? { at: now(), problem: firstSentence(error.message) } : undefined
  }
}

/** The check as it is kept with a question. */
export function toApprovalCheck({ at, changes, problem }: ChangeCheck): ApprovalCheck {
  if (changes === undefined) return { at, problem: problem ?? '' }
  const files = changes.slice(0, MOST_FILES).map(({ path, before }) => [path, before ?? ''] as const)
  return { at, stamp: identifyChanges(changes), files: Object.fromEntries(files) }
}

/**
 * The file because of which a call must not run: since the person was asked, it was changed such that something else would come of
 * the call. Undefined if the call may run. A call that would fail runs into its own error.
 */
export async function findChangedFile(
  seen: ApprovalCheck | undefined,
  call: ChangingCall & { isEdited: boolean },
  signal: AbortSignal,
): Promise<string | undefined> {
  if (seen === undefined) return undefined
  const { changes } = (await checkChange(call, signal)) ?? {}
  if (changes === undefined) return undefined
  const isOther = ({ path, before }: ForeseenChange): boolean => {
    const shownVersion = Object.hasOwn(seen.files ?? {}, path) ? seen.files?.[path] : undefined
    return shownVersion !== undefined && shownVersion !== before
  }
  if (call.isEdited) return changes.find(isOther)?.path
  if (identifyChanges(changes) === seen.stamp) return undefined
  return (changes.find(isOther) ?? changes[0]!).path
}

/** What follows says what the model should do, and is not for a person. */
function firstSentence(text: string): string {
  return text.split(/(?<=[.!?]) +(?=[A-Z`])/, 1)[0]!
}
