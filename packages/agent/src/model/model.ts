import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { ErrorCode, JsonSchema, ToolDefinition } from '@argot/core'
import type { Syntax } from '@argot/core/syntax'

export type { Usage } from '@argot/core/ai-sdk/internal'

/** An AI SDK model, and what else Argot has to know about it. */
export interface Model {
  /** Its name for people and documents, including the provider: `openai:gpt-4o`, `demo`. */
  name: string
  /** Any model of the AI SDK's v6 line. Argot only calls `doStream`. */
  language: LanguageModelV3
  /** It has native tool calls. Models without them use the syntax `xml`, unless another is chosen. */
  nativeTools: boolean
  /** What a person should know before the first step: which model was chosen, if none was named. */
  notice?: string
  /** Translates the settings for this provider. Must not throw. Settings that the model lacks are left out. */
  settings(settings: ModelSettings): Partial<LanguageModelV3CallOptions>
  /** Asks the server for the size of the context window in tokens. Undefined if the server doesn't give one. */
  askWindow?(): Promise<number | undefined>
  /** Calls the listener whenever bytes arrive from the server, until the returned function is called. */
  onBytes?(listener: () => void): () => void
  /** For built-in models, which need details that providers don't get: returns `language` for such calls. */
  for?(context: ModelContext): LanguageModelV3
}

export interface ModelContext {
  syntax: Syntax
  tools: readonly ToolDefinition[]
  answerSchema?: JsonSchema | undefined
}

/** The settings in `<config>` for the model's answers. */
export interface ModelSettings {
  maxTokens?: number
  temperature?: number
  reasoningEffort?: string
}

/** What went wrong with a model call, worded so that people know what to do. */
export interface ModelFailure {
  code: ErrorCode
  message: string
  /** The same call may succeed later. */
  retryable: boolean
  retryAfterMs?: number
}
