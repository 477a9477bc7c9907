import type { ToolProblem } from '../../tool/source/tool-problem.ts'
import type { RangeProblem } from './range-problem.ts'

/**
 * The problem at the element that declares the tool: a warning if the run continues without the tool, else an error.
 */
export function toRangeProblem(
  { declaration, code, message, cure, canBeLeftOut }: ToolProblem,
  mayLeaveOut: boolean,
): RangeProblem {
  const { node, file } = declaration
  const isForgiven = mayLeaveOut && canBeLeftOut
  const more = canBeLeftOut && !isForgiven ? ' To run without it, add --skip-untrusted.' : ''
  const severity = isForgiven ? 'warning' : 'error'
  return { code, severity, message, cure: cure + more, file, at: { start: node.start, end: node.openEnd } }
}
