import type { ToolEffect } from '@argot/core/stream'
import type { ApprovalAnswer } from '@argot/core/stream/internal'
import type { ForeseenChange } from '../tool/foreseen-change.ts'
import type { Subject } from '../tool/subject.ts'

export type { ApprovalAnswer } from '@argot/core/stream/internal'

/**
 * Which calls run without a question. `all`: every one. `ask`: those that only read; a person is asked about the
 * others. `readonly`: those that only read; the others are refused. `none`: no call runs.
 */
export type ApprovalMode = 'all' | 'ask' | 'readonly' | 'none'

/** One mode for all tools, or a mode per tool name; `default` is for those that are not named. */
export type ApprovalPolicy = ApprovalMode | ({ default?: ApprovalMode } & { readonly [tool: string]: ApprovalMode })

/**
 * What happens to a call that a crash interrupted while its tool was changing something. `ask`: a person decides whether
 * it runs again. `tell`: it does not run again, and the model gets the error `TOOL_INTERRUPTED`.
 */
export type InterruptedMode = 'ask' | 'tell'

/** What a person is asked. */
export interface ApprovalRequest {
  approvalId: string
  toolCallId: string
  toolName: string
  input: unknown
  effect: ToolEffect
  title?: string
  /** The agents inside the run that ask, outermost first; none for the run itself. */
  agents?: readonly string[]
  /** The process died while this call was running: what it did is not known. Approving runs it again. */
  interrupted?: boolean
  /** The call is in the document, and no model of this user is known to have made it. */
  foreign?: boolean
  /** The call is written inside the model's reasoning, so `ask` asks about it even if it only reads. */
  inReasoning?: boolean
  /** What the program of the call can reach, in a sentence: whether it is confined, and how. */
  boundary?: string
  /** Why this call needs a yes whatever the policy says, in a sentence. */
  mustAsk?: string
  /** What the call is about: its paths, its hosts, or its complete command line. */
  subject?: Subject
  /** The rule that makes the call ask, and where it is written, in words; a policy does where there is none. */
  rule?: string
  /** The rule that the answer "always" adds for the rest of the run; without it, "always" is for this call only. */
  always?: string
  /** What the call would do to files. */
  changes?: readonly ForeseenChange[]
  /** Why the call would fail on the files as they are now, in a sentence. */
  problem?: string
  /** Says what is wrong with an input that a person has edited; undefined if it can run. */
  checkInput?(input: unknown): Promise<string | undefined>
  /** Aborted when the run is stopped: the answer is no longer wanted. */
  signal: AbortSignal
}

/** Asks a person. `undefined` means not now: the run is parked, and the question stays in the transcript. */
export type Ask = (request: ApprovalRequest) => Promise<ApprovalAnswer | undefined>
