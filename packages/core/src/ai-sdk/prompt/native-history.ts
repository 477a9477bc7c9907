import type {
  JSONValue,
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3ToolResultOutput,
} from '@ai-sdk/provider'
import { contentText, pictureType } from '../../message/content-output.ts'
import { isToolPart, type MessagePart } from '../../message/message.ts'
import { asContentOutput } from '../../message/read-content.ts'
import { callNumber } from '../../message/short-call-ids.ts'
import { isSettled, type ProviderMetadata, type ToolInvocation } from '../../message/tool-invocation.ts'
import { UniqueIds } from '../../message/unique-ids.ts'
import { defined } from '../../source/defined.ts'
import { type PromptFileOptions, promptFile } from './prompt-file.ts'
import { providerOptions } from './provider-options.ts'

type AssistantContent = Extract<LanguageModelV3Message, { role: 'assistant' }>['content']
type ToolContent = Extract<LanguageModelV3Message, { role: 'tool' }>['content']

/** What the model is told about a call that has no result. */
export const notRun: string = 'The result of this call is not in the transcript.'

/** What the model is told about a call that was not allowed. */
export function deniedText({ approval }: ToolInvocation): string {
  return approval?.reason ? `Denied by the user: ${approval.reason}` : 'Denied by the user.'
}

/** A person has said no, even where nobody has recorded yet what came of it. */
export function isDenied({ state, approval }: ToolInvocation): boolean {
  return state === 'output-denied' || (state === 'approval-responded' && approval?.approved === false)
}

/** Writes the steps of assistants as providers take them: what the model said, then a result for each of its calls. */
export class NativeHistory {
  readonly #ids: PromptIds = new PromptIds()
  readonly #known: ReadonlySet<string>
  readonly #files: PromptFileOptions

  /** `known` are the tools that the provider is told about. */
  constructor(known: ReadonlySet<string>, files: PromptFileOptions) {
    this.#known = known
    this.#files = files
  }

  async step(parts: readonly MessagePart[]): Promise<LanguageModelV3Message[]> {
    const content: AssistantContent = []
    const results: ToolContent = []
    const files: LanguageModelV3FilePart[] = []
    for (const part of parts) {
      if (isToolPart(part)) {
        this.#call(part.toolInvocation, content, results, files.length)
        files.push(...filesOfCall(part.toolInvocation, this.#files.isBlind))
      } else if (part.type === 'text') {
        if (part.phase === 'remainder') continue
        const options = part.state === 'aborted' ? {} : providerOptions(part.providerMetadata)
        if (part.text.trim() !== '' || 'providerOptions' in options) {
          content.push({ type: 'text', text: part.text, ...options })
        }
      } else if (part.type === 'reasoning') {
        // A reasoning that was cut off has no signature, and providers refuse it.
        if (part.state === 'aborted') continue
        const options = providerOptions(part.providerMetadata)
        if (part.text !== '' || 'providerOptions' in options) {
          content.push({ type: 'reasoning', text: part.text, ...options })
        }
      } else if (part.type === 'file') content.push(await promptFile(part, this.#files))
    }
    const messages: LanguageModelV3Message[] = []
    if (content.length > 0) messages.push({ role: 'assistant', content })
    if (results.length > 0) messages.push({ role: 'tool', content: results })
    // Few providers take files in results, and all that take files take them in a message.
    if (files.length > 0) messages.push({ role: 'user', content: files })
    return messages
  }

  #call(call: ToolInvocation, content: AssistantContent, results: ToolContent, files: number): void {
    const toolCallId = this.#ids.take(sentId(call))
    const toolName = this.#known.has(call.toolName) ? call.toolName : acceptableName(call.toolName)
    const own = call.providerExecuted === true
    content.push({
      type: 'tool-call',
      toolCallId,
      toolName,
      input: inputObject(call),
      ...defined({ providerExecuted: own || undefined }),
      ...providerOptions(isEdited(call) ? withoutItem(call.callProviderMetadata) : call.callProviderMetadata),
    })
    const output = resultOutput(call, files, this.#files.isBlind === true)
    const result = { type: 'tool-result', toolCallId, toolName, output } as const
    if (own) content.push({ ...result, ...providerOptions(call.resultProviderMetadata) })
    else results.push(result)
  }
}

/** The id that the provider or the model gave a call. */
export function givenId({ callProviderMetadata }: Pick<ToolInvocation, 'callProviderMetadata'>): string | undefined {
  const id = callProviderMetadata?.argot?.callId
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** The id under which a provider is sent a call: its own. One of ours has nine letters and digits, which every provider takes. */
export function sentId(call: ToolInvocation): string {
  const number = callNumber(call.toolCallId)
  return givenId(call) ?? (number === 0 ? call.toolCallId : `c${String(number).padStart(8, '0')}`)
}

function isEdited({ input, rawInput, approval }: ToolInvocation): boolean {
  return input !== undefined && rawInput !== undefined && approval !== undefined
}

/** A provider that keeps its own items would look the call up there, and find it as it was before the edit. */
function withoutItem(metadata: ProviderMetadata | undefined): ProviderMetadata | undefined {
  if (metadata === undefined) return undefined
  const entries = Object.entries(metadata).map(([provider, { itemId, ...fields }]) => [provider, fields] as const)
  return Object.fromEntries(entries)
}

/** Providers refuse other names, also in calls of tools that they do not know. */
function acceptableName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown'
}

/**
 * Providers take objects only. An input that could not be read is sent as an empty one: the result says what was wrong
 * with it. An input that is not an object goes into one as `input`.
 */
function inputObject({ input, rawInput }: ToolInvocation): unknown {
  const value = input ?? (typeof rawInput === 'string' ? undefined : rawInput)
  if (value === undefined || value === null) return {}
  return typeof value === 'object' && !Array.isArray(value) ? value : { input: value }
}

/** The pictures that a call gave back; none for a model that is blind. */
export function filesOfCall({ state, output }: ToolInvocation, isBlind = false): LanguageModelV3FilePart[] {
  const content = state === 'output-available' && !isBlind ? asContentOutput(output) : undefined
  return (content?.value ?? []).flatMap(piece => {
    const mediaType = piece.type === 'file-data' ? pictureType(piece.data) : undefined
    if (piece.type !== 'file-data' || mediaType === undefined) return []
    const { data, filename } = piece
    return [{ type: 'file', data, mediaType, ...defined({ filename }) }]
  })
}

function resultOutput(call: ToolInvocation, files: number, isBlind: boolean): LanguageModelV3ToolResultOutput {
  if (!isSettled(call)) return isDenied(call) ? denial(call) : { type: 'error-text', value: notRun }
  if (call.state === 'output-error') return { type: 'error-text', value: call.errorText ?? 'The tool failed.' }
  if (call.state === 'output-denied') return denial(call)
  if (typeof call.output === 'string') return { type: 'text', value: call.output }
  const content = asContentOutput(call.output)
  if (content !== undefined) return { type: 'text', value: contentText(content, files, isBlind) }
  return { type: 'json', value: (call.output ?? null) as JSONValue }
}

function denial(call: ToolInvocation): LanguageModelV3ToolResultOutput {
  return { type: 'execution-denied', reason: deniedText(call) }
}

/**
 * The ids of calls as every provider takes them: letters, digits, `_` and `-`, at most 64, each once in a prompt. An id
 * that is so already stays as it is.
 */
class PromptIds {
  readonly #ids: UniqueIds = new UniqueIds([], '_')

  take(id: string): string {
    const sound = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'call'
    const unique = this.#ids.has(sound) ? this.#ids.numbered(sound.slice(0, 56), 2) : sound
    this.#ids.add(unique)
    return unique
  }
}
