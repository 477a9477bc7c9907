import type { StoredAnswer } from './approval-answer.ts'
import type { EditPart } from './edit-parts.ts'
import type { JsonSchema, ToolEffect } from './tool-definition.ts'

/** A provider's or Argot's (`argot: {…}`) extra data, one object per owner. */
export type ProviderMetadata = Record<string, Record<string, unknown>>

/**
 * The life cycle of a call:
 *
 *     input-streaming ─▶ input-available ─┬─────────────────────────────────────────▶ output-available | output-error
 *            │                            └─▶ approval-requested ─▶ approval-responded ─┬─▶ output-available | output-error
 *            └─▶ output-error                        └─▶ output-denied ◀────────────────┘
 */
export type ToolState =
  | 'input-streaming'
  | 'input-available'
  | 'approval-requested'
  | 'approval-responded'
  | 'output-available'
  | 'output-error'
  | 'output-denied'

/** For code that reads calls it did not make. */
export const toolStates: ReadonlySet<unknown> = new Set<ToolState>([
  'input-streaming',
  'input-available',
  'approval-requested',
  'approval-responded',
  'output-available',
  'output-error',
  'output-denied',
])

/** What ended a call that no tool answered. */
export type SettledBy = 'abort' | 'error' | 'end' | 'limit'

/** The question to a person and the answer: `approved` is absent while the question is open. */
export interface ToolApproval extends Partial<StoredAnswer> {
  id: string
  /** Lets the server that asked recognize its own question, if it signs questions. */
  signature?: string
  /** While the question is open. */
  facts?: ApprovalFacts
}

/** What a person needs to know in addition to the call to decide about it. The run that asks sets these. */
export interface ApprovalFacts {
  effect?: ToolEffect
  /** Where a program runs and what it can access, as a sentence. */
  boundary?: string
  /** The complete command line that the call would run, word by word. */
  command?: readonly string[]
  /** Why the call needs an approval whatever the policy says, as a sentence. */
  mustAsk?: string
  /** What is special about the call, as a sentence. */
  note?: string
  /** The rule that makes the call ask, in words. */
  rule?: string
  /** What the answer "always" would allow for the rest of the run. */
  always?: string
  /** The process died while the call was running. Approving runs it again. */
  interrupted?: boolean
  /** The call came from the document: no model of this run made it. */
  foreign?: boolean
  changes?: readonly ApprovalChange[]
  /** The same as a unified diff, if known and complete. */
  diff?: string
  /**
   * The changes of an edit that a person may approve one by one. Missing unless every selection does exactly what it
   * shows.
   */
  parts?: readonly EditPart[]
  /** When the call was checked against the files, and the result. */
  check?: ApprovalCheck
  inputSchema?: JsonSchema
}

export interface ApprovalCheck {
  /** Milliseconds since 1970. */
  at: number
  /** Why the call would fail, as a sentence. */
  problem?: string
  /** Identifies the call's effect. If it differs later, the call would do something else. */
  stamp?: string
  /** Identifies the content of each file, by its path. */
  files?: Readonly<Record<string, string>>
}

export interface ApprovalChange {
  path: string
  from?: string
  operation: 'add' | 'update' | 'move' | 'delete'
  linesBefore?: number
  linesAfter?: number
}

/**
 * One tool call, from its first character to its result. A snapshot, which never changes.
 *
 * In state `input-streaming`, `input` is the value so far (completed keys, the growing string) and is built when it is
 * first read. `output` is what the model gets; `details` is only for the user interface.
 */
export interface ToolInvocation<Name extends string = string, Input = unknown, Output = unknown> {
  /** Unique in its message, even if a model used an id twice: `toolCallId`, then `toolCallId#2`, … */
  key: string
  toolCallId: string
  toolName: Name
  state: ToolState
  input?: Input
  /**
   * The model's own input if it differs from `input`: text that could not be read, or the input before a person edited
   * it.
   */
  rawInput?: unknown
  output?: Output
  details?: unknown
  errorText?: string
  approval?: ToolApproval
  /** The output is a preview that a later one replaces. */
  preliminary?: boolean
  /** The provider runs the tool, not the loop. */
  providerExecuted?: boolean
  title?: string
  settledBy?: SettledBy
  callProviderMetadata?: ProviderMetadata
  resultProviderMetadata?: ProviderMetadata
  toolMetadata?: Record<string, unknown>
  /**
   * Milliseconds since 1970. When the call's first chunk arrived, and when it was settled. Excludes the time a person
   * took to decide and the time the call and its result waited for their turn.
   */
  startedAt?: number
  endedAt?: number
}

/** The fields needed to write a call; any `ToolInvocation` has them. */
export type CallToWrite = Pick<ToolInvocation, 'toolCallId' | 'toolName'> & Partial<ToolInvocation>

/** The fields needed to write a result; any settled `ToolInvocation` has them. */
export type ToolResult = Pick<ToolInvocation, 'toolCallId' | 'toolName' | 'state'> & Partial<ToolInvocation>

/** True for the states that no later chunk can change. A preliminary output is not final. */
export function isSettled(call: Pick<ToolInvocation, 'state' | 'preliminary'>): boolean {
  switch (call.state) {
    case 'output-available':
      return call.preliminary !== true
    case 'output-error':
    case 'output-denied':
      return true
    default:
      return false
  }
}
