import type { ToolInvocation } from '@argot/core'

/** Whether a person changed the input before the call ran. */
export function isEdited({ rawInput, input, approval, state }: ToolInvocation): boolean {
  return rawInput !== undefined && input !== undefined && approval !== undefined && state !== 'approval-requested'
}
