import type { ErrorCode } from 'argot'
import type { ToolDeclaration } from 'argot/chatmd'
import type { Found } from './place-of.ts'

export type ModuleDeclaration = Extract<ToolDeclaration, { kind: 'module' }>
export type McpDeclaration = Extract<ToolDeclaration, { kind: 'mcp' }>

/** A tool that a document declares and that cannot be offered. */
export interface ToolProblem {
  declaration: ToolDeclaration
  code: ErrorCode
  message: string
  cure: string
  /** It can be left out: the user does not trust it, or it cannot be reached. */
  canBeLeftOut: boolean
}

/** The problem at the element that declares the tool: a warning where the run goes without it, else an error. */
export function foundProblem(
  { declaration, code, message, cure, canBeLeftOut }: ToolProblem,
  mayLeaveOut: boolean,
): Found {
  const { node, file } = declaration
  const isForgiven = mayLeaveOut && canBeLeftOut
  const more = canBeLeftOut && !isForgiven ? ' To run without it, add --skip-untrusted.' : ''
  const severity = isForgiven ? 'warning' : 'error'
  return { code, severity, message, cure: cure + more, file, at: { start: node.start, end: node.openEnd } }
}
