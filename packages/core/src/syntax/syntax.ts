import type { ToolDefinition } from '../message/tool-definition.ts'
import type { CallToWrite, ToolResult } from '../message/tool-invocation.ts'
import type { Diagnostic } from '../source/diagnostic.ts'
import type { Chunk } from '../stream/chunk.ts'

/**
 * A way of writing tool calls as text. One object per syntax, in one file; no other code asks which syntax it is.
 * Every syntax passes the conformance suite of `@argot/core/testing`.
 */
export interface Syntax {
  /** What `--tool-syntax` and the registry call it: lowercase, unique. */
  readonly name: string
  /** `native`: calls come from the provider, beside the text. `text` where nothing is said. */
  readonly kind?: 'text' | 'native' | undefined
  /** How many calls a message holds, as users of the syntax expect; `none` where nothing is said. */
  readonly limit?: CallLimit | undefined
  /** What a server stops at, so that a model cannot write its own results. */
  readonly stop?: readonly string[] | undefined
  /** Tokens of the model's template, which its parser leaves out of the text. */
  readonly silent?: readonly string[] | undefined
  /** A reader for one model message. */
  parser(options?: ParserOptions): SyntaxParser
  /**
   * The call as this syntax writes it: `parse(format(call))` gives the call back for every input whose keys are names
   * (`[A-Za-z0-9_.-]+`). Throws `SYNTAX_CANNOT_WRITE` for an input that this syntax cannot carry.
   *
   * The definition of the tool is needed for parameters whose schema has no type or several: there the string `5` and
   * the number 5 are written differently, while a parameter of type `string` takes every text as it is.
   */
  format(call: CallToWrite, tool?: ToolDefinition): string
  /** The result as the model is told about it. Safe to quote: parsed again, it contains no call. */
  formatResult(result: ToolResult): string
  /** The text that teaches a model these tools in this syntax, with a usage example for each. */
  describe(tools: readonly ToolDefinition[]): string
}

/** Reads a text as it arrives, in pieces cut anywhere. Synchronous, linear, and never throws for any text. */
export interface SyntaxParser {
  /** The text and tool chunks that have become certain with this piece. */
  push(text: string): Chunk[]
  /** Settles the rest: a call that the text ends in the middle of becomes `tool-input-error`. */
  end(): Chunk[]
  /** The limit was reached: the model's stream can be stopped, what follows is only kept. */
  readonly stopped: boolean
  /** Once the text has ended: what looked like a call of a known tool and was none. */
  readonly diagnostics?: readonly SyntaxDiagnostic[]
}

/** Something in a reply without calls that a loop may want to answer. */
export interface SyntaxDiagnostic extends Diagnostic {
  code: 'SYNTAX_EXAMPLE' | 'SYNTAX_NEAR_MISS'
  toolName: string
  /** Where it begins in the model's text. */
  offset: number
  /** The reply ends with it, so that the model may well wait for a result. */
  final: boolean
  /** It is in a code block. */
  fenced?: true
  /** The input of a call that could be read, and that is only shown. */
  input?: unknown
}

/**
 * Which mistakes are repaired. `none`: a call with any mistake is an error. `safe`: those that leave no doubt about what was
 * meant, so that no value changes. `all`: also those where a guess is needed: a parameter whose name differs from one that
 * is missing only in case and dashes (not in dialects of JSON), and words without quotes in a list or an object.
 */
export type RepairLevel = 'none' | 'safe' | 'all'

/**
 * How many calls one message may hold. `one`: exactly one. `one-writer`: read-only calls chain freely, any other call
 * only as the first, with nothing after it. `none`: no limit.
 */
export type CallLimit = 'none' | 'one' | 'one-writer'

/** Every limit, by name. */
export const callLimits: readonly CallLimit[] = ['one', 'one-writer', 'none']

export interface ParserOptions {
  /** Makes values typed and tells known names. Without it values are strings, repeated ones arrays. */
  tools?: readonly ToolDefinition[]
  /** The id of the next call; `tool-<step>-<n>` by default. */
  nextId?: (toolName: string) => string
  /** The number of the step, for the default ids; 0 by default. */
  step?: number
  limit?: CallLimit
  /** Which tools only read, for the limit `one-writer`; by default those whose `effect` is `read`. */
  readOnly?: (toolName: string) => boolean
  /** What reasoning between `<think>` and `</think>`, or the dialect's own marks, becomes; `text` by default. */
  reasoning?: 'text' | 'parts'
  /**
   * `reasoning`: the template put the opening mark into the prompt, so the text begins within reasoning. `reasoning-field`:
   * all of it is reasoning, because the provider sends that in a field of its own; no mark closes it.
   */
  startsIn?: 'text' | 'reasoning' | 'reasoning-field' | undefined
  /**
   * `open`, the default: if the text ends within reasoning that was never closed, and that ends with complete calls of tools
   * in `tools`, these are calls, with `providerMetadata.argot.inReasoning`. They come out at the end. `text`: nothing in
   * reasoning is a call.
   */
  reasoningCalls?: 'open' | 'text' | undefined
  /** Which mistakes are repaired; `safe` by default. What was repaired is named in `providerMetadata.argot.repaired`. */
  repair?: RepairLevel | undefined
  /** `exact`: an integer beyond 2^53 becomes a string of its digits, or an error. `round`: the nearest number. */
  integers?: 'exact' | 'round' | undefined
  /** `error`: a call of a tool that isn't in `tools` is an error, with its source. `call`, the default: it is a call. */
  unknownTools?: 'call' | 'error' | undefined
  /** Called for every step of the reader. */
  trace?: (step: TraceStep) => void
}

/** One decision of a reader: where it was, in which state, and what it decided. */
export interface TraceStep {
  offset: number
  state: string
  decision: string
}
