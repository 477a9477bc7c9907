import type { KeptAnswer } from './approval-answer.ts'
import type { EditPart } from './edit-parts.ts'
import type { JsonSchema, ToolEffect } from './tool-definition.ts'

/** Data of a provider or of Argot (`argot: {…}`) that rides along, one object per owner. */
export type ProviderMetadata = Record<string, Record<string, unknown>>

/**
 * The life of a call:
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

/** Every state, for those who read calls that they did not make. */
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

/** The question put to a person and, once given, the answer: `approved` is absent while the question is open. */
export interface ToolApproval extends Partial<KeptAnswer> {
  id: string
  /** What the server that asked needs to know its own question again, where it signs questions. */
  signature?: string
  /** While the question is open: what a person needs to know besides the call. */
  facts?: ApprovalFacts
}

/** What a person who is asked about a call needs to know besides the call, as far as the one who asks says it. */
export interface ApprovalFacts {
  effect?: ToolEffect
  /** Where a program runs and what it can reach, in a sentence. */
  boundary?: string
  /** The complete command line that the call would run, word by word. */
  command?: readonly string[]
  /** Why the call needs a yes whatever the policy says, in a sentence. */
  mustAsk?: string
  /** What is special about the call, in a sentence. */
  note?: string
  /** The rule that makes the call ask, in words. */
  rule?: string
  /** What the answer "always" would allow for the rest of the run. */
  always?: string
  /** The process died while the call was running: approving runs it again. */
  interrupted?: boolean
  /** The call came from the document: no model of this run made it. */
  foreign?: boolean
  /** What the call would do to files. */
  changes?: readonly ApprovalChange[]
  /** The same in the unified format, where it is known and whole. */
  diff?: string
  /** The changes of an edit that a person may approve one by one; missing unless any choice of them does just what it shows. */
  parts?: readonly EditPart[]
  /** When the call was checked against the files, and what came of it. */
  check?: ApprovalCheck
  inputSchema?: JsonSchema
}

/** A call, checked against the files that it would change. */
export interface ApprovalCheck {
  /** Milliseconds since 1970. */
  at: number
  /** Why the call would fail, in a sentence. */
  problem?: string
  /** Identifies what the call would do: if it differs later, something else would come of the call. */
  stamp?: string
  /** Identifies the content of each file, by its path. */
  files?: Readonly<Record<string, string>>
}

/** What a call would do to one file. */
export interface ApprovalChange {
  path: string
  /** Where a moved file is now. */
  from?: string
  operation: 'add' | 'update' | 'move' | 'delete'
  linesBefore?: number
  linesAfter?: number
}

/**
 * One tool call, from its first character to its result. A snapshot: what it shows never changes.
 *
 * `input` of a call in state `input-streaming` is the value so far (completed keys, the growing string) and is built
 * when it is first read. `output` is what the model gets, `details` is for the user interface only.
 */
export interface ToolInvocation<Name extends string = string, Input = unknown, Output = unknown> {
  /** Unique in its message, even where a model used an id twice: `toolCallId`, then `toolCallId#2`, … */
  key: string
  toolCallId: string
  toolName: Name
  state: ToolState
  input?: Input
  /** The model's own input where it differs from `input`: text that could not be read, or what a person edited. */
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
   * Milliseconds since 1970: when the first chunk of the call came, and when it was settled, without the time that a person
   * thought about it and that the call and its result waited for their turn.
   */
  startedAt?: number
  endedAt?: number
}

/** What it takes to write a call down; any `ToolInvocation` will do. */
export type CallToWrite = Pick<ToolInvocation, 'toolCallId' | 'toolName'> & Partial<ToolInvocation>

/** What it takes to write a result down; any settled `ToolInvocation` will do. */
export type ToolResult = Pick<ToolInvocation, 'toolCallId' | 'toolName' | 'state'> & Partial<ToolInvocation>

/** True for the states that no later chunk can change. A preliminary output is not the end. */
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
