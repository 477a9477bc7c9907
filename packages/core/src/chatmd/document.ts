import type { Role } from '../message/message.ts'
import type { Parameter } from './expand/params.ts'
import { attributeValue } from './reader/attribute.ts'
import type { Content, Payload } from './reader/content.ts'
import type { ElementNode, Tree } from './reader/tree.ts'
import { readOffset } from './record.ts'

/** What the first `<config/>` sets; what it leaves out is undefined. */
export interface Config {
  model?: string
  maxTokens?: number
  temperature?: number
  reasoningEffort?: string
  id?: string
  /** Tool payloads are in the document instead of in files beside it. */
  showToolCall: boolean
  toolSyntax?: string
  maxSteps?: number
  /** How many calls one message may hold. */
  limit?: string
  /** The provider that serves the model. */
  api?: string
  /** The file with the JSON Schema that the final answer must fit. */
  output?: string
  /** What whoever runs the document says: `{{name}}` in its prompts. */
  params?: Parameter[]
  /** What the document does, for models that call it as a tool. */
  description?: string
  /** When older turns are summarised: `auto`, `never`, or from how many tokens on. */
  compact?: 'auto' | 'never' | number
  /** How many tokens the model's context window holds. */
  context?: number
  node: ElementNode
}

/** A `<tool/>`: which of the six shapes it is, and what it says. */
export type ToolDeclaration = {
  description?: string
  /** The file that declares it; paths in it are meant from there. */
  file?: string
  node: ElementNode
} & (
  | { kind: 'builtin'; name: string }
  /** `network`: the program may use the network where programs are confined. */
  | { kind: 'shell'; name: string; command: string; network?: true }
  | { kind: 'agent'; name: string; agent: string; local: boolean }
  /** A tool that a file of JavaScript exports. */
  | { kind: 'module'; name: string; module: string }
  /** A folder of `SKILL.md` files, read on demand by one tool. */
  | { kind: 'skills'; name: string; skills: string }
  | {
      kind: 'mcp'
      server: string
      /** The tools that are taken; all where it is undefined. */
      include?: string[]
      strict: boolean
      /** The variable that holds the bearer token. */
      tokenEnv?: string
      /** A server that is started may use the network where programs are confined. */
      network?: true
    }
)

export interface MessageEntry {
  type: 'message'
  role: Role
  content: Content[]
  node: ElementNode
}

export interface ToolCallEntry {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  /** The payload is the input itself, not JSON. */
  custom: boolean
  payload: Payload
  node: ElementNode
}

export interface ToolResponseEntry {
  type: 'tool-response'
  toolCallId: string
  custom: boolean
  payload: Payload
  node: ElementNode
}

export interface ReasoningEntry {
  type: 'reasoning'
  id: string
  /** One text per `<summary>`, and one per stretch of text beside them. */
  texts: string[]
  node: ElementNode
}

/** A top-level import: the elements of the other document are here. */
export interface ImportEntry {
  type: 'import'
  src: string
  node: ElementNode
}

export type Entry = MessageEntry | ToolCallEntry | ToolResponseEntry | ReasoningEntry | ImportEntry

/** What a file says, element by element, with every element's place in the tree. */
export interface ChatDocument {
  file?: string
  tree: Tree
  /** The first one. */
  config?: Config
  tools: ToolDeclaration[]
  /** Messages, calls, responses, reasoning and imports in the order of the file. */
  entries: Entry[]
  /** The marker comment `<!-- META_REFINE -->` is somewhere outside RAW. */
  metaRefine: boolean
}

/** The offset of the last chunk of a run that is in the document, so that recovery appends what is missing. */
export function logOffset(document: ChatDocument, run: string): number | undefined {
  let last: number | undefined
  let current: string | undefined
  for (const entry of document.entries) {
    const { attributes } = entry.node
    const offset = readOffset(attributes)
    // A run names itself with its first element only.
    const isPrompt = entry.type === 'message' && entry.role !== 'assistant'
    current = attributeValue(attributes, 'run') ?? (isPrompt ? undefined : current)
    if (current === run && offset !== undefined) last = offset
  }
  return last
}
