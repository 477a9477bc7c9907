import type { ReplyReader } from '@argot/core/ai-sdk'
import { limits } from '@argot/core/stream'
import { isRecord } from '@argot/core/stream/internal'
import { createCallId } from '../reply/call-id.ts'
import { readToolName } from './tool-name.ts'

export type StreamPart = Parameters<ReplyReader['push']>[0]

const MOST_CALLS = 1000

interface NativeCall {
  id: string
  /** The upstream's id, which may be missing, or the same for several calls. */
  wireId: string
  name: string
  arguments: string
  /** All arguments have arrived. Anything that follows repeats them. */
  isComplete: boolean
  /** The earlier call with the same id, which this may repeat. Nothing is given out until it is complete. */
  suspect: NativeCall | undefined
}

/**
 * Turns one choice of a chat completions reply, either a stream's deltas or a complete message, into parts of a
 * provider's stream. It accepts what servers really send: calls without ids, with a wrong index, sent twice, with
 * arguments as an object; contents as lists of parts.
 */
export class ChoiceReader {
  /** The upstream's other fields on a call, by call id. */
  readonly extras: Map<string, Record<string, unknown>> = new Map()
  reasoningField = 'reasoning_content'
  readonly #tools: ReadonlySet<string>
  readonly #calls: NativeCall[] = []
  readonly #byIndex: Map<number, NativeCall> = new Map()
  readonly #byWireId: Map<string, NativeCall> = new Map()
  readonly #ids: Set<string> = new Set()

  constructor(tools: ReadonlySet<string>) {
    this.#tools = tools
  }

  isNative(id: string): boolean {
    return this.#ids.has(id)
  }

  push(delta: Readonly<Record<string, unknown>>): StreamPart[] {
    const parts: StreamPart[] = []
    for (const field of ['reasoning_content', 'reasoning', 'thinking'] as const) {
      const text = delta[field]
      if (typeof text !== 'string' || text === '') continue
      this.reasoningField = field
      parts.push({ type: 'reasoning-delta', id: 'reasoning', delta: text })
      break
    }
    this.#readContent(delta.content, parts)
    if (typeof delta.refusal === 'string' && delta.refusal !== '') addText(delta.refusal, parts)
    if (Array.isArray(delta.tool_calls)) {
      for (const [place, call] of delta.tool_calls.entries()) if (isRecord(call)) this.#readCall(call, place, parts)
    }
    // The protocol's original field, which a few servers still use.
    if (isRecord(delta.function_call)) this.#readCall({ index: -1, function: delta.function_call }, 0, parts)
    return parts
  }

  end(): StreamPart[] {
    const parts: StreamPart[] = []
    for (const call of this.#calls) {
      const { id, name: toolName, suspect } = call
      if (suspect !== undefined) {
        if (suspect.name === toolName && isSameJson(suspect.arguments, call.arguments)) continue
        parts.push({ type: 'tool-input-start', id, toolName })
        if (call.arguments !== '') parts.push({ type: 'tool-input-delta', id, delta: call.arguments })
      }
      parts.push({ type: 'tool-input-end', id }, { type: 'tool-call', toolCallId: id, toolName, input: call.arguments })
    }
    return parts
  }

  #readContent(content: unknown, parts: StreamPart[]): void {
    if (typeof content === 'string') addText(content, parts)
    if (!Array.isArray(content)) return
    for (const piece of content) {
      if (!isRecord(piece)) continue
      if (typeof piece.text === 'string') addText(piece.text, parts)
      else if (typeof piece.thinking === 'string') {
        parts.push({ type: 'reasoning-delta', id: 'reasoning', delta: piece.thinking })
      } else if (Array.isArray(piece.thinking)) {
        const texts = piece.thinking.flatMap(each =>
          isRecord(each) && typeof each.text === 'string' ? [each.text] : [],
        )
        parts.push({ type: 'reasoning-delta', id: 'reasoning', delta: texts.join('') })
      }
    }
  }

  #readCall(entry: Readonly<Record<string, unknown>>, place: number, parts: StreamPart[]): void {
    const { index, id, type: _, function: fn, ...extra } = entry
    // Ollama's own protocol has the function's fields in the call itself.
    const { name, arguments: input } = isRecord(fn) ? fn : entry
    const wireId = typeof id === 'string' ? id : ''
    const toolName = typeof name === 'string' && name !== '' ? readToolName(name, this.#tools) : undefined
    const at = typeof index === 'number' ? index : undefined
    const text = toJsonText(input)
    let call = this.#find(at, wireId, toolName, text)
    if (call === undefined) {
      // Arguments without a call, or more calls than any model makes.
      if (toolName === undefined || this.#calls.length >= MOST_CALLS) return
      call = this.#begin(at ?? this.#calls.length + place, wireId, toolName, parts)
      if (isRecord(fn) && Object.keys(extra).length > 0) this.extras.set(call.id, extra)
    }
    if (text !== '') addArguments(call, text, parts)
  }

  #find(at: number | undefined, wireId: string, toolName: string | undefined, text: string): NativeCall | undefined {
    const call = at === undefined ? this.#calls.at(-1) : this.#byIndex.get(at)
    if (call === undefined || toolName === undefined) return call
    if (wireId !== '' && call.wireId !== '') return call.wireId === wireId && call.name === toolName ? call : undefined
    if (wireId !== '') return undefined
    // Without ids, a name starts a call, unless a server repeats it with every piece of the arguments.
    const isRepeated = call.name === toolName && !call.isComplete && !isObject(call.arguments) && !text.startsWith('{')
    return isRepeated ? call : undefined
  }

  #begin(at: number, wireId: string, name: string, parts: StreamPart[]): NativeCall {
    const twin = wireId === '' ? undefined : this.#byWireId.get(wireId)
    const isUsable = wireId !== '' && twin === undefined && wireId.length <= limits.idLength && wireId.isWellFormed()
    const call: NativeCall = {
      id: isUsable ? wireId : createCallId(),
      wireId,
      name,
      arguments: '',
      isComplete: false,
      suspect: twin?.name === name ? twin : undefined,
    }
    this.#calls.push(call)
    this.#byIndex.set(at, call)
    this.#ids.add(call.id)
    if (wireId !== '' && twin === undefined) this.#byWireId.set(wireId, call)
    if (call.suspect === undefined) parts.push({ type: 'tool-input-start', id: call.id, toolName: name })
    return call
  }
}

function addArguments(call: NativeCall, text: string, parts: StreamPart[]): void {
  if (call.isComplete) return
  // A second object can't continue the first, so the server is repeating the arguments.
  if (text.startsWith('{') && isObject(call.arguments)) {
    call.isComplete = true
    return
  }
  call.arguments += text
  if (call.suspect === undefined) parts.push({ type: 'tool-input-delta', id: call.id, delta: text })
}

function addText(text: string, parts: StreamPart[]): void {
  if (text !== '') parts.push({ type: 'text-delta', id: 'text', delta: text })
}

/** The arguments as JSON text. Some servers send the object itself. */
function toJsonText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

function isObject(text: string): boolean {
  if (!text.trimEnd().endsWith('}')) return false
  try {
    return isRecord(JSON.parse(text))
  } catch {
    return false
  }
}

function isSameJson(a: string, b: string): boolean {
  if (a === b) return true
  try {
    return JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b))
  } catch {
    return false
  }
}
