import type { Chunk, Message, ToolDefinition } from '@argot/core'
import type { Usage } from '@argot/core/ai-sdk/internal'
import type { ToolEffect } from '@argot/core/stream'
import type { ApprovalAnswer } from '@argot/core/stream/internal'
import type { KeepFiles } from '../files/keep-files.ts'
import type { ForeseenChange } from './foreseen-change.ts'
import type { Subject } from './subject.ts'

/**
 * A tool that the loop can run. `execute` may throw or never return: the loop settles the call either way. Made by
 * `defineTool`, by the built-in factories, or from a `<tool command>`.
 */
export interface Tool extends ToolDefinition {
  effect: ToolEffect
  /** The tool that this one is under another name: what rules and policies say of that one holds for it too. */
  aliasOf?: string
  /**
   * Where it comes from, in full: two tools with one name and different origins are different tools, and what a person
   * allowed for one does not hold for the other.
   */
  origin?: string
  /** What comes of a call is said outside, by the page or by a person; `execute` is not called. */
  client?: boolean
  /** How long one call may take; 60 s where it is left out. */
  timeoutMs?: number
  /** Which boundary holds for a program that it starts, in a sentence for the person who is asked about a call. */
  boundary?: string
  /** Whether that boundary confines it. */
  isConfined?: boolean
  /**
   * Why a person must be asked about a call with this input, as validated, even where the policy lets it run; undefined where
   * the policy decides. Must not throw.
   */
  mustAsk?(input: unknown): Promise<string | undefined>
  /** Gives the input as the tool takes it, or what is wrong with it in words for the model. Must not throw. */
  validate(input: unknown): Validation | Promise<Validation>
  /** What a call is about, for rules by argument; a tool without it has only its name. Gets what `validate` gave. */
  subject?(input: unknown): Subject
  /** What a call would change, for the person who is asked about it. Changes nothing; what it throws is not shown. */
  foresee?(input: unknown, signal: AbortSignal): Promise<readonly ForeseenChange[]>
  /** Gets what `validate` gave. What it throws becomes the error that the model sees. */
  execute(input: unknown, context: ToolContext): Promise<ToolOutcome>
}

export type Validation = { ok: true; input: unknown } | { ok: false; problem: string }

/** `output` is what the model gets (text, or any JSON); `details` is for the user interface only. */
export interface ToolOutcome {
  output: unknown
  details?: unknown
}

export interface ToolContext {
  toolCallId: string
  /** The same for every attempt of this call, even after a crash. */
  idempotencyKey: string
  /** Aborted when the run is stopped or the time of the call is over. */
  signal: AbortSignal
  /** Shows an output that a later one replaces. */
  preview(output: unknown): void
  /** Called by the built-in file tools before they change files, so that the turn can be undone. */
  keepFiles?: KeepFiles | undefined
  /** The run that the call is part of, for tools that are themselves runs. */
  outer?: OuterRun | undefined
}

/** What a tool that is itself a run tells the run around it. */
export interface OuterRun {
  /** A chunk of the inner run, for those who watch. */
  chunk(chunk: Chunk): void
  /** What a step of the inner run has used: it counts for the run around it. */
  spend(usage: Usage & { cost?: number }): void
  /** What is left of the budget; undefined where there is none. */
  tokensLeft(): number | undefined
  /** What was said before the step that the call is part of. */
  history(): readonly Message[]
  /** What file tools of the inner run call before they change files. */
  keepFiles?: KeepFiles | undefined
  /** How many forks the run is inside of. */
  readonly forks: number
  /** The runs inside this one, by the call that each answers: their questions are answered through it. */
  readonly inner: Map<string, InnerRun>
}

/** A run inside of another one. */
export interface InnerRun {
  /** False for a question that does not wait. */
  answer(approvalId: string, answer: ApprovalAnswer, inputHash?: string): boolean
  /** Denies everything that it asks now. */
  denyAll(denial: ApprovalAnswer): void
}
