import type { AgentRequest, AgentResult } from '@argot/core/chatmd/internal'
import type { OuterRun } from '../tool.ts'

/** The call that an agent answers, and what the agent is called. */
export interface AgentCall {
  name: string
  toolCallId: string
  outer: OuterRun | undefined
}

/** Runs another document for a call. */
export type RunAgentTool = (
  request: AgentRequest,
  call: AgentCall,
  params: Readonly<Record<string, string>> | undefined,
) => Promise<AgentResult>
