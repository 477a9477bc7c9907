import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
  SharedV3ProviderMetadata,
} from '@ai-sdk/provider'
import { replyContent } from '@argot/core/ai-sdk'
import { defined } from '@argot/core/stream/internal'

/** A built-in model's reply to a call: the parts between the start and the finish of the stream. */
export type Script = (options: LanguageModelV3CallOptions) => Iterable<LanguageModelV3StreamPart>

/** Answers by a script, without a clock or randomness: the same call gives the same stream. */
export function createScriptedLanguage(provider: string, modelId: string, script: Script): LanguageModelV3 {
  return {
    specificationVersion: 'v3',
    provider,
    modelId,
    supportedUrls: {},
    async doGenerate(options) {
      options.abortSignal?.throwIfAborted()
      const content = replyContent(script(options))
      return { content, ...createEnding(options.prompt, content), warnings: [] }
    },
    async doStream(options) {
      options.abortSignal?.throwIfAborted()
      return { stream: createStream(scriptStream(script, options), options.abortSignal) }
    },
  }
}

export function* textParts(
  type: 'text' | 'reasoning',
  id: string,
  text: string,
  providerMetadata?: SharedV3ProviderMetadata,
): Generator<LanguageModelV3StreamPart> {
  yield { type: `${type}-start`, id }
  for (const delta of splitWords(text)) yield { type: `${type}-delta`, id, delta }
  yield { type: `${type}-end`, id, ...defined({ providerMetadata }) }
}

export interface ScriptedCall {
  toolCallId: string
  toolName: string
  /** JSON. */
  input: string
  /** For a custom call: the text that is its input. */
  text?: string
  providerExecuted?: boolean
  providerMetadata?: SharedV3ProviderMetadata
}

export function* callParts(call: ScriptedCall): Generator<LanguageModelV3StreamPart> {
  const { text, ...whole } = call
  const { toolCallId: id, toolName, input, providerExecuted } = whole
  yield {
    type: 'tool-input-start',
    id,
    toolName,
    ...defined({
      inputEncoding: text === undefined ? undefined : ('text' as const),
      providerExecuted: providerExecuted || undefined,
    }),
  }
  for (const delta of splitWords(text ?? input)) yield { type: 'tool-input-delta', id, delta }
  yield { type: 'tool-input-end', id }
  yield { type: 'tool-call', ...whole }
}

function splitWords(text: string): readonly string[] {
  return text.match(/^\s+|\S+\s*/g) ?? []
}

function* scriptStream(script: Script, options: LanguageModelV3CallOptions): Generator<LanguageModelV3StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  const parts: LanguageModelV3StreamPart[] = []
  for (const part of script(options)) {
    parts.push(part)
    yield part
  }
  yield {
    type: 'finish',
    ...createEnding(
      options.prompt,
      replyContent(parts),
      parts.some(part => part.type === 'error'),
    ),
  }
}

function createStream(
  parts: Iterator<LanguageModelV3StreamPart>,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV3StreamPart> {
  return new ReadableStream({
    pull(controller) {
      if (signal?.aborted) return controller.error(signal.reason)
      const next = parts.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
  })
}

function createEnding(
  prompt: LanguageModelV3Prompt,
  content: readonly LanguageModelV3Content[],
  failed = false,
): { finishReason: LanguageModelV3FinishReason; usage: LanguageModelV3Usage } {
  const calls = content.some(part => part.type === 'tool-call' && part.providerExecuted !== true)
  const input = countTokens(
    prompt.flatMap((message): readonly (string | { type: string })[] =>
      typeof message.content === 'string' ? [message.content] : message.content,
    ),
  )
  const output = countTokens(content)
  return {
    finishReason: { unified: failed ? 'error' : calls ? 'tool-calls' : 'stop', raw: undefined },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: output, text: output, reasoning: undefined },
    },
  }
}

/** A token has about four characters. */
function countTokens(parts: readonly (string | { type: string })[]): number {
  let length = 0
  for (const part of parts) {
    if (typeof part === 'string') length += part.length
    else if ('text' in part && typeof part.text === 'string') length += part.text.length
    else if (part.type !== 'file') length += JSON.stringify(part).length
  }
  return Math.ceil(length / 4)
}
