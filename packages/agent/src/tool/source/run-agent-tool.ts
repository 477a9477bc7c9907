import type { AgentRequest, AgentResult } from '@argot/core/chatmd/internal'
import type { OuterRun } from '../tool.ts'

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
