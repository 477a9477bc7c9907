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

/** A longer diff, schema or list of files isn't sent: a reader would judge a cut one as if it were complete. */
const LONGEST_FACT = 48 * 1024
const MOST_PARTS = 50

export const describeReasoning = "This call is written inside the model's reasoning."

export interface QuestionSubject {
  tool: Pick<Tool, 'inputSchema' | 'foresee'>
  /** As validated by the tool. */
  input: unknown
  redact: (value: unknown) => unknown
}

/** Sent with the question: redacted, and only what is short enough to judge in full. Never rejects. */
export async function questionFacts(request: ApprovalRequest, call: QuestionSubject): Promise<ApprovalFacts> {
  const { effect, boundary, mustAsk, rule, always, interrupted, foreign, inReasoning, subject } = request
  const check = await checkChange(call, request.signal)
  const { changes } = check ?? {}
  const changedFiles = changes?.map(toApprovalChange)
  const facts: ApprovalFacts = {
    effect,
    ...defined({ boundary, mustAsk, rule, always }),
    ...defined({ interrupted: interrupted || undefined, foreign: foreign || undefined }),
    ...(inReasoning === true && { note: describeReasoning }),
    ...defined({
      command: subject?.kind === 'command' && isShort(subject.words) ? subject.words : undefined,
      changes: isShort(changedFiles) ? changedFiles : undefined,
      check: check && toApprovalCheck(check),
      parts: changes && partsToChoose(changes, request.input),
      diff: changes && joinDiffs(changes),
      inputSchema: isShort(call.tool.inputSchema) ? call.tool.inputSchema : undefined,
    }),
  }
  return call.redact(facts) as ApprovalFacts
}

/** The diffs of all files. Undefined if one is unknown, or if they are too long to judge in full. */
export function joinDiffs(changes: readonly ForeseenChange[]): string | undefined {
  const diffs = changes.map(({ diff }) => diff)
  return diffs.every(diff => diff !== undefined && diff !== '') ? omitIfLong(diffs.join('\n')) : undefined
}

/** Undefined if the input can't be reduced, or if the parts are too long to judge. */
export function partsToChoose(changes: readonly ForeseenChange[], input: unknown): EditPart[] | undefined {
  const parts = joinDiffs(changes) === undefined ? undefined : joinParts(changes)
  if (parts === undefined || parts.length > MOST_PARTS || !isShort(parts)) return undefined
  return reduceInput(input, parts, new Set(parts.keys())) === undefined ? undefined : parts
}

/** Leaves out the diff, which is sent for all files together, and fields that only a run needs. */
export function toApprovalChange({ path, from, operation, linesBefore, linesAfter }: ForeseenChange): ApprovalChange {
  return { path, operation, ...defined({ from, linesBefore, linesAfter }) }
}

function omitIfLong(text: string): string | undefined {
  return text.length <= LONGEST_FACT ? text : undefined
}

function isShort(value: unknown): boolean {
  return value !== undefined && (JSON.stringify(value)?.length ?? 0) <= LONGEST_FACT
}
