import type { ToolEffect } from '@argot/core/stream'
import type { ApprovalAnswer } from '@argot/core/stream/internal'
import type { ForeseenChange } from '../tool/foreseen-change.ts'
import type { Subject } from '../tool/subject.ts'

export type { ApprovalAnswer } from '@argot/core/stream/internal'

/**
 * Which calls run without a question. `all`: every call. `ask`: calls that only read; a person decides about the
 * others. `readonly`: calls that only read; the others are refused. `none`: no call runs.
 */
export type ApprovalMode = 'all' | 'ask' | 'readonly' | 'none'

/** One mode for all tools, or a mode per tool name. `default` applies to tools that aren't named. */
export type ApprovalPolicy = ApprovalMode | ({ default?: ApprovalMode } & { readonly [tool: string]: ApprovalMode })

/**
 * What happens to a call that a crash interrupted while its tool was changing something. `ask`: a person decides
 * whether it runs again. `tell`: it doesn't run again, and the model gets the error `TOOL_INTERRUPTED`.
 */
export type InterruptedMode = 'ask' | 'tell'

/** A question for a person: may this call run? */
export interface ApprovalRequest {
  approvalId: string
  toolCallId: string
  toolName: string
  input: unknown
  effect: ToolEffect
  title?: string
  /** The nested agents that ask, outermost first. Empty or undefined for the run itself. */
  agents?: readonly string[]
  /** The process died while this call was running, so its effect is unknown. Approving runs it again. */
  interrupted?: boolean
  /** The call is in the document, but there is no evidence that a model of this user made it. */
  foreign?: boolean
  /** The call is inside the model's reasoning, so `ask` asks about it even if it only reads. */
  inReasoning?: boolean
  /** What the call's program can reach, in a sentence: whether it is confined, and how. */
  boundary?: string
  /** Why this call needs approval whatever the policy says, in a sentence. */
  mustAsk?: string
  /** The call's paths, its hosts, or its complete command line. */
  subject?: Subject
  /** The rule that makes the call ask, and its source, in words. Undefined if the policy asks. */
  rule?: string
  /** The rule that "always" adds for the rest of the run. If undefined, "always" applies to this call only. */
  always?: string
  /** What the call would do to files. */
  changes?: readonly ForeseenChange[]
  /** Why the call would fail on the files in their current state, in a sentence. */
  problem?: string
  /** Describes what is wrong with an input that a person has edited. Undefined if it can run. */
  checkInput?(input: unknown): Promise<string | undefined>
  /** Aborted when the run stops and no longer needs the answer. */
  signal: AbortSignal
}

/** Asks a person. `undefined` means not now: the run parks, and the question stays in the transcript. */
export type Ask = (request: ApprovalRequest) => Promise<ApprovalAnswer | undefined>
