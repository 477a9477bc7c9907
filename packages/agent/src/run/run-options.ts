import type { LanguageModelV3 } from '@ai-sdk/provider'
import type { Chunk, Diagnostic, Message } from 'argot'
import type { ApprovalPolicy, Ask } from '../approval/approval.ts'
import type { Price } from '../loop/spending.ts'
import type { Model } from '../model/model.ts'
import type { SandboxMode } from '../tool/sandbox/sandbox.ts'
import type { Tool } from '../tool/tool.ts'

/** How a document is run. Everything has a default; what is given here beats what the document says. */
export interface RunOptions {
  /** The name of the run, unique among those of the document; made up where it is left out. */
  id?: string
  /** A name (`openai:gpt-4o`), a model of the AI SDK, or a `Model`. */
  model?: string | LanguageModelV3 | Model
  toolSyntax?: string
  maxSteps?: number
  /** Tokens, in and out, after which no further step is started. */
  maxTokens?: number
  /** A message of the user to be added before the run. */
  input?: string
  /** The transcript goes here; the document itself stays as it is. */
  output?: string
  approve?: ApprovalPolicy
  /** Asks a person. Without it a call that would have to ask fails with a clear message. */
  ask?: Ask
  /** Tools in code: a `<tool name>` of the document that no built-in has, and nothing else, may name them. */
  tools?: readonly Tool[]
  /** Read calls that a model leaks into its text in one of these dialects although it has calls of its own. */
  salvage?: boolean | readonly string[]
  /** More folders that tools and `<doc local>` may use. */
  allowPaths?: readonly string[]
  allowPrivateAddresses?: boolean | readonly string[]
  /** Commands of the document may be offered to the model without asking. */
  allowExec?: boolean
  /** Whether the programs of commands are confined; `auto` where it is left out: where that works. */
  sandbox?: SandboxMode | undefined
  /** Asks whether a command of this document may be offered; remembered. Without it they are not. */
  trust?: (question: TrustQuestion) => Promise<boolean>
  /** Wait for another run on the same file instead of failing. */
  wait?: boolean
  signal?: AbortSignal
  /** Something that a person should know: a repair, a retry, the demo model. */
  notice?: (text: string) => void
  env?: Readonly<Record<string, string | undefined>>
  cwd?: string
  /** The folder for what the user trusts and sets; `~/.config/argot` by default. */
  configFolder?: string
  /** What the model costs, for `usage.cost`. */
  price?: Price
  now?: () => number
  /** Waits before a retry; ends early when the signal is aborted. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface TrustQuestion {
  /** The document that asks, as a real path. */
  file: string
  /** The exact command line. */
  command: string
}

/** A run: its chunks, once, and how it ended. */
export interface Run extends AsyncIterable<Chunk> {
  readonly id: string
  /** Settles when the run is over, also when nobody reads the chunks to the end. Never rejects. */
  readonly result: Promise<RunResult>
}

/** How a run ended. */
export type RunResult = {
  message?: Message
  /** The final answer as text. */
  text: string
} & (
  | { status: 'done' | 'parked' | 'stopped' }
  /** The model failed, a limit was reached, or the document cannot be run. */
  | { status: 'failed'; code: string; error: string; diagnostics?: readonly Diagnostic[] }
)
