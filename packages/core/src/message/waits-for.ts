import type { ToolInvocation } from './tool-invocation.ts'

/**
 * The tool with which a model asks the user a question. A client shows the question; the answer is the call's output.
 */
export const questionTool = 'ask_user'

/** Undefined if the call needs neither an approval nor the answer to a question. */
export function waitsFor({
  state,
  toolName,
}: Pick<ToolInvocation, 'state' | 'toolName'>): 'approval' | 'answer' | undefined {
  if (state === 'approval-requested') return 'approval'
  return state === 'input-available' && toolName === questionTool ? 'answer' : undefined
}
