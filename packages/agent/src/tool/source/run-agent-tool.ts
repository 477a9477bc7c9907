import type { AgentRequest, AgentResult } from '@argot/core/chatmd/internal'
import type { OuterRun } from '../tool.ts'

/** The call that an agent answers, and the agent's name. */
export interface AgentCall {
  name: string
  toolCallId: string
  outer: OuterRun | undefined
}

export type RunAgentTool = (
  request: AgentRequest,
  call: AgentCall,
  params: Readonly<Record<string, string>> | undefined,
) => Promise<AgentResult>
