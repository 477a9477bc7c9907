import type { ApprovalPolicy } from '../../approval/approval.ts'
import type { RuleBook } from '../../approval/rule-book.ts'
import type { AgentCache } from '../agents/agent-cache.ts'
import type { SubAgents } from '../agents/sub-agents.ts'
import type { InspectOptions } from './inspect-document.ts'

/** How a document is prepared: what a run takes, and what the runs around it add. */
export type PrepareOptions = InspectOptions & {
  /** Makes what runs agents of the document, under its policy. Without it none is run, and their places stay empty. */
  createSubAgents?: (policy: ApprovalPolicy, strict: RuleBook['strictPart']) => SubAgents
  /** What agents answered in earlier runs. */
  agentCache?: AgentCache | undefined
  /** What the documents that are running this one make stricter. */
  strict?: RuleBook['strictPart']
  /** Documents that runs write to, this one and those around it, as real paths: no tool may change them. */
  protect?: readonly string[]
  /** The tools are only to be listed: nobody is asked about commands. */
  listOnly?: boolean
}
