import { type ChatDocument, parseChatMd } from '@argot/core/chatmd'
import type { AgentRequest, AgentResult, RunAgent } from '@argot/core/chatmd/internal'
import { defined } from '@argot/core/stream/internal'
import type { AgentCall, RunAgentTool } from '../../tool/source/run-agent-tool.ts'
import type { RunResult } from '../run-options.ts'

export interface SubAgentRun {
  document: ChatDocument
  input: AgentRequest['input']
  params?: Readonly<Record<string, string>> | undefined
  /** The running documents, outermost first, this one last. */
  agents: readonly string[]
  /** False for a document from the web: it can't declare tools of this machine. */
  local: boolean
  /** The agent's name, and the call that it answers if it is a tool. */
  call?: AgentCall | undefined
  signal?: AbortSignal
}

/** Runs other documents for a document: in place of `<agent>`, and as tools. */
export interface SubAgents {
  run: RunAgent
  tool: RunAgentTool
}

export function createSubAgents(runInMemory: (run: SubAgentRun) => Promise<RunResult>): SubAgents {
  const run: RunAgent = request => runAgent(request)
  const runAgent = async (
    { file, source, local, input, agents, signal }: AgentRequest,
    call?: SubAgentRun['call'],
    params?: SubAgentRun['params'],
  ): Promise<AgentResult> => {
    const { document, diagnostics } = parseChatMd(source, { file })
    const error = diagnostics.find(({ severity }) => severity === 'error')
    if (error !== undefined) return failed(file, error.message)
    const result = await runInMemory({ document, input, params, agents, local, call, ...defined({ signal }) })
    if (result.status === 'done') return { ok: true, text: result.text }
    return failed(file, result.status === 'failed' ? result.error : `Its run was ${result.status}.`)
  }

  return { run, tool: runAgent }
}

function failed(file: string, reason: string): AgentResult {
  return {
    ok: false,
    problem: { code: 'CHATMD_AGENT_FAILED', message: `The agent \`${file}\` returned no answer: ${reason}` },
  }
}
