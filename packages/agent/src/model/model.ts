import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { ErrorCode, JsonSchema, ToolDefinition } from '@argot/core'
import type { Syntax } from '@argot/core/syntax'

export type { Usage } from '@argot/core/ai-sdk/internal'

/** A model of the AI SDK, and what Argot has to know of it besides. */
export interface Model {
  /** As people and documents name it, provider included: `openai:gpt-4o`, `demo`. */
  name: string
  /** Any model of the AI SDK's v6 line; only `doStream` is called. */
  language: LanguageModelV3
  /** It has tool calls of its own. One that has not is spoken to in the syntax `xml`, unless another is chosen. */
  nativeTools: boolean
  /** What a person should know before the first step: that this is the demo model, and how to set a real one. */
  notice?: string
  /** The settings as this provider takes them. Must not throw; a setting that the model lacks is left out. */
  settings(settings: ModelSettings): Partial<LanguageModelV3CallOptions>
  /** Asks the server how many tokens the context window holds; undefined if it doesn't say. */
  askWindow?(): Promise<number | undefined>
  /** Calls the listener whenever bytes come from the server, until the returned function is called. */
  onBytes?(listener: () => void): () => void
  /** For models inside Argot, which must know what no provider is told: `language` as it is for such calls. */
  for?(context: ModelContext): LanguageModelV3
}

/** In which syntax the model is spoken to, of which tools, and what its final answer must fit. */
export interface ModelContext {
  syntax: Syntax
  tools: readonly ToolDefinition[]
  answerSchema?: JsonSchema | undefined
}

/** What `<config>` says about how the model is to answer. */
export interface ModelSettings {
  maxTokens?: number
  temperature?: number
  reasoningEffort?: string
}

/** What went wrong with a model call, told so that a person knows what to do. */
export interface ModelFailure {
  code: ErrorCode
  message: string
  /** The provider says that the same call may succeed later. */
  retryable: boolean
  /** How long the provider asks to wait. */
  retryAfterMs?: number
}
