import type { AgentRequest } from '@argot/core/chatmd/internal'
import type { ApprovalPolicy } from '../../approval/approval.ts'
import type { RuleBook } from '../../approval/rule-book.ts'
import type { KeepFiles } from '../../files/keep-files.ts'
import type { RunFork } from '../../tool/builtin/fork.ts'
import type { AgentCache } from '../agents/agent-cache.ts'
import type { FrozenSources } from '../agents/frozen-sources.ts'
import type { SubAgents } from '../agents/sub-agents.ts'
import type { RunOptions } from '../run-options.ts'
import type { ParamValues } from './param-values.ts'

/** A caller's options for a document, plus internal ones for the runs, checks and previews around it. */
export interface DocumentOptions extends RunOptions {
  /** For a nested run: file tools call this before they change files. */
  keepFiles?: KeepFiles | undefined
  /** The running documents, outermost first. */
  agents?: readonly string[]
  frozen?: FrozenSources | undefined
  agentCache?: AgentCache | undefined
  /** The parameter values, if they were already looked up; `later` if only a call provides them. */
  paramValues?: ParamValues | 'later' | undefined
  /** Creates the runner for the document's agents. Without it, no agent runs, and their places stay empty. */
  createSubAgents?: (policy: ApprovalPolicy, strict: RuleBook['strictPart']) => SubAgents
  /** Runs forks of the conversation. Without it, the tool `fork` is only listed. */
  fork?: RunFork | undefined
  /** The restrictions from the documents that run this one. */
  strict?: RuleBook['strictPart']
  /** Documents that runs write to, this one and the outer ones, as real paths. No tool may change them. */
  protect?: readonly string[]
  /** The document came from the web, so it gets no tools of this machine. */
  remote?: boolean
  parts?: AgentRequest['input']
  /** The answer is looked up in the agent cache and stored there. */
  isCached?: boolean
  /** Contacts no server: addresses are checked and assumed to exist. */
  offline?: boolean
  /** Reports everything, including what a run may leave out. */
  isCheck?: boolean
  /** Only lists the tools: asks no one about commands. */
  listOnly?: boolean
  agentProblems?: Map<string, Promise<string | undefined>>
}
