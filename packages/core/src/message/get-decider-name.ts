import { oneLine } from './one-line.ts'
import type { ToolInvocation } from './tool-invocation.ts'

const LONGEST_NAME = 64

/** The person who approved or denied a call, unless it was the person at this machine. */
export function getDeciderName({ approval }: Pick<ToolInvocation, 'approval'>): string | undefined {
  const by = typeof approval?.by === 'string' ? oneLine(approval.by, LONGEST_NAME) : ''
  return by === '' || by === 'local' ? undefined : by
}
