import type { Diagnostic, ToolDefinition } from '@argot/core'
import type { ParamValue } from './param-values.ts'

/** What a model would be sent, without anything being started. */
export interface Preview {
  model: string
  syntax: string
  tools: ToolDefinition[]
  /** What becomes of a call of each tool, and by which rules it may be something else. */
  approvals?: PreviewApproval[]
  /** The values of the parameters of the document, where it declares some. */
  params?: readonly ParamValue[]
  messages: PreviewMessage[]
  /** Exactly what the model is given: prompt, tools and settings. Undefined where the document has errors. */
  request?: Record<string, unknown>
  /** About how many tokens that is, without images, and what they cost where the price is known. */
  tokens?: number
  cost?: number
  /** How many of these tokens describe tools to a provider with calls of its own. */
  toolTokens?: number
  /** Files that are sent, such as images: each provider counts them its own way. */
  files?: number
  diagnostics: Diagnostic[]
  /** The texts that the diagnostics point into, by file. */
  sources: Map<string | undefined, string>
  notices: string[]
  /** What a run would do before it asks the model, or why it asks none. */
  start?: string[]
}

export interface PreviewApproval {
  toolName: string
  /** What the policy says. */
  decision: 'run' | 'ask' | 'refuse'
  /** The rules about this tool, the first to count first, each with where it is written. */
  rules: string[]
}

export interface PreviewMessage {
  role: string
  pieces: PreviewPiece[]
  /** False for what stays in the document, such as a comment of the author or a message that was superseded. */
  sent: boolean
}

export interface PreviewPiece {
  text: string
  /** Where it comes from, in words: `chat.chatmd:4`, the address of a `<doc>`, or what Argot adds it for. */
  origin: string
  /** Argot adds it; the document does not have it. */
  added?: boolean
  /** It is an image or another file; the text only names it. */
  isFile?: boolean
  /** About how many tokens it is, and what they cost where the price is known; not for images. */
  tokens?: number
  cost?: number
}
