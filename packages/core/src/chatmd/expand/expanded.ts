import type { Message } from '../../message/message.ts'
import type { Diagnostic } from '../../source/diagnostic.ts'
import type { Config, Entry, ToolDeclaration } from '../document.ts'
import type { MatchedRecords } from '../element-record.ts'
import type { Parameter } from './params.ts'
import type { PromptPiece } from './prompt-parts.ts'
import type { Frozen, Resolver, RunAgent } from './resolver.ts'

export interface ExpandOptions {
  resolver: Resolver
  /** Runs sub-agents. Without it each leaves a piece that is marked as not run. */
  runAgent?: RunAgent
  /** The documents that are running, outermost first; `AgentRequest.agents` of the run that this is part of. */
  agents?: readonly string[]
  /** What answered turns brought in when they were sent: it is sent again, unless an element says `live`. */
  frozen?: Frozen
  /**
   * The values of the parameters that the document declares, its imports included; asked for once, before anything is filled.
   * Without it, and for a parameter that it leaves out, the default counts; where there is none the place stays as it is.
   */
  params?: ParameterValues
  /** How much may be read in all; 1 000 sources and 64 Mi characters by default. */
  limits?: { sources?: number; characters?: number }
  /** What the document's sidecar says about its elements. */
  records?: MatchedRecords
  signal?: AbortSignal
}

/** Gives the values of parameters by name. What it throws, `expand` throws. */
export type ParameterValues = (
  declared: readonly Parameter[],
) => ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>

/** A stretch of what the model sees, and where it comes from. */
export type Piece = PromptPiece & { origin: Origin }

export interface Origin {
  /** What made it: text of the file itself, RAW, markup that stays literal, a parameter, or the helper that was expanded. */
  by: 'text' | 'raw' | 'literal' | 'param' | 'doc' | 'img' | 'agent' | 'payload'
  /** The file in which the text or the helper is, and where. */
  file: string | undefined
  start: number
  end: number
  /** What the helper led to; of a parameter its name. */
  source?: string
  /** The imports that led to the file, outermost first. */
  imports: readonly string[]
  /** Of an agent that was not run, because nothing was given to run it. */
  pending?: boolean
}

export interface ExpandedMessage {
  message: Message
  /** What it is made of. Concatenated, the text of a prompt message is the text of its pieces. */
  pieces: Piece[]
  /** False for the empty message at the end that waits for the user. */
  sent: boolean
  /** The elements of which it is made, and the files in which they are. */
  elements: { entry: Exclude<Entry, { type: 'import' }>; file: string | undefined }[]
}

export interface Expanded {
  config?: Config
  /** The file that the `<config>` is in; undefined for a document without a name. */
  configFile?: string
  tools: ToolDeclaration[]
  messages: ExpandedMessage[]
  /** What is wrong with anything that was read on the way. What is wrong with the document itself, `parseChatMd` said. */
  diagnostics: Diagnostic[]
  /** The text of every file whose text or helpers became pieces, by name. */
  sources: Map<string | undefined, string>
}
