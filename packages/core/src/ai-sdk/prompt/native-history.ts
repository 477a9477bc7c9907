import type {
  JSONValue,
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3ToolResultOutput,
} from '@ai-sdk/provider'
import { contentText, pictureType } from '../../message/content-output.ts'
import { isToolPart, type MessagePart } from '../../message/message.ts'
import { readContentForModel } from '../../message/read-content.ts'
import { callNumber } from '../../message/short-call-ids.ts'
import { isSettled, type ProviderMetadata, type ToolInvocation } from '../../message/tool-invocation.ts'
import { UniqueIds } from '../../message/unique-ids.ts'
import { defined } from '../../source/defined.ts'
import { type PromptFileOptions, promptFile } from './prompt-file.ts'
import { providerOptions } from './provider-options.ts'

export type AssistantContent = Extract<LanguageModelV3Message, { role: 'assistant' }>['content']
type ToolContent = Extract<LanguageModelV3Message, { role: 'tool' }>['content']

export const missingResultText: string = 'The result of this call is not in the transcript.'

export function deniedText({ approval }: ToolInvocation): string {
  return approval?.reason ? `Denied by the user: ${approval.reason}` : 'Denied by the user.'
}

/** True for a denied call, even if the outcome is not recorded yet. */
export function isDenied({ state, approval }: ToolInvocation): boolean {
  return state === 'output-denied' || (state === 'approval-responded' && approval?.approved === false)
}

/**
 * Writes the assistant's steps in the form that providers accept: the model's text, then a result for each of its
 * calls.
 */
export class NativeHistory {
  readonly #ids: PromptIds = new PromptIds()
  readonly #sentToolNames: ReadonlySet<string>
  readonly #files: PromptFileOptions

  constructor(toolNames: ReadonlySet<string>, files: PromptFileOptions) {
    this.#sentToolNames = toolNames
    this.#files = files
  }

  async step(parts: readonly MessagePart[]): Promise<LanguageModelV3Message[]> {
    const content: AssistantContent = []
    const results: ToolContent = []
    const files: LanguageModelV3FilePart[] = []
    for (const part of parts) {
      if (isToolPart(part)) {
        this.#call(part.toolInvocation, content, results, files.length)
        files.push(...getCallPictures(part.toolInvocation, this.#files.lacksVision))
      } else if (part.type === 'text') {
        if (part.phase === 'remainder') continue
        const options = part.state === 'aborted' ? {} : providerOptions(part.providerMetadata)
        if (part.text.trim() !== '' || 'providerOptions' in options) {
          content.push({ type: 'text', text: part.text, ...options })
        }
      } else if (part.type === 'reasoning') {
        // An interrupted reasoning has no signature, and providers reject it.
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
    // Few providers accept files in results, but all that accept files accept them in a message.
    if (files.length > 0) messages.push({ role: 'user', content: files })
    return messages
  }

  #call(call: ToolInvocation, content: AssistantContent, results: ToolContent, filesBefore: number): void {
    const toolCallId = this.#ids.take(sentId(call))
    const toolName = this.#sentToolNames.has(call.toolName) ? call.toolName : acceptableName(call.toolName)
    const isProviderExecuted = call.providerExecuted === true
    content.push({
      type: 'tool-call',
      toolCallId,
      toolName,
      input: inputObject(call),
      ...defined({ providerExecuted: isProviderExecuted || undefined }),
      ...providerOptions(isEdited(call) ? withoutItem(call.callProviderMetadata) : call.callProviderMetadata),
    })
    const output = resultOutput(call, filesBefore, this.#files.lacksVision === true)
    const result = { type: 'tool-result', toolCallId, toolName, output } as const
    if (isProviderExecuted) content.push({ ...result, ...providerOptions(call.resultProviderMetadata) })
    else results.push(result)
  }
}

export function getProviderCallId({
  callProviderMetadata,
}: Pick<ToolInvocation, 'callProviderMetadata'>): string | undefined {
  const id = callProviderMetadata?.argot?.callId
  return typeof id === 'string' && id !== '' ? id : undefined
}

/**
 * The id under which a call is sent to a provider: the provider's own, if it has one. Ours have nine letters and
 * digits, which every provider accepts.
 */
export function sentId(call: ToolInvocation): string {
  const number = callNumber(call.toolCallId)
  return getProviderCallId(call) ?? (number === 0 ? call.toolCallId : `c${String(number).padStart(8, '0')}`)
}

function isEdited({ input, rawInput, approval }: ToolInvocation): boolean {
  return input !== undefined && rawInput !== undefined && approval !== undefined
}

/** A provider that stores its own items would find the call there, without the edit. */
function withoutItem(metadata: ProviderMetadata | undefined): ProviderMetadata | undefined {
  if (metadata === undefined) return undefined
  const entries = Object.entries(metadata).map(([provider, { itemId, ...fields }]) => [provider, fields] as const)
  return Object.fromEntries(entries)
}

/** Providers reject other names, even in calls of tools that they don't know. */
function acceptableName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown'
}

/**
 * Providers accept only objects. An unreadable input is sent as an empty object; the result says what was wrong with
 * it. An input that is not an object is wrapped in one as `input`.
 */
function inputObject({ input, rawInput }: ToolInvocation): unknown {
  const value = input ?? (typeof rawInput === 'string' ? undefined : rawInput)
  if (value === undefined || value === null) return {}
  return typeof value === 'object' && !Array.isArray(value) ? value : { input: value }
}

export function getCallPictures({ state, output }: ToolInvocation, lacksVision = false): LanguageModelV3FilePart[] {
  const content = state === 'output-available' && !lacksVision ? readContentForModel(output) : undefined
  return (content?.value ?? []).flatMap(piece => {
    const mediaType = piece.type === 'file-data' ? pictureType(piece.data) : undefined
    if (piece.type !== 'file-data' || mediaType === undefined) return []
    const { data, filename } = piece
    return [{ type: 'file', data, mediaType, ...defined({ filename }) }]
  })
}

function resultOutput(
  call: ToolInvocation,
  filesBefore: number,
  lacksVision: boolean,
): LanguageModelV3ToolResultOutput {
  if (!isSettled(call)) return isDenied(call) ? denial(call) : { type: 'error-text', value: missingResultText }
  if (call.state === 'output-error') return { type: 'error-text', value: call.errorText ?? 'The tool failed.' }
  if (call.state === 'output-denied') return denial(call)
  if (typeof call.output === 'string') return { type: 'text', value: call.output }
  const content = readContentForModel(call.output)
  if (content !== undefined) return { type: 'text', value: contentText(content, filesBefore, lacksVision) }
  return { type: 'json', value: (call.output ?? null) as JSONValue }
}

function denial(call: ToolInvocation): LanguageModelV3ToolResultOutput {
  return { type: 'execution-denied', reason: deniedText(call) }
}

/**
 * Makes call ids that every provider accepts: letters, digits, `_` and `-`, at most 64, unique in a prompt. A valid id
 * stays unchanged.
 */
class PromptIds {
  readonly #ids: UniqueIds = new UniqueIds([], '_')

  take(id: string): string {
    const validId = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'call'
    const unique = this.#ids.has(validId) ? this.#ids.numbered(validId.slice(0, 56), 2) : validId
    this.#ids.add(unique)
    return unique
  }
}
