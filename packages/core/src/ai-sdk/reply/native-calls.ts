import type { LanguageModelV3StreamPart, LanguageModelV3ToolCall, LanguageModelV3ToolResult } from '@ai-sdk/provider'
import type { ProviderMetadata } from '../../message/tool-invocation.ts'
import { defined } from '../../source/defined.ts'
import type { ErrorCode } from '../../source/error.ts'
import { toMessage } from '../../source/to-message.ts'
import { inspectPayload } from '../../stream/builder/payload.ts'
import {
  type Chunk,
  type ToolInputDelta,
  type ToolInputError,
  type ToolInputStart,
  withArgotMetadata,
} from '../../stream/chunk.ts'
import * as limits from '../../stream/limits.ts'
import { quoteLargeIntegers } from '../../syntax/value/json-text.ts'
import { shortId } from '../prompt/short-id.ts'
import { cutErrorText, type ReplyCut, refuseCut } from './cut-calls.ts'
import { mergeMetadata } from './merge-metadata.ts'

interface StartedCall {
  toolName: string
  /** The deltas are the input itself, not JSON. */
  custom: boolean
  metadata: ProviderMetadata | undefined
}

type InputStart = Extract<LanguageModelV3StreamPart, { type: 'tool-input-start' }>
type InputPiece = Extract<LanguageModelV3StreamPart, { type: 'tool-input-delta' | 'tool-input-end' }>

/** Turns the tool parts of a provider's stream into tool chunks. Every call starts with its `tool-input-start`. */
export class NativeCalls {
  /** Calls whose `tool-call` has not arrived, by the provider's id. */
  readonly #started: Map<string, StartedCall> = new Map()
  /**
   * Calls whose arguments are not JSON. The end of the reply tells whether the model wrote them this way or was cut
   * off.
   */
  readonly #unreadable: Map<string, ToolInputError> = new Map()

  start(part: InputStart): Chunk {
    const custom = part.inputEncoding === 'text'
    const toolCallId = shortId(part.id)
    this.#started.set(toolCallId, { toolName: part.toolName, custom, metadata: part.providerMetadata })
    const chunk: ToolInputStart = { type: 'tool-input-start', toolCallId, toolName: part.toolName }
    if (custom) chunk.inputEncoding = 'text'
    if (part.title !== undefined) chunk.title = part.title
    return withSharedFields(chunk, part)
  }

  delta(part: Extract<InputPiece, { type: 'tool-input-delta' }>): Chunk {
    const chunk: ToolInputDelta = {
      type: 'tool-input-delta',
      toolCallId: shortId(part.id),
      inputTextDelta: part.delta,
    }
    if (part.providerMetadata !== undefined) {
      this.noteMetadata(part)
      chunk.providerMetadata = part.providerMetadata
    }
    return chunk
  }

  /** Keeps the metadata for the chunk that completes the call. */
  noteMetadata(part: InputPiece): void {
    const call = this.#started.get(shortId(part.id))
    if (call !== undefined) call.metadata = mergeMetadata(call.metadata, part.providerMetadata)
  }

  call(part: LanguageModelV3ToolCall): Chunk[] {
    const { toolName } = part
    const toolCallId = shortId(part.toolCallId)
    const started = this.#started.get(toolCallId)
    this.#started.delete(toolCallId)
    const chunks: Chunk[] = []
    if (started === undefined) chunks.push(withSharedFields({ type: 'tool-input-start', toolCallId, toolName }, part))
    const providerMetadata = mergeMetadata(started?.metadata, part.providerMetadata)
    const callPart = { ...part, providerMetadata }
    const result = readInput(part.input)
    if ('problem' in result) {
      const { problem: errorText, code } = result
      const input = code === 'STREAM_CALL_TOO_LONG' ? undefined : part.input
      const chunk = withSharedFields(
        { type: 'tool-input-error' as const, toolCallId, toolName, input, errorText },
        { ...callPart, providerMetadata: withArgotMetadata(providerMetadata, { code }) },
      )
      if (code === 'STREAM_BAD_JSON') this.#unreadable.set(toolCallId, chunk)
      else chunks.push(chunk)
      return chunks
    }
    const chunk = { type: 'tool-input-available', toolCallId, toolName, input: result.input } as const
    const custom = started?.custom === true && typeof result.input === 'string'
    chunks.push(withSharedFields(chunk, custom ? { ...part, providerMetadata: asCustom(providerMetadata) } : callPart))
    return chunks
  }

  result(part: LanguageModelV3ToolResult): Chunk {
    const toolCallId = shortId(part.toolCallId)
    const result = inspectPayload(part.result).tooDeep ? '[The result is nested too deeply to be shown.]' : part.result
    const resultPart = { ...part, providerExecuted: true }
    if (part.isError !== true) {
      const preliminary = defined({ preliminary: part.preliminary === true || undefined })
      return withSharedFields({ type: 'tool-output-available', toolCallId, output: result, ...preliminary }, resultPart)
    }
    const errorText = typeof result === 'string' ? result : JSON.stringify(result)
    return withSharedFields({ type: 'tool-output-error', toolCallId, errorText }, resultPart)
  }

  /**
   * Call it at the end of the reply, with `cut` if the model did not end it: unreadable calls get an error that fits.
   */
  endUnreadable(cut: ReplyCut | undefined): Chunk[] {
    const chunks = [...this.#unreadable.values()].map(chunk => (cut === undefined ? chunk : refuseCut(chunk, cut)))
    this.#unreadable.clear()
    return chunks
  }

  /** Makes unfinished calls errors. Their text is that of the deltas. */
  end(cut: ReplyCut | undefined): Chunk[] {
    const chunks: Chunk[] = []
    for (const [toolCallId, { toolName, metadata }] of this.#started) {
      chunks.push({
        type: 'tool-input-error',
        toolCallId,
        toolName,
        input: undefined,
        errorText: cutErrorText(cut ?? 'broken'),
        providerMetadata: withArgotMetadata(metadata, { code: 'SYNTAX_UNCLOSED_CALL' }),
      })
    }
    this.#started.clear()
    return chunks
  }
}

interface SharedCallFields {
  providerExecuted?: boolean
  dynamic?: boolean
  providerMetadata?: ProviderMetadata | undefined
}

function withSharedFields<C extends Chunk & SharedCallFields>(chunk: C, part: SharedCallFields): C {
  if (part.providerExecuted === true) chunk = { ...chunk, providerExecuted: true }
  if (part.dynamic === true) chunk = { ...chunk, dynamic: true }
  return part.providerMetadata === undefined ? chunk : { ...chunk, providerMetadata: part.providerMetadata }
}

function asCustom(metadata: ProviderMetadata | undefined): ProviderMetadata {
  return { ...metadata, argot: { ...metadata?.argot, inputEncoding: 'text' } }
}

/** Some providers write nothing at all for a call without arguments. */
function readInput(json: string): { input: unknown } | { problem: string; code: ErrorCode } {
  if (json.trim() === '') return { input: {} }
  if (json.length > limits.callLength) {
    const problem = `The arguments of this call have more than ${limits.callLength} characters, so it was not run. Split the work into several calls.`
    return { problem, code: 'STREAM_CALL_TOO_LONG' }
  }
  let input: unknown
  try {
    // An integer that JavaScript would round becomes a string of its digits, as in every syntax.
    input = JSON.parse(quoteLargeIntegers(json) ?? json)
  } catch (error) {
    const problem = `The arguments of this call are not valid JSON (${toMessage(error)}), so it was not run. Write the call again, with the arguments as one valid JSON object.`
    return { problem, code: 'STREAM_BAD_JSON' }
  }
  if (!inspectPayload(input).tooDeep) return { input }
  const problem = `The arguments of this call are nested more than ${limits.jsonDepth} levels deep, so it was not run. Write flatter arguments.`
  return { problem, code: 'STREAM_TOO_DEEP' }
}
