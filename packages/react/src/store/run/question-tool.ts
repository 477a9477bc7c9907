import type { ToolInvocation } from 'argot'

/** The name of the tool by which a model asks the person a question. The page answers it. */
export const questionTool = 'ask_user'

/** What a call waits for the person for: a yes or no, or an answer; undefined where it does not wait. */
export function waitingKind({
  state,
  toolName,
}: Pick<ToolInvocation, 'state' | 'toolName'>): 'approval' | 'question' | undefined {
  if (state === 'approval-requested') return 'approval'
  return state === 'input-available' && toolName === questionTool ? 'question' : undefined
}
