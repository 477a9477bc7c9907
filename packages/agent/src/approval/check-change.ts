import type { ApprovalCheck } from '@argot/core/stream/internal'
import { type ForeseenChange, identifyChanges } from '../tool/foreseen-change.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolFailure } from '../words/tool-failure.ts'

export interface ChangingCall {
  tool: Pick<Tool, 'foresee'>
  /** As validated by the tool. */
  input: unknown
}

/** What a call would do to the files in their current state. */
export interface ChangeCheck {
  /** Milliseconds since 1970. */
  at: number
  /** Undefined if the call would fail. */
  changes?: readonly ForeseenChange[]
  /** Why the call would fail, in a sentence. */
  problem?: string
}

/** How many files to remember, at most, for an input that a person edits. */
const MOST_FILES = 100

/** Checks a call against the current files. Undefined if the tool can't foresee its changes. Never rejects. */
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

/** The part of a check that is stored with a question. */
export function toApprovalCheck({ at, changes, problem }: ChangeCheck): ApprovalCheck {
  if (changes === undefined) return { at, problem: problem ?? '' }
  const files = changes.slice(0, MOST_FILES).map(({ path, before }) => [path, before ?? ''] as const)
  return { at, stamp: identifyChanges(changes), files: Object.fromEntries(files) }
}

/**
 * The file that keeps a call from running: it changed after the question, and the call would now have another result.
 * Undefined if the call may run. A call that would fail may run into its own error.
 */
export async function findChangedFile(
  approvedCheck: ApprovalCheck | undefined,
  call: ChangingCall & { isEdited: boolean },
  signal: AbortSignal,
): Promise<string | undefined> {
  if (approvedCheck === undefined) return undefined
  const { changes } = (await checkChange(call, signal)) ?? {}
  if (changes === undefined) return undefined
  const isOther = ({ path, before }: ForeseenChange): boolean => {
    const shownVersion = Object.hasOwn(approvedCheck.files ?? {}, path) ? approvedCheck.files?.[path] : undefined
    return shownVersion !== undefined && shownVersion !== before
  }
  if (call.isEdited) return changes.find(isOther)?.path
  if (identifyChanges(changes) === approvedCheck.stamp) return undefined
  return (changes.find(isOther) ?? changes[0]!).path
}

/** The sentences after it tell the model what to do and aren't for people. */
function firstSentence(text: string): string {
  return text.split(/(?<=[.!?]) +(?=[A-Z`])/, 1)[0]!
}
