import { type EditPart, findLeftOut, isRecord } from '@argot/core/stream/internal'
import type { Tool } from '../tool/tool.ts'
import { checkChange } from './check-change.ts'
import { partsToChoose } from './question-facts.ts'

/** An edit of which a person left parts out. */
export interface PartialEdit {
  /** All of it, as the tool takes it. */
  whole: unknown
  /** What was left out, in words for the model. */
  note: string
}

export interface EditedCall {
  tool: Pick<Tool, 'foresee' | 'validate'>
  /** As the model wrote it. */
  written: unknown
  /** As the person wants it. */
  input: unknown
}

/** Finds what a person left out of an edit. Undefined if their input is anything else than some of its parts. Never rejects. */
export async function findPartial(
  { tool, written, input }: EditedCall,
  signal: AbortSignal,
): Promise<PartialEdit | undefined> {
  try {
    if (tool.foresee === undefined) return undefined
    const whole = await tool.validate(written)
    if (!whole.ok) return undefined
    const { changes = [] } = (await checkChange({ tool, input: whole.input }, signal)) ?? {}
    const parts = partsToChoose(changes, written)
    const leftOut = parts && findLeftOut(written, parts, input)
    return leftOut && { whole: whole.input, note: describeLeftOut(written, parts, leftOut) }
  } catch {
    return undefined
  }
}

function describeLeftOut(written: unknown, parts: readonly EditPart[], leftOut: readonly number[]): string {
  const count = parts.length - leftOut.length
  const rows = leftOut.map(index => {
    const { path, line, key, lines } = parts[index]!
    const text = isRecord(written) ? String(written[key]) : ''
    const own = text
      .split('\n')
      .slice(...lines)
      .join('\n')
      .trimEnd()
    return `${path}${line === undefined ? '' : `, line ${line}`}:\n${own}`
  })
  const what = `The user approved ${count} of the ${parts.length} changes in this call. These were left out and not made:`
  return `${what}\n\n${rows.join('\n\n')}`
}
