import { type EditPart, findOmittedParts, isRecord } from '@argot/core/stream/internal'
import type { Tool } from '../tool/tool.ts'
import { checkChange } from './check-change.ts'
import { partsToChoose } from './question-facts.ts'

export interface PartialEdit {
  /** The complete edit, as validated by the tool. */
  whole: unknown
  /** Tells the model what was left out. */
  note: string
}

export interface EditedCall {
  tool: Pick<Tool, 'foresee' | 'validate'>
  modelInput: unknown
  /** As the person edited it. */
  input: unknown
}

/** Finds what a person left out of an edit. Undefined unless their input is a subset of its parts. Never rejects. */
export async function findPartial(
  { tool, modelInput, input }: EditedCall,
  signal: AbortSignal,
): Promise<PartialEdit | undefined> {
  try {
    if (tool.foresee === undefined) return undefined
    const whole = await tool.validate(modelInput)
    if (!whole.ok) return undefined
    const { changes = [] } = (await checkChange({ tool, input: whole.input }, signal)) ?? {}
    const parts = partsToChoose(changes, modelInput)
    const leftOut = parts && findOmittedParts(modelInput, parts, input)
    return leftOut && { whole: whole.input, note: describeLeftOut(modelInput, parts, leftOut) }
  } catch {
    return undefined
  }
}

function describeLeftOut(whole: unknown, parts: readonly EditPart[], leftOut: readonly number[]): string {
  const count = parts.length - leftOut.length
  const rows = leftOut.map(index => {
    const { path, line, key, lines } = parts[index]!
    const text = isRecord(whole) ? String(whole[key]) : ''
    const own = text
      .split('\n')
      .slice(...lines)
      .join('\n')
      .trimEnd()
    return `${path}${line === undefined ? '' : `, line ${line}`}:\n${own}`
  })
  const what = `The user approved ${count} of the ${parts.length} changes in this call. These were left out, and were not made:`
  return `${what}\n\n${rows.join('\n\n')}`
}
