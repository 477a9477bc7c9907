import type { ToolProblem } from '../../tool/source/tool-problem.ts'
import type { RangeProblem } from './range-problem.ts'

/** At the element that declares the tool: a warning if the run continues without it, else an error. */
export function toRangeProblem(
  { declaration, code, message, cure, canBeLeftOut }: ToolProblem,
  mayLeaveOut: boolean,
): RangeProblem {
  const { node, file } = declaration
  const isLeftOut = mayLeaveOut && canBeLeftOut
  const more = canBeLeftOut && !isLeftOut ? ' To run without it, add --skip-untrusted.' : ''
  const severity = isLeftOut ? 'warning' : 'error'
  return { code, severity, message, cure: cure + more, file, at: { start: node.start, end: node.openEnd } }
}
