import type { ToolInvocation } from '@argot/core'
import { type EditPart, isRecord, isUnifiedDiff, reduceInput } from '@argot/core/stream/internal'
import { useMemo } from 'react'
import type { ToolCallView } from '../../hooks/use-tool-call.ts'
import type { CallDraft } from '../../store/call-ui.ts'

/** An edit whose changes are approved one by one. */
export interface EditChoice {
  parts: readonly EditPart[]
  leftOut: ReadonlySet<number>
  /** The input with the kept changes; undefined if that is all of it, or nothing. */
  input: unknown
  isEmpty: boolean
  leave: (index: number, isLeftOut: boolean) => void
}

const operations: ReadonlySet<unknown> = new Set<EditPart['operation']>(['add', 'update', 'move', 'delete'])

/** A person's choice among the changes that the run offers; undefined if the call is approved as a whole. */
export function useEditChoice(view: ToolCallView, isStale: boolean): EditChoice | undefined {
  const { invocation: call, draft, setDraft } = view
  const parts = useMemo(() => readParts(call), [call])
  if (parts === undefined || isStale) return undefined
  const leftOut = getLeftOut(call, parts, draft)
  const keptParts = new Set([...parts.keys()].filter(index => !leftOut.has(index)))
  const input = leftOut.size === 0 ? undefined : reduceInput(call.input, parts, keptParts)
  return {
    parts,
    leftOut,
    input,
    isEmpty: leftOut.size > 0 && input === undefined,
    leave: (index, isLeftOut) => setDraft({ shown: { ...draft.shown, [draftName(call, index)]: isLeftOut } }),
  }
}

/** A person left something out of this call and has not answered yet, so "approve all" must skip it. */
export function isReduced(call: ToolInvocation, draft: CallDraft): boolean {
  const parts = readParts(call)
  return parts !== undefined && getLeftOut(call, parts, draft).size > 0
}

function getLeftOut(call: ToolInvocation, parts: readonly EditPart[], { shown = {} }: CallDraft): Set<number> {
  return new Set([...parts.keys()].filter(index => shown[draftName(call, index)] === true))
}

/** A call may get a second question, with other parts. */
function draftName({ approval }: ToolInvocation, index: number): string {
  return `${approval?.id} ${index}`
}

/**
 * A question's changes, if there are several. Questions come over the network. Unless every line that the whole edit
 * changes is in one of its parts, and the input can be reduced to them, the edit is judged as a whole.
 */
export function readParts({ approval, input }: Pick<ToolInvocation, 'approval' | 'input'>): EditPart[] | undefined {
  const { parts, diff } = approval?.facts ?? {}
  if (!Array.isArray(parts) || parts.length < 2 || typeof diff !== 'string') return undefined
  if (!parts.every(isPart) || reduceInput(input, parts, new Set(parts.keys())) === undefined) return undefined
  const partLines = parts.flatMap(part => changedLines(part.diff)).sort()
  const whole = changedLines(diff).sort()
  return partLines.length === whole.length && partLines.every((line, index) => line === whole[index])
    ? parts
    : undefined
}

function isPart(value: unknown): value is EditPart {
  if (!isRecord(value)) return false
  const { path, from = '', operation, line = 1, diff, key, lines, head = [0, 0] } = value
  const texts = [path, from, diff, key].every(text => typeof text === 'string')
  const hasPlaces = operations.has(operation) && Number.isSafeInteger(line) && isRange(lines) && isRange(head)
  return texts && hasPlaces && isUnifiedDiff(diff as string)
}

function isRange(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger)
}

function changedLines(diff: string): string[] {
  return diff.split('\n').filter(line => /^[-+]/.test(line))
}
