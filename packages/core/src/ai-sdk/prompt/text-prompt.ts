import type {
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolCallPart,
  LanguageModelV3ToolResultOutput,
} from '@ai-sdk/provider'
import type { ToolDefinition } from '../../message/tool-definition.ts'
import type { ProviderMetadata, ToolInvocation } from '../../message/tool-invocation.ts'
import { defined } from '../../source/defined.ts'
import type { Syntax } from '../../syntax/syntax.ts'
import { createLesson } from './lesson.ts'
import { isSigned } from './text-history.ts'
import { TextStep } from './text-step.ts'

export interface TextPromptOptions {
  syntax: Syntax
  tools: readonly ToolDefinition[]
  /** The model may call the tools, so the prompt teaches it how. */
  teach: boolean
  demand?: string | undefined
  /** `{{tools}}` and `{{syntax}}` in system messages are text, not placeholders for the lesson. */
  literal?: true | undefined
}

type AssistantMessage = Extract<LanguageModelV3Message, { role: 'assistant' }>
type OutputsById = Map<string, LanguageModelV3ToolResultOutput[]>

/**
 * Turns a prompt for a model with tool calls into one for a model without: calls become text in the assistant's
 * messages, their results a user message, and a system message teaches the tools. Everything else stays unchanged.
 */
export function toTextPrompt(prompt: LanguageModelV3Prompt, options: TextPromptOptions): LanguageModelV3Prompt {
  const { syntax, tools, teach, demand, literal } = options
  const systemTexts = prompt.flatMap(message => (message.role === 'system' ? [{ text: message.content, literal }] : []))
  const { added, fill } = createLesson(syntax, teach ? tools : [], systemTexts)
  const toolsByName = new Map(tools.map(tool => [tool.name, tool]))
  const messages: LanguageModelV3Prompt = []
  for (const [index, message] of prompt.entries()) {
    if (message.role === 'system') messages.push({ ...message, content: fill([{ text: message.content, literal }]) })
    else if (message.role === 'assistant') {
      messages.push(...writeStep(message, outputsAfter(prompt, index), new TextStep(syntax, toolsByName)))
    } else if (message.role === 'user') messages.push(message)
  }
  return withSystem(messages, [added, demand].filter(text => text !== undefined).join('\n\n'))
}

/** In the first message if it is a system message: many models' templates accept only one. */
function withSystem(prompt: LanguageModelV3Prompt, text: string): LanguageModelV3Prompt {
  const [first, ...rest] = prompt
  if (text === '') return prompt
  if (first?.role !== 'system') return [{ role: 'system', content: text }, ...prompt]
  return [{ ...first, content: `${first.content}\n\n${text}` }, ...rest]
}

/** Results of the assistant message at `index`, by call id, the last one first. An id may be used several times. */
function outputsAfter(prompt: LanguageModelV3Prompt, index: number): OutputsById {
  const results = []
  for (let at = index + 1; ; at++) {
    const message = prompt[at]
    if (message?.role !== 'tool') break
    results.push(...message.content.filter(part => part.type === 'tool-result'))
  }
  const outputs: OutputsById = new Map()
  for (const { toolCallId, output } of results.reverse()) {
    const earlierOutput = outputs.get(toolCallId)
    if (earlierOutput === undefined) outputs.set(toolCallId, [output])
    else earlierOutput.push(output)
  }
  return outputs
}

function writeStep(message: AssistantMessage, outputs: OutputsById, step: TextStep): LanguageModelV3Message[] {
  for (const part of message.content) {
    if (part.type === 'text') step.addText(part.text)
    else if (part.type === 'tool-call' && part.providerExecuted !== true) {
      const output = outputs.get(part.toolCallId)?.pop()
      step.addCall(toInvocation(part, output))
      if (output?.type === 'content') for (const file of toFiles(output.value)) step.addFile(file)
    } else if (part.type !== 'reasoning' || isSigned(part.providerOptions as ProviderMetadata | undefined)) {
      step.addPart(part)
    }
  }
  const { providerOptions } = message
  return step.messages().map(one => (one.role === 'assistant' ? { ...one, ...defined({ providerOptions }) } : one))
}

/** If a call could not be read, its metadata says what was wrong, in the syntax's words. */
function toInvocation(
  { toolCallId, toolName, input, providerOptions }: LanguageModelV3ToolCallPart,
  output: LanguageModelV3ToolResultOutput | undefined,
): ToolInvocation {
  const { errorText, rawInput } = providerOptions?.argot ?? {}
  const call = { key: toolCallId, toolCallId, toolName }
  if (typeof errorText === 'string') return { ...call, state: 'output-error', errorText, rawInput }
  if (output === undefined) return { ...call, state: 'input-available', input }
  switch (output.type) {
    case 'error-text':
      return { ...call, input, state: 'output-error', errorText: output.value }
    case 'error-json':
      return { ...call, input, state: 'output-error', errorText: JSON.stringify(output.value) }
    case 'execution-denied': {
      const approval = { id: toolCallId, approved: false, ...defined({ reason: output.reason }) }
      return { ...call, input, state: 'output-denied', approval }
    }
    case 'content':
      return { ...call, input, state: 'output-available', output: joinText(output.value) }
    default:
      return { ...call, input, state: 'output-available', output: output.value }
  }
}

/** One piece of a `content` result, from any AI SDK version. */
interface ResultPiece {
  type: string
  text?: unknown
  data?: unknown
  url?: unknown
  mediaType?: unknown
  filename?: unknown
}

function joinText(pieces: readonly ResultPiece[]): string {
  return pieces
    .map(piece => {
      if (typeof piece.text === 'string') return piece.text
      return toFile(piece) === undefined ? `[a ${piece.type} that cannot be shown]` : '[a file, attached]'
    })
    .join('\n')
}

function toFiles(pieces: readonly ResultPiece[]): LanguageModelV3FilePart[] {
  return pieces.flatMap(piece => toFile(piece) ?? [])
}

/**
 * A string, bytes, or, since version 4 of the provider interface, an object that has its own `type` and stays
 * unchanged.
 */
function isFileData(data: unknown): data is LanguageModelV3FilePart['data'] {
  if (typeof data === 'string' || data instanceof Uint8Array) return true
  return typeof data === 'object' && data !== null && 'type' in data
}

function toFile({ type, data, url, mediaType, filename }: ResultPiece): LanguageModelV3FilePart | undefined {
  const address = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  const content = isFileData(data) ? data : address
  if (content === undefined) return undefined
  const fileType = typeof mediaType === 'string' ? mediaType : type.startsWith('image') ? 'image/*' : undefined
  if (fileType === undefined) return undefined
  const name = typeof filename === 'string' ? filename : undefined
  return { type: 'file', data: content, mediaType: fileType, ...defined({ filename: name }) }
}
