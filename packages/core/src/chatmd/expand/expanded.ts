import type { Message } from '../../message/message.ts'
import type { Diagnostic } from '../../source/diagnostic.ts'
import type { ChatMdEntry, DocumentConfig, ToolDeclaration } from '../document.ts'
import type { MatchedRecords } from '../element-record.ts'
import type { DocumentParameter } from './params.ts'
import type { PromptPiece } from './prompt-parts.ts'
import type { FrozenSourceStore, Resolver, RunAgent } from './resolver.ts'

export interface ExpandOptions {
  resolver: Resolver
  /** Runs sub-agents. Without it, each leaves a piece that is marked as not run. */
  runAgent?: RunAgent
  /** The running documents, outermost first: `AgentRequest.agents` of the run that this is part of. */
  agents?: readonly string[]
  /** The sources that answered turns had when they were sent. They are sent again, unless an element has `live`. */
  frozen?: FrozenSourceStore
  /**
   * The values of the parameters that the document and its imports declare. Called once, before anything is filled in.
   * Without it, and for a parameter that it leaves out, the default applies. If there is none, the placeholder stays
   * unchanged.
   */
  params?: ParameterValues
  /** How much may be read in total; 1 000 sources and 64 Mi characters by default. */
  limits?: { sources?: number; characters?: number }
  records?: MatchedRecords
  signal?: AbortSignal
}

/** Returns parameter values by name. If it throws, `expand` throws the same. */
export type ParameterValues = (
  declared: readonly DocumentParameter[],
) => ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>

export type ExpandedPiece = PromptPiece & { origin: Origin }

export interface Origin {
  /** Its kind: text of the file itself, RAW, markup that stays literal, a parameter, or the expanded helper. */
  by: 'text' | 'raw' | 'literal' | 'param' | 'doc' | 'img' | 'agent' | 'payload'
  /** The file with the text or the helper, and its position. */
  file: string | undefined
  start: number
  end: number
  /** The helper's source; for a parameter, its name. */
  source?: string
  /** The imports that led to the file, outermost first. */
  imports: readonly string[]
  /** For an agent that was not run, because there was no `runAgent`. */
  pending?: boolean
}

export interface ExpandedMessage {
  message: Message
  /** The pieces' texts, concatenated, are the text of a prompt message. */
  pieces: ExpandedPiece[]
  /** False for the empty message at the end that waits for the user. */
  sent: boolean
  elements: { entry: Exclude<ChatMdEntry, { type: 'import' }>; file: string | undefined }[]
}

export interface ExpandedDocument {
  config?: DocumentConfig
  /** The file with the `<config>`; undefined for a document without a name. */
  configFile?: string
  tools: ToolDeclaration[]
  messages: ExpandedMessage[]
  /** Problems in anything that was read. `parseChatMd` reports those of the document itself. */
  diagnostics: Diagnostic[]
  /** The text of every file whose text or helpers became pieces, by name. */
  sources: Map<string | undefined, string>
}
