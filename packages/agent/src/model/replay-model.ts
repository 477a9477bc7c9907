import { resolve } from 'node:path'
import type { JSONValue, LanguageModelV3, LanguageModelV3StreamPart, SharedV3ProviderMetadata } from '@ai-sdk/provider'
import { ArgotError, isToolPart, type MessagePart, type ToolInvocation } from '@argot/core'
import { providerOptions, StepWriter } from '@argot/core/ai-sdk'
import { defined, type ProviderMetadata } from '@argot/core/stream/internal'
import type { Model, ModelContext } from './model.ts'
import { readRecording } from './read-recording.ts'
import { callParts, createScriptedLanguage, textParts } from './scripted-language.ts'

export interface ReplayModelOptions {
  /** What a relative `file` is relative to; the process directory by default. */
  directory?: string
  /** The folders that the file must be in; any folder if left out. */
  within?: readonly string[]
}

/**
 * A model that repeats the assistants' replies from a recorded transcript, a document or a `.jsonl` run log: texts,
 * reasoning, and calls with their ids. Tools aren't replayed; they run.
 *
 * The prompt determines the next step, so that a resumed run continues where it stopped: a prompt with n assistant
 * messages gets step n + 1. Past the end, the call fails with `MODEL_REPLAY_ENDED`. Throws `MODEL_REPLAY_EMPTY` for a
 * file without a step.
 */
export async function createReplayModel(file: string, options: ReplayModelOptions = {}): Promise<Model> {
  const steps = await readRecording(resolve(options.directory ?? '.', file), options.within)
  const create = (context?: ModelContext): LanguageModelV3 =>
    createScriptedLanguage('argot', `replay:${file}`, ({ prompt }) => {
      const index = prompt.filter(({ role }) => role === 'assistant').length
      const step = steps[index]
      if (step === undefined) return [endedError(file, steps.length, index + 1)]
      return context === undefined || context.syntax.kind === 'native' ? nativeStep(step) : writtenStep(step, context)
    })
  return {
    name: `replay:${file}`,
    language: create(),
    nativeTools: true,
    settings: () => ({}),
    for: create,
  }
}

function endedError(file: string, steps: number, step: number): LanguageModelV3StreamPart {
  const count = steps === 1 ? 'one step' : `${steps} steps`
  const message = `The recording ${file} has only ${count} by an assistant, but the conversation has reached step ${step}.`
  return { type: 'error', error: new ArgotError('MODEL_REPLAY_ENDED', message) }
}

function* nativeStep(parts: readonly MessagePart[]): Generator<LanguageModelV3StreamPart> {
  for (const [index, part] of parts.entries()) {
    if (isToolPart(part)) yield* nativeCall(part.toolInvocation)
    else if (part.type === 'text') {
      if (part.phase !== 'remainder') yield* textParts('text', `${index}`, part.text, toMetadata(part.providerMetadata))
    } else yield* otherPart(part, index)
  }
}

/** The calls as text in this syntax. The parser assigns their ids, unless the syntax writes them down. */
function* writtenStep(
  parts: readonly MessagePart[],
  { syntax, tools }: ModelContext,
): Generator<LanguageModelV3StreamPart> {
  const toolsByName = new Map(tools.map(tool => [tool.name, tool]))
  let writer = new StepWriter(syntax, toolsByName)
  let texts = 0
  for (const [index, part] of parts.entries()) {
    if (isToolPart(part)) writer.addCall(restoreModelInput(part.toolInvocation))
    else if (part.type === 'text') {
      if (part.phase !== 'remainder') writer.addText(part.text)
    } else {
      if (writer.text !== '') yield* textParts('text', `text-${++texts}`, writer.text)
      writer = new StepWriter(syntax, toolsByName)
      yield* otherPart(part, index)
    }
  }
  if (writer.text !== '') yield* textParts('text', `text-${++texts}`, writer.text)
}

function* otherPart(part: MessagePart, index: number): Generator<LanguageModelV3StreamPart> {
  switch (part.type) {
    case 'reasoning':
      yield* textParts('reasoning', `${index}`, part.text, toMetadata(part.providerMetadata))
      return
    case 'source-url': {
      const { sourceId: id, url, title } = part
      yield { type: 'source', sourceType: 'url', id, url, ...defined({ title }) }
      return
    }
    case 'source-document': {
      const { sourceId: id, mediaType, title, filename } = part
      const name = filename === undefined ? {} : { filename }
      yield { type: 'source', sourceType: 'document', id, mediaType, title, ...name }
      return
    }
    case 'file': {
      const base64 = /^data:[^,]*;base64,/i.exec(part.url)
      if (base64 !== null) {
        yield { type: 'file', mediaType: part.mediaType, data: part.url.slice(base64[0].length) }
      }
      return
    }
    default:
  }
}

function* nativeCall(call: ToolInvocation): Generator<LanguageModelV3StreamPart> {
  const { toolCallId, toolName, callProviderMetadata, providerExecuted, output } = call
  const { input, rawInput } = restoreModelInput(call)
  const metadata = toMetadata(callProviderMetadata)
  const isCustom = typeof input === 'string' && callProviderMetadata?.argot?.inputEncoding === 'text'
  yield* callParts({
    toolCallId,
    toolName,
    input: input === undefined && typeof rawInput === 'string' ? rawInput : JSON.stringify(input ?? {}),
    ...defined({ text: isCustom ? input : undefined, providerExecuted: providerExecuted || undefined }),
    ...defined({ providerMetadata: metadata }),
  })
  if (providerExecuted !== true) return
  const failed = call.state !== 'output-available'
  const result = failed ? (call.errorText ?? 'The tool failed.') : ((output ?? '') as NonNullable<JSONValue>)
  yield { type: 'tool-result', toolCallId, toolName, result, ...defined({ isError: failed || undefined }) }
}

function restoreModelInput(call: ToolInvocation): ToolInvocation {
  const { rawInput } = call
  return rawInput === undefined || typeof rawInput === 'string' ? call : { ...call, input: rawInput }
}

function toMetadata(metadata: ProviderMetadata | undefined): SharedV3ProviderMetadata | undefined {
  return providerOptions(metadata).providerOptions
}
