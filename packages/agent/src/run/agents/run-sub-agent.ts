import type { Chunk } from '@argot/core'
import type { Usage } from '@argot/core/ai-sdk/internal'
import type { ChatDocument } from '@argot/core/chatmd'
import { readEndUsage } from '../../store/logged-spending.ts'
import type { OuterRun } from '../../tool/tool.ts'
import type { DocumentOptions } from '../document/document-options.ts'
import type { RunOptions, RunResult } from '../run-options.ts'
import { newRunId, type RunContext, startRun } from '../start-run.ts'
import type { SubAgentRun } from './sub-agents.ts'

type AnswerInMemory = (document: ChatDocument, options: DocumentOptions, context: RunContext) => Promise<RunResult>

/** Runs an agent's document with the outer run's rights. Writes nothing to a file. */
export async function runSubAgent(
  sub: SubAgentRun,
  options: DocumentOptions,
  outerContext: RunContext,
  answer: AnswerInMemory,
): Promise<RunResult> {
  const { id: _, input: __, output: ___, signal: ____, chosen: _____, warn: ______, ...rest } = options
  const { outputSchema: _o, outputJsonSchema: _j, ...shared } = rest
  const { call, document } = sub
  const { file } = document
  const protect = [...(options.protect ?? []), ...(file === undefined || !sub.local ? [] : [file])]
  const agentOptions = {
    agents: sub.agents,
    remote: !sub.local,
    parts: sub.input,
    protect,
    isCached: call === undefined,
    params: sub.params,
    // Only the caller provides the values.
    askParam: undefined,
    keepFiles: call?.outer?.keepFiles,
  }
  const limits = { tokenBudget: call?.outer?.tokensLeft() ?? options.tokenBudget, ask: askFor(call?.name, options.ask) }
  const run = startRun(newRunId((options.now ?? Date.now)()), { signal: sub.signal, env: options.env }, context => {
    if (call !== undefined) outerContext.inner.set(call.toolCallId, context)
    return answer(document, { ...shared, ...agentOptions, ...limits, frozen: undefined }, context)
  })
  try {
    if (call?.outer !== undefined) for await (const chunk of run) passOn(chunk, call.toolCallId, call.outer)
    return await run.result
  } finally {
    if (call !== undefined) outerContext.inner.delete(call.toolCallId)
  }
}

/** Asks with the agent's name, so that the person knows which agent is asking. */
export function askFor(name: string | undefined, ask: RunOptions['ask']): RunOptions['ask'] {
  if (name === undefined || typeof ask !== 'function') return ask
  return request => ask({ ...request, agents: [name, ...(request.agents ?? [])] })
}

/** Passes an agent's chunk to the outer run, and at the end adds the agent's usage. */
export function passOn(chunk: Chunk, toolCallId: string, outer: OuterRun): void {
  outer.chunk(toOuterChunk(chunk, toolCallId))
  const usage = readEndUsage(chunk) as Usage | undefined
  if (usage !== undefined) outer.spend(usage)
}

/** Prefixes question ids with the id of the call that runs the agent. */
function toOuterChunk(chunk: Chunk, toolCallId: string): Chunk {
  if (chunk.type === 'tool-approval-request' || chunk.type === 'tool-approval-response') {
    return { ...chunk, approvalId: `${toolCallId}/${chunk.approvalId ?? chunk.toolCallId}` }
  }
  if (chunk.type !== 'data-argot-sub' || !('data' in chunk)) return chunk
  const data = chunk.data as { chunk: Chunk }
  return { ...chunk, data: { ...data, chunk: toOuterChunk(data.chunk, toolCallId) } }
}
