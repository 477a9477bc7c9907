import type { ToolInvocation } from './tool-invocation.ts'

/**
 * The tool with which a model asks the user a question. A client shows the question; the answer is the call's output.
 */
export const questionTool = 'ask_user'

/** What a call needs from the user: an approval, or the answer to a question; undefined if it needs neither. */
export function waitsFor({
  state,
  toolName,
}: Pick<ToolInvocation, 'state' | 'toolName'>): 'approval' | 'answer' | undefined {
  if (state === 'approval-requested') return 'approval'
  return state === 'input-available' && toolName === questionTool ? 'answer' : undefined
}
