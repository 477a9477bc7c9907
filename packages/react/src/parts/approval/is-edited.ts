import type { ToolInvocation } from '@argot/core'

export function isEdited({ rawInput, input, approval, state }: ToolInvocation): boolean {
  return rawInput !== undefined && input !== undefined && approval !== undefined && state !== 'approval-requested'
}
