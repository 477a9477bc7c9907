import type { Role } from '../message/message.ts'
import type { DocumentParameter } from './expand/params.ts'
import { attributeValue } from './reader/attribute.ts'
import type { ElementContent, ElementPayload } from './reader/content.ts'
import type { ElementNode, Tree } from './reader/tree.ts'
import { readOffset } from './record.ts'

/** The settings of the first `<config/>`. */
export interface DocumentConfig {
  model?: string
  maxTokens?: number
  temperature?: number
  reasoningEffort?: string
  id?: string
  /** Tool payloads are in the document instead of in separate files. */
  showToolCall: boolean
  toolSyntax?: string
  maxSteps?: number
  limit?: string
  api?: string
  /** The file with the JSON Schema for the final answer. */
  output?: string
  /** Values from the person or program that runs the document: `{{name}}` in its prompts. */
  params?: DocumentParameter[]
  /** What the document does, for models that call it as a tool. */
  description?: string
  /** When older turns are summarised: `auto`, `never`, or from how many tokens. */
  compact?: 'auto' | 'never' | number
  /** The size of the model's context window, in tokens. */
  context?: number
  node: ElementNode
}

export type ToolDeclaration = {
  description?: string
  /** The file that declares it. Its paths are relative to that file. */
  file?: string
  node: ElementNode
} & (
  | { kind: 'builtin'; name: string }
  /** `network`: the program may use the network if programs are sandboxed. */
  | { kind: 'shell'; name: string; command: string; network?: true }
  | { kind: 'agent'; name: string; agent: string; local: boolean }
  | { kind: 'module'; name: string; module: string }
  /** A folder of `SKILL.md` files, read on demand by one tool. */
  | { kind: 'skills'; name: string; skills: string }
  | {
      kind: 'mcp'
      server: string
      include?: string[]
      strict: boolean
      tokenEnv?: string
      /** The server, if it is started as a program, may use the network if programs are sandboxed. */
      network?: true
    }
)

export interface MessageEntry {
  type: 'message'
  role: Role
  content: ElementContent[]
  node: ElementNode
}

export interface ToolCallEntry {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  /** The payload is the input itself, not JSON. */
  custom: boolean
  payload: ElementPayload
  node: ElementNode
}

export interface ToolResponseEntry {
  type: 'tool-response'
  toolCallId: string
  custom: boolean
  payload: ElementPayload
  node: ElementNode
}

export interface ReasoningEntry {
  type: 'reasoning'
  id: string
  /** One text per `<summary>`, and one per stretch of text beside them. */
  texts: string[]
  node: ElementNode
}

export interface ImportEntry {
  type: 'import'
  src: string
  node: ElementNode
}

export type ChatMdEntry = MessageEntry | ToolCallEntry | ToolResponseEntry | ReasoningEntry | ImportEntry

/** A file's content, element by element, with each element's position in the tree. */
export interface ChatDocument {
  file?: string
  tree: Tree
  config?: DocumentConfig
  tools: ToolDeclaration[]
  entries: ChatMdEntry[]
  /** The marker comment `<!-- META_REFINE -->` occurs outside RAW. */
  metaRefine: boolean
}

/** The offset of a run's last chunk in the document, so that recovery can append what is missing. */
export function logOffset(document: ChatDocument, run: string): number | undefined {
  let last: number | undefined
  let current: string | undefined
  for (const entry of document.entries) {
    const { attributes } = entry.node
    const offset = readOffset(attributes)
    // A run names itself only with its first element.
    const isPrompt = entry.type === 'message' && entry.role !== 'assistant'
    current = attributeValue(attributes, 'run') ?? (isPrompt ? undefined : current)
    if (current === run && offset !== undefined) last = offset
  }
  return last
}
