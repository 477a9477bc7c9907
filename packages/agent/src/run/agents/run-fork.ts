import { userMessage } from '@argot/core'
import type { RunPlan } from '../../loop/plan.ts'
import type { ForkCall } from '../../tool/builtin/fork.ts'
import { AGENT_DEPTH } from '../../tool/source/agent.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import type { DocumentOptions } from '../document/document-options.ts'
import { openRun } from '../open-run.ts'
import { newRunId, startRun } from '../start-run.ts'
import { askFor, passOn } from './run-sub-agent.ts'

/** What a fork takes from the outer run: everything but the conversation. */
export type ForkedPlan = Pick<RunPlan, 'tools' | 'talk' | 'rules' | 'budget' | 'fetchFile'>

/** Answers a task in memory with the outer run's history, tools, rights and budget. Its questions are asked there. */
export async function runFork(
  task: string,
  { toolCallId, outer, signal }: ForkCall,
  plan: ForkedPlan,
  options: DocumentOptions,
): Promise<string> {
  const depth = outer.forks + 1
  if (depth + (options.agents ?? []).length > AGENT_DEPTH) {
    const message = `Forks and agents are nested more than ${AGENT_DEPTH} levels deep. Do the task yourself.`
    throw new ToolFailure('CHATMD_AGENT_TOO_DEEP', message)
  }
  const id = newRunId((options.now ?? Date.now)())
  const tokenBudget = outer.tokensLeft() ?? plan.budget.tokenBudget
  const forkPlan: RunPlan = {
    ...plan,
    budget: { ...plan.budget, tokenBudget },
    messages: [...outer.history(), userMessage(describeTask(task))],
    messageId: `msg-${id}`,
    forks: depth,
  }
  let { ask } = options
  for (let inside = 0; inside < depth; inside++) ask = askFor('fork', ask)
  const { keepFiles } = outer
  // Leaving the outer run ends this one through the signal.
  const forkOptions = { ...options, ask, agents: options.agents ?? [], leave: undefined, keepFiles }
  const run = startRun(id, { signal, env: options.env }, context => {
    context.reportLog('none')
    outer.inner.set(toolCallId, context)
    return openRun(forkPlan, undefined, forkOptions, context)
  })
  try {
    for await (const chunk of run) passOn(chunk, toolCallId, outer)
    const result = await run.result
    if (result.status === 'done') return result.text
    const reason = result.status === 'failed' ? result.error : `Its run was ${result.status}.`
    throw new ToolFailure('CHATMD_AGENT_FAILED', `The fork returned no answer: ${reason}`)
  } finally {
    outer.inner.delete(toolCallId)
  }
}

function describeTask(task: string): string {
  return `You are a fork of this conversation: you have its history and its tools, and only your final answer goes back to it. Do this task and nothing else, then answer with the result.\n\n${task}`
}
