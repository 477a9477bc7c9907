import {
  type ApprovalChange,
  type ApprovalFacts,
  defined,
  type EditPart,
  reduceInput,
} from '@argot/core/stream/internal'
import { type ForeseenChange, joinParts } from '../tool/foreseen-change.ts'
import type { Tool } from '../tool/tool.ts'
import type { ApprovalRequest } from './approval.ts'
import { checkChange, toApprovalCheck } from './check-change.ts'

/** A diff or a schema longer than this is not sent: one that is cut would be judged as if it were complete. */
const LONGEST = 48 * 1024
const MOST_CHANGES = 100
const MOST_PARTS = 50

/** What a person reads about a call that is written inside reasoning. */
export const describeReasoning = "This call is written inside the model's reasoning."

/** What the facts of a question are made of. */
export interface AskedCall {
  tool: Pick<Tool, 'inputSchema' | 'foresee'>
  /** As the tool takes it. */
  input: unknown
  redact: (value: unknown) => unknown
}

/**
 * What a person who is asked about a call needs besides the call, as it is sent with the question: redacted, and only what
 * is short enough to be judged in full. Never rejects.
 */
export async function questionFacts(request: ApprovalRequest, call: AskedCall): Promise<ApprovalFacts> {
  const { effect, boundary, mustAsk, rule, always, interrupted, foreign, inReasoning, subject } = request
  const check = await checkChange(call, request.signal)
  const { changes } = check ?? {}
  const facts: ApprovalFacts = {
    effect,
    ...defined({ boundary, mustAsk, rule, always }),
    ...defined({ interrupted: interrupted || undefined, foreign: foreign || undefined }),
    ...(inReasoning === true && { note: describeReasoning }),
    ...defined({
      command: subject?.kind === 'command' && isShort(subject.words) ? subject.words : undefined,
      changes: changes?.slice(0, MOST_CHANGES).map(toApprovalChange),
      check: check && toApprovalCheck(check),
      parts: changes && partsToChoose(changes, request.input),
      diff: changes && joinDiffs(changes),
      inputSchema: isShort(call.tool.inputSchema) ? call.tool.inputSchema : undefined,
    }),
  }
  return call.redact(facts) as ApprovalFacts
}

/** The diffs of all files; undefined if one isn't known, or if they are too long to be judged in full. */
export function joinDiffs(changes: readonly ForeseenChange[]): string | undefined {
  const diffs = changes.map(({ diff }) => diff)
  return diffs.every(diff => diff !== undefined && diff !== '') ? short(diffs.join('\n')) : undefined
}

/** The parts that a person may choose from; undefined if the input can't be reduced, or if they are too long to be judged. */
export function partsToChoose(changes: readonly ForeseenChange[], input: unknown): EditPart[] | undefined {
  const parts = joinDiffs(changes) === undefined ? undefined : joinParts(changes)
  if (parts === undefined || parts.length > MOST_PARTS || !isShort(parts)) return undefined
  return reduceInput(input, parts, new Set(parts.keys())) === undefined ? undefined : parts
}

/** Without the diff, which is sent for all files, and without what only a run needs. */
export function toApprovalChange({ path, from, operation, linesBefore, linesAfter }: ForeseenChange): ApprovalChange {
  return { path, operation, ...defined({ from, linesBefore, linesAfter }) }
}

function short(text: string): string | undefined {
  return text.length <= LONGEST ? text : undefined
}

function isShort(value: unknown): boolean {
  return value !== undefined && (JSON.stringify(value)?.length ?? 0) <= LONGEST
}
