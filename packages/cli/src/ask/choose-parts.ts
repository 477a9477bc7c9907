import type { ApprovalAnswer, ApprovalRequest } from '@argot/agent'
import { partsToChoose } from '@argot/agent/internal'
import { type EditPart, reduceInput, visibleLine } from '@argot/core/stream/internal'
import { changeSection } from './describe-call.ts'
import { wholeSections } from './fit-sections.ts'

export interface PartQuestion {
  /** "Change 1 of 2 (src/a.ts, line 3): make it?" */
  title: string
  /** Always complete, whatever the length. */
  rows: readonly string[]
}

/** The changes that can be kept or left out one by one. Undefined if the call is approved as a whole. */
export function findParts({ changes = [], input, problem }: ApprovalRequest): readonly EditPart[] | undefined {
  return problem === undefined ? partsToChoose(changes, input) : undefined
}

/** Asks about each change of a call. If the user leaves, the result is `again` and nothing is approved. */
export async function chooseParts(
  request: ApprovalRequest,
  columns: number,
  askToKeep: (question: PartQuestion) => Promise<boolean | undefined>,
): Promise<ApprovalAnswer | 'again'> {
  const parts = findParts(request) ?? []
  const chosenParts = new Set<number>()
  for (const [index, part] of parts.entries()) {
    const { path, line, diff, operation, from } = part
    const place = line === undefined ? visibleLine(path) : `${visibleLine(path)}, line ${line}`
    const section = changeSection({ path, operation, diff, ...(from !== undefined && { from }) })
    const title = `Change ${index + 1} of ${parts.length} (${place}): apply it?`
    const answer = await askToKeep({ title, rows: wholeSections([section], columns) })
    if (answer === undefined || request.signal.aborted) return 'again'
    if (answer) chosenParts.add(index)
  }
  if (chosenParts.size === parts.length) return { approved: true }
  if (chosenParts.size === 0) return { approved: false, reason: 'The user wants none of these changes.' }
  const input = reduceInput(request.input, parts, chosenParts)
  return input === undefined ? 'again' : { approved: true, input }
}
