import type { ToolInvocation } from 'argot'

/** The name of the tool by which a model asks the person a question. */
const questionTool = 'ask_user'

/** A call that is a question to the person, and waits for the answer. */
export function isQuestion({ toolName, state }: Pick<ToolInvocation, 'toolName' | 'state'>): boolean {
  return toolName === questionTool && state === 'input-available'
}

/** A call that waits for the person: for a yes or no, or for an answer. */
export function isWaiting(call: Pick<ToolInvocation, 'toolName' | 'state'>): boolean {
  return call.state === 'approval-requested' || isQuestion(call)
}
