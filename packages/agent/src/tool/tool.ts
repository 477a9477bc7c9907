import type { Chunk, Message, ToolDefinition } from '@argot/core'
import type { Usage } from '@argot/core/ai-sdk/internal'
import type { ToolEffect } from '@argot/core/stream'
import type { ApprovalAnswer } from '@argot/core/stream/internal'
import type { KeepFiles } from '../files/keep-files.ts'
import type { ForeseenChange } from './foreseen-change.ts'
import type { Subject } from './subject.ts'

/**
 * A tool that the loop can run. `execute` may throw or never return: the loop settles the call either way. Created by
 * `defineTool`, by the built-in factories, or from a `<tool command>`.
 */
export interface Tool extends ToolDefinition {
  effect: ToolEffect
  /** The tool that this one is an alias of: its rules and policies apply here too. */
  aliasOf?: string
  /** Two tools with different origins are different: an approval for one doesn't apply to the other. */
  origin?: string
  /** The output comes from outside, from the page or a person; `execute` is not called. */
  client?: boolean
  /** How long one call may take; 60 s by default. */
  timeoutMs?: number
  /** Which boundary holds for a program that it starts, in a sentence for the person who approves a call. */
  boundary?: string
  isConfined?: boolean
  /** Why a person must approve this input, whatever the policy says; undefined if it decides. Must not throw. */
  mustAsk?(input: unknown): Promise<string | undefined>
  /** Returns the input in the tool's form, or a problem worded for the model. Must not throw. */
  validate(input: unknown): Validation | Promise<Validation>
  /** For rules by argument; a tool without it has only its name. Gets the input from `validate`. */
  subject?(input: unknown): Subject
  /** What a call would change, for the person who approves it. Must not change anything; errors are not shown. */
  foresee?(input: unknown, signal: AbortSignal): Promise<readonly ForeseenChange[]>
  /** Gets the input from `validate`. The model sees whatever it throws as an error. */
  execute(input: unknown, context: ToolContext): Promise<ToolOutcome>
}

export type Validation = { ok: true; input: unknown } | { ok: false; problem: string }

/** `output` is for the model (text, or any JSON); `details` is for the user interface only. */
export interface ToolOutcome {
  output: unknown
  details?: unknown
}

export interface ToolContext {
  toolCallId: string
  /** The same for every attempt of this call, even after a crash. */
  idempotencyKey: string
  /** Aborted when the run is stopped or the call times out. */
  signal: AbortSignal
  /** Shows an output that a later one replaces. */
  preview(output: unknown): void
  /** The built-in file tools call it before they change files, so that the turn can be undone. */
  keepFiles?: KeepFiles | undefined
  /** The run that the call is part of, for tools that are themselves runs. */
  outer?: OuterRun | undefined
}

/** How a tool that is itself a run communicates with the run around it. */
export interface OuterRun {
  chunk(chunk: Chunk): void
  spend(usage: Usage & { cost?: number }): void
  /** What is left of the budget; undefined if there is none. */
  tokensLeft(): number | undefined
  /** The messages before the step that the call is part of. */
  history(): readonly Message[]
  /** The inner run's file tools call it before they change files. */
  keepFiles?: KeepFiles | undefined
  /** How many forks the run is inside. */
  readonly forks: number
  /** The runs inside this one, by the call that each answers. Approvals for them go through here. */
  readonly inner: Map<string, InnerRun>
}

export interface InnerRun {
  /** False if no such question is pending. */
  answer(approvalId: string, answer: ApprovalAnswer, inputHash?: string): boolean
  /** Denies everything that it is asking now. */
  denyAll(denial: ApprovalAnswer): void
}
