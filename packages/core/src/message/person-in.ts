import { oneLine } from './one-line.ts'
import type { ToolInvocation } from './tool-invocation.ts'

const LONGEST_NAME = 64

/** Who answered the question about a call, where it was somebody else than the person at this machine. */
export function personIn({ approval }: Pick<ToolInvocation, 'approval'>): string | undefined {
  const by = typeof approval?.by === 'string' ? oneLine(approval.by, LONGEST_NAME) : ''
  return by === '' || by === 'local' ? undefined : by
}
