import type { Diagnostic, ToolDefinition } from '@argot/core'
import type { ParamValue } from './param-values.ts'

/** What a model would be sent, found without starting anything. */
export interface Preview {
  model: string
  syntax: string
  tools: ToolDefinition[]
  /** What happens to a call of each tool, and the rules that may change that. */
  approvals?: PreviewApproval[]
  params?: readonly ParamValue[]
  messages: PreviewMessage[]
  /** Exactly what the model would get: prompt, tools and settings. Undefined if the document has errors. */
  request?: Record<string, unknown>
  /** Approximate tokens without images, and their cost if the price is known. */
  tokens?: number
  cost?: number
  /** How many of these tokens describe tools to a provider with native calls. */
  toolTokens?: number
  /** Number of files to send, such as images. Each provider counts their tokens in its own way. */
  files?: number
  diagnostics: Diagnostic[]
  sources: Map<string | undefined, string>
  notices: string[]
  /** What a run would do before it calls the model, or why it calls none. */
  start?: string[]
}

export interface PreviewApproval {
  toolName: string
  decision: 'run' | 'ask' | 'refuse'
  /** The rules about this tool in order of precedence, each with its source. */
  rules: string[]
}

export interface PreviewMessage {
  role: string
  pieces: PreviewPiece[]
  /** False for what stays in the document, such as the author's comments or superseded messages. */
  sent: boolean
}

export interface PreviewPiece {
  text: string
  /** Where it comes from, in words: `chat.chatmd:4`, the address of a `<doc>`, or why Argot adds it. */
  origin: string
  /** Argot adds it; the document doesn't have it. */
  added?: boolean
  /** It is an image or another file; the text only names it. */
  isFile?: boolean
  /** Approximate tokens, and their cost if the price is known. Undefined for images. */
  tokens?: number
  cost?: number
}
