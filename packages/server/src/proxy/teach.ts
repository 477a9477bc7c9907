import { toTextPrompt } from '@argot/core/ai-sdk/internal'
import { defined, isRecord } from '@argot/core/stream/internal'
import { auto, createAuto, dialectFor, type Syntax } from '@argot/core/syntax'
import { cannotTranslate, type Fields } from './protocol/field.ts'
import { joinContents, toText } from './protocol/join-messages.ts'
import type { CompletionRequest, ToolChoice } from './protocol/protocol.ts'

type Prompt = Parameters<typeof toTextPrompt>[0]
type PromptMessage = Prompt[number]
type ToolOutput = Extract<
  Extract<PromptMessage, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output']

/** The syntax for reading a reply. A JSON answer must not be mistaken for an unmarked call. */
export function readingSyntax(syntax: Syntax, { body }: CompletionRequest): Syntax {
  const isJson = isRecord(body.response_format) && String(body.response_format.type).startsWith('json')
  return syntax === auto && isJson ? createAuto({ bare: false }) : syntax
}

/** With `auto` the model is taught the dialect that it was trained on, and every dialect is read. */
export function teachingSyntax(syntax: Syntax, request: CompletionRequest): Syntax {
  const reading = readingSyntax(syntax, request)
  const dialect = syntax === auto ? dialectFor(request.model) : undefined
  return dialect === undefined ? reading : { ...dialect, kind: 'text', parser: options => reading.parser(options) }
}

/** True if there are tools to teach, or the history contains something that only models with tool calls accept. */
export function needsTeaching({ tools, body }: CompletionRequest): boolean {
  return (
    tools.length > 0 || getMessages(body).some(({ role, tool_calls: calls }) => role === 'tool' || Array.isArray(calls))
  )
}

/**
 * The request for a model without tool calls: the tools are a lesson in the system message, earlier calls are assistant
 * text, and their results are user messages.
 */
export function teachRequest(request: CompletionRequest, syntax: Syntax): Record<string, unknown> {
  const { body, tools, choice, isParallel } = request
  const { tools: clientTools, tool_choice: _, parallel_tool_calls: __, ...rest } = body
  if (Array.isArray(clientTools) && clientTools.length > tools.length) {
    const index = clientTools.findIndex(tool => isRecord(tool) && tool.type !== undefined && tool.type !== 'function')
    throw cannotTranslate(
      `tools.${index}.type`,
      'This model has no tool calls, and only functions can be taught as text.',
    )
  }
  const isTaught = choice !== 'none' && tools.length > 0
  const demand = isTaught ? describeDemand(choice, isParallel) : undefined
  const { prompt, originals } = toPrompt(getMessages(body))
  const textPrompt = toTextPrompt(prompt, { syntax, tools, teach: isTaught, demand, literal: true })
  const stop = isTaught ? addStops(body.stop, syntax) : body.stop
  return { ...rest, ...defined({ stop }), messages: joinUsers(textPrompt, originals) }
}

function describeDemand(choice: ToolChoice, isParallel: boolean): string | undefined {
  const demands = []
  if (choice === 'required') demands.push('Your next message must contain a tool call.')
  if (typeof choice === 'object') demands.push(`Your next message must contain a call of the tool \`${choice.name}\`.`)
  if (!isParallel) demands.push('Make at most one tool call in a message.')
  return demands.length === 0 ? undefined : demands.join(' ')
}

/** Most servers accept at most four stop texts. */
function addStops(requestedStop: unknown, { stop = [] }: Syntax): unknown {
  const requestedStops =
    typeof requestedStop === 'string' ? [requestedStop] : Array.isArray(requestedStop) ? requestedStop : []
  const stops = [...new Set([...requestedStops, ...stop])].slice(0, Math.max(4, requestedStops.length))
  return stops.length === 0 ? undefined : stops
}

function getMessages(body: Fields): Fields[] {
  return Array.isArray(body.messages) ? body.messages.filter(isRecord) : []
}

/** Converts messages for core. User messages are only marked, and stay unchanged. */
function toPrompt(messages: readonly Fields[]): { prompt: Prompt; originals: Map<PromptMessage, Fields> } {
  const originals = new Map<PromptMessage, Fields>()
  const names = new Map<unknown, string>()
  const prompt = messages.map((message): PromptMessage => {
    switch (message.role) {
      case 'system':
      case 'developer':
        return { role: 'system', content: toText(message.content) }
      case 'assistant':
        return { role: 'assistant', content: readAssistant(message, names) }
      case 'tool': {
        const toolCallId = String(message.tool_call_id)
        const toolName = names.get(message.tool_call_id) ?? 'unknown'
        return {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId, toolName, output: readOutput(message.content) }],
        }
      }
      default: {
        const user: PromptMessage = { role: 'user', content: [] }
        originals.set(user, message)
        return user
      }
    }
  })
  return { prompt, originals }
}

type AssistantPromptContent = Extract<PromptMessage, { role: 'assistant' }>['content']

function readAssistant(message: Fields, names: Map<unknown, string>): AssistantPromptContent {
  const content: AssistantPromptContent = []
  const text = toText(message.content)
  if (text !== '') content.push({ type: 'text', text })
  if (!Array.isArray(message.tool_calls)) return content
  for (const call of message.tool_calls) {
    if (!isRecord(call) || !isRecord(call.function)) continue
    const { name, arguments: json } = call.function
    const toolName = typeof name === 'string' ? name : 'unknown'
    names.set(call.id, toolName)
    content.push({ type: 'tool-call', toolCallId: String(call.id), toolName, input: readInput(json) })
  }
  return content
}

/** Arguments that aren't JSON are shown to the model as it wrote them. */
function readInput(json: unknown): unknown {
  if (typeof json !== 'string') return json ?? {}
  try {
    return JSON.parse(json === '' ? '{}' : json)
  } catch {
    return { arguments: json }
  }
}

function readOutput(content: unknown): ToolOutput {
  if (!Array.isArray(content)) return { type: 'text', value: toText(content) }
  type Piece = { type: 'text'; text: string } | { type: 'image-url'; url: string }
  const value = content.flatMap((piece: unknown): Piece[] => {
    if (!isRecord(piece)) return []
    if (typeof piece.text === 'string') return [{ type: 'text', text: piece.text }]
    const url = isRecord(piece.image_url) ? piece.image_url.url : undefined
    return typeof url === 'string' ? [{ type: 'image-url', url }] : []
  })
  return { type: 'content', value }
}

/**
 * The messages for the upstream. Results and the user's text after them become one message, because many templates
 * require alternating turns.
 */
function joinUsers(prompt: Prompt, originals: ReadonlyMap<PromptMessage, Fields>): Fields[] {
  const messages: Fields[] = []
  let isResult = false
  for (const message of prompt) {
    const original = originals.get(message)
    const upstreamMessage = original ?? toMessage(message)
    const last = messages.at(-1)
    const isOwn = message.role === 'user' && original === undefined
    if (last?.role === 'user' && upstreamMessage.role === 'user' && (isOwn || isResult)) {
      messages[messages.length - 1] = { ...last, content: joinContents(last.content, upstreamMessage.content) }
    } else messages.push(upstreamMessage)
    isResult = isOwn
  }
  return messages
}

function toMessage(message: PromptMessage): Fields {
  if (message.role === 'system') return { role: 'system', content: message.content }
  const pieces = message.content.flatMap((part): Fields[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    if (part.type !== 'file') return []
    const url = part.data instanceof URL ? part.data.href : `data:${part.mediaType};base64,${String(part.data)}`
    return [{ type: 'image_url', image_url: { url } }]
  })
  const isText = pieces.every(({ type }) => type === 'text')
  return { role: message.role, content: isText ? pieces.map(({ text }) => String(text)).join('\n\n') : pieces }
}
