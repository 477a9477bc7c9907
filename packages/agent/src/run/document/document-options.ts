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

/** What a caller says about a document, and what only the runs, checks and previews around it know. */
export interface DocumentOptions extends RunOptions {
  /** What file tools of a run inside another one call before they change files. */
  keepFiles?: KeepFiles | undefined
  /** The documents that are running, outermost first. */
  agents?: readonly string[]
  /** What answered turns brought in when they were sent. */
  frozen?: FrozenSources | undefined
  /** What agents answered in earlier runs. */
  agentCache?: AgentCache | undefined
  /** The values of its parameters, where they were looked for before; `later` where only a call brings them. */
  paramValues?: ParamValues | 'later' | undefined
  /** Makes what runs agents of the document, under its policy. Without it none is run, and their places stay empty. */
  createSubAgents?: (policy: ApprovalPolicy, strict: RuleBook['strictPart']) => SubAgents
  /** Runs forks of the conversation. Without it the tool `fork` is only listed. */
  fork?: RunFork | undefined
  /** What the documents that are running this one make stricter. */
  strict?: RuleBook['strictPart']
  /** Documents that runs write to, this one and those around it, as real paths: no tool may change them. */
  protect?: readonly string[]
  /** The document came from the web: it gets no tools of this machine. */
  remote?: boolean
  /** The message of an agent, given as parts. */
  parts?: AgentRequest['input']
  /** The answer is found in the cache of agents, and kept there. */
  isCached?: boolean
  /** No server is asked: addresses are checked, and count as there. */
  offline?: boolean
  /** Everything is said, also what a run may leave out. */
  isCheck?: boolean
  /** The tools are only to be listed: nobody is asked about commands. */
  listOnly?: boolean
  /** What is wrong with agents that were looked at already, by file. */
  seen?: Map<string, Promise<string | undefined>>
}
