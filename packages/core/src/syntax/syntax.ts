import type { ToolDefinition } from '../message/tool-definition.ts'
import type { CallToWrite, ToolResult } from '../message/tool-invocation.ts'
import type { Diagnostic } from '../source/diagnostic.ts'
import type { Chunk } from '../stream/chunk.ts'

/**
 * A way of writing tool calls as text. Each syntax is one object in one file, and no other code checks which syntax it
 * is. Every syntax passes the conformance suite in `@argot/core/testing`.
 */
export interface Syntax {
  /** The name for `--tool-syntax` and the registry: lowercase, unique. */
  readonly name: string
  /** `native`: calls come from the provider, next to the text. Default: `text`. */
  readonly kind?: 'text' | 'native' | undefined
  /** How many calls a message may hold, as users of the syntax expect. Default: `none`. */
  readonly limit?: CallLimit | undefined
  /** Where a server stops, so that a model can't write its own results. */
  readonly stop?: readonly string[] | undefined
  /** Template tokens, which the parser drops from the text. */
  readonly silent?: readonly string[] | undefined
  /** Creates a reader for one model message. */
  parser(options?: ParserOptions): SyntaxParser
  /**
   * Writes a call: `parse(format(call))` returns the call for every input whose keys are names (`[A-Za-z0-9_.-]+`).
   * Throws `SYNTAX_CANNOT_WRITE` for an input that this syntax can't carry.
   *
   * The tool's definition is needed for parameters whose schema has no type or several. For those, the string `5` and
   * the number 5 are written differently, while a parameter of type `string` takes any text unchanged.
   */
  format(call: CallToWrite, tool?: ToolDefinition): string
  /** The result as sent to the model. Safe to quote: parsed again, it contains no call. */
  formatResult(result: ToolResult): string
  /** The text that teaches a model these tools in this syntax, with a usage example for each. */
  describe(tools: readonly ToolDefinition[]): string
}

/** Reads a text as it arrives, in pieces cut anywhere. Synchronous, linear, and never throws for any text. */
export interface SyntaxParser {
  /** Returns the text and tool chunks that this piece made certain. */
  push(text: string): Chunk[]
  /** Settles the rest. A call cut off by the end of the text becomes `tool-input-error`. */
  end(): Chunk[]
  /** The limit was reached. You can stop the model's stream; anything more is only kept. */
  readonly stopped: boolean
  /** Once the text has ended: what looked like a call but wasn't one. */
  readonly diagnostics?: readonly SyntaxDiagnostic[]
}

/** What looked like a call, in a reply without calls or in HTML that was never closed. A loop may respond to it. */
export interface SyntaxDiagnostic extends Diagnostic {
  code: 'SYNTAX_EXAMPLE' | 'SYNTAX_NEAR_MISS'
  toolName: string
  /** Where it begins in the model's text. */
  offset: number
  /** The reply ends with it, so the model may be waiting for a result. */
  final: boolean
  /** It is in a code block. */
  fenced?: true
  /** The input of an example that could be read. */
  input?: unknown
}

/**
 * Which mistakes are repaired. `none`: any mistake makes the call an error. `safe`: only mistakes with a clear meaning,
 * so that no value changes. `all`: also those that need a guess: a parameter whose name differs from a missing one only
 * in case and dashes (not in JSON dialects), and unquoted words in a list or an object.
 */
export type RepairLevel = 'none' | 'safe' | 'all'

/**
 * How many calls one message may hold. `one`: exactly one. `one-writer`: any number of read-only calls; any other call
 * only as the first, with nothing after it. `none`: no limit.
 */
export type CallLimit = 'none' | 'one' | 'one-writer'

export const callLimits: readonly CallLimit[] = ['one', 'one-writer', 'none']

export interface ParserOptions {
  /** Used to type values and recognize names. Without it, values are strings, and repeated ones arrays. */
  tools?: readonly ToolDefinition[]
  /** Returns the next call's id; `tool-<step>-<n>` by default. Without `step`, a syntax may have its own prefix. */
  nextId?: (toolName: string) => string
  /** The step's number, for the default ids; 0 by default. */
  step?: number
  limit?: CallLimit
  /** Which tools only read, for the limit `one-writer`. By default, those whose `effect` is `read`. */
  readOnly?: (toolName: string) => boolean
  /** What reasoning between `<think>` and `</think>`, or the dialect's own marks, becomes; `text` by default. */
  reasoning?: 'text' | 'parts'
  /**
   * `reasoning`: the template put the opening mark into the prompt, so the text begins within reasoning.
   * `reasoning-field`: all of it is reasoning, because the provider sends it in a separate field; no mark closes it.
   */
  startsIn?: 'text' | 'reasoning' | 'reasoning-field' | undefined
  /**
   * `open`, the default: if the text ends within reasoning that was never closed, and that ends with complete calls of
   * tools in `tools`, these are calls, with `providerMetadata.argot.inReasoning`. They are returned at the end. `text`:
   * nothing in reasoning is a call.
   */
  reasoningCalls?: 'open' | 'text' | undefined
  /** Which mistakes are repaired; `safe` by default. `providerMetadata.argot.repaired` names the repairs. */
  repair?: RepairLevel | undefined
  /** `exact`, the default: an integer beyond 2^53 becomes a string of its digits, or an error. `round`: it is rounded. */
  integers?: 'exact' | 'round' | undefined
  /** A call of a tool that isn't in `tools` is an `error`, with its source, or a `call` (the default). */
  unknownTools?: 'call' | 'error' | undefined
  /** Called for every step of the reader. */
  trace?: (step: TraceStep) => void
}

/** One decision of a reader: its position, its state, and what it decided. */
export interface TraceStep {
  offset: number
  state: string
  decision: string
}
