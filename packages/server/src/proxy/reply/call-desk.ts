import type { Chunk, ToolDefinition } from '@argot/core'
import { argotMetadata } from '@argot/core/stream'
import { native } from '@argot/core/syntax'
import { coerceArguments } from '@argot/core/syntax/internal'
import type { Remark } from './remark.ts'

type ToolInputErrorChunk = Extract<Chunk, { type: 'tool-input-error' }>
type ToolInputAvailableChunk = Extract<Chunk, { type: 'tool-input-available' }>

export interface CallDeskOptions {
  tools: ReadonlyMap<string, ToolDefinition>
  /** Arguments are held until they are checked. Otherwise they are streamed as the model writes them. */
  holds: boolean
  /** A reply with only broken calls is requested again, so nothing after the first broken call is given out yet. */
  mayRetry: boolean
  isNative(id: string): boolean
}

interface DeskCall {
  name: string
  isNative: boolean
  isStreamed: boolean
  json: string[]
}

/** A call that can't be used, in the form that the model gets. */
export interface BrokenCall {
  toolName: string
  /** The model's source: the text of the call, or the arguments of a native one. */
  source: string
  problem: string
  isNative: boolean
}

export interface AcceptedCall {
  toolCallId: string
  toolName: string
  json: string
  /** `native`, or the dialect of its text. */
  dialect: string
}

/**
 * Decides what happens to each call of a reply. A call from text is given out only if it names a declared tool and its
 * arguments are valid. Otherwise its text stays text. A native call is always given out, with its values converted if
 * the schema requires it. If the server sends a call natively and also leaves it in the text, it is one call.
 */
export class CallDesk {
  readonly calls: AcceptedCall[] = []
  readonly broken: BrokenCall[] = []
  readonly remarks: Remark[] = []
  readonly #options: CallDeskOptions
  readonly #open: Map<string, DeskCall> = new Map()
  /** How many calls with this key came natively, or from text. The other kind may repeat them. */
  readonly #nativeCounts: Map<string, number> = new Map()
  readonly #textCounts: Map<string, number> = new Map()
  readonly #names: Map<string, { sent: number; read: number }> = new Map()
  /** Chunks since the first broken call. */
  #held: Chunk[] | undefined
  #refusedCount = 0

  constructor(options: CallDeskOptions) {
    this.#options = options
  }

  take(chunks: readonly Chunk[]): Chunk[] {
    const passed: Chunk[] = []
    for (const chunk of chunks) this.#take(chunk, this.#held ?? passed)
    return passed
  }

  /** Nothing is given out until the reply has ended. */
  get isHolding(): boolean {
    return this.#held !== undefined
  }

  /** All calls of the reply are broken, so a retry is worthwhile. */
  get wantsRetry(): boolean {
    return this.#options.mayRetry && this.broken.length > 0 && this.calls.length === 0
  }

  /** The reply is over and isn't retried. Returns the held chunks. */
  release(): Chunk[] {
    const held = this.#held ?? []
    this.#held = undefined
    return held
  }

  #take(chunk: Chunk, out: Chunk[]): void {
    switch (chunk.type) {
      case 'tool-input-start':
        this.#start(chunk, out)
        return
      case 'tool-input-delta': {
        const call = this.#open.get(chunk.toolCallId)
        call?.json.push(chunk.inputTextDelta)
        if (call?.isStreamed === true) out.push(chunk)
        return
      }
      case 'tool-input-available':
        this.#complete(chunk, out)
        return
      case 'tool-input-error':
        this.#fail(chunk, out)
        return
      default:
        out.push(chunk)
    }
  }

  #start(chunk: Extract<Chunk, { type: 'tool-input-start' }>, out: Chunk[]): void {
    const { toolCallId, toolName } = chunk
    const isNative = this.#options.isNative(toolCallId)
    const counts = this.#names.get(toolName)
    const mayRepeat = counts !== undefined && (isNative ? counts.read : counts.sent) > 0
    const isKnown = isNative || this.#options.tools.has(toolName)
    const isStreamed = !this.#options.holds && isKnown && !mayRepeat && this.#held === undefined
    this.#open.set(toolCallId, { name: toolName, isNative, isStreamed, json: [] })
    if (isStreamed) out.push({ type: 'tool-input-start', toolCallId, toolName })
  }

  #complete(chunk: ToolInputAvailableChunk, out: Chunk[]): void {
    const { toolCallId, toolName } = chunk
    const call = this.#close(toolCallId, toolName)
    const tool = this.#options.tools.get(toolName)
    if (call.isNative) {
      const json = call.json.join('')
      const coercion = coerceArguments(tool, json)
      if ('problem' in coercion) this.#refuseNative(chunk, call, coercion.problem, out)
      else this.#give(toolCallId, call, coercion.json, coercion.coerced, chunk, out)
      return
    }
    this.#give(toolCallId, call, call.json.join('') || JSON.stringify(chunk.input), false, chunk, out)
  }

  #fail(chunk: ToolInputErrorChunk, out: Chunk[]): void {
    const { toolCallId, errorText } = chunk
    const call = this.#close(toolCallId, chunk.toolName ?? 'unknown')
    const code = argotMetadata(chunk)?.code
    const tool = this.#options.tools.get(call.name)
    const isCut = code === 'SYNTAX_UNCLOSED_CALL'
    if (call.isNative) {
      const coercion = isCut ? undefined : coerceArguments(tool, call.json.join(''))
      if (coercion === undefined || 'problem' in coercion) this.#refuseNative(chunk, call, errorText, out)
      else this.#give(toolCallId, call, coercion.json, coercion.coerced, chunk, out)
      return
    }
    // The form was right but a value wasn't. The schema may still tell what it means.
    if (code === 'SYNTAX_BAD_VALUE' && tool !== undefined && !call.isStreamed) {
      const coercion = coerceArguments(tool, call.json.join(''))
      if (!('problem' in coercion)) {
        this.#give(toolCallId, call, coercion.json, true, chunk, out)
        return
      }
    }
    const source = typeof chunk.input === 'string' ? chunk.input : call.json.join('')
    this.#refuseText(toolCallId, call, errorText, source, out)
  }

  #close(id: string, name: string): DeskCall {
    const call = this.#open.get(id)
    this.#open.delete(id)
    return call ?? { name, isNative: this.#options.isNative(id), isStreamed: false, json: [] }
  }

  #give(id: string, call: DeskCall, json: string, coerced: boolean, chunk: Chunk, out: Chunk[]): void {
    const { name, isNative, isStreamed } = call
    if (!isStreamed && this.#isRepeated(call, json)) {
      this.remarks.push({
        type: 'doubled-call',
        toolName: name,
        message: `The upstream sent the call to \`${name}\` both natively and as text; it is one call.`,
      })
      return
    }
    this.#count(call, json)
    const argot = argotMetadata(chunk)
    this.calls.push({
      toolCallId: id,
      toolName: name,
      json,
      dialect: isNative ? native.name : (argot?.dialect ?? 'text'),
    })
    const repaired = argot?.repaired ?? []
    if (coerced || repaired.length > 0) {
      const how = coerced ? 'values were converted to the types of its schema' : repaired.join(', ')
      this.remarks.push({ type: 'repaired', toolName: name, message: `The call to \`${name}\` was repaired: ${how}.` })
    }
    if (!isStreamed) {
      out.push({ type: 'tool-input-start', toolCallId: id, toolName: name })
      out.push({ type: 'tool-input-delta', toolCallId: id, inputTextDelta: json })
    }
    out.push({ type: 'tool-input-available', toolCallId: id, toolName: name, input: undefined })
  }

  /** A call in text stays text. If the client has seen its beginning, it gets arguments that no client can run. */
  #refuseText(id: string, call: DeskCall, problem: string, source: string, out: Chunk[]): void {
    this.#note(call, problem, source)
    if (call.isStreamed) {
      out.push({ type: 'tool-input-error', toolCallId: id, toolName: call.name, input: source, errorText: problem })
      return
    }
    const textId = `refused-${++this.#refusedCount}`
    const target = this.#hold(out)
    target.push({ type: 'text-start', id: textId })
    target.push({ type: 'text-delta', id: textId, delta: source })
    target.push({ type: 'text-end', id: textId })
  }

  /** A native call belongs to the upstream: it passes if its arguments are JSON, and the client checks them. */
  #refuseNative(
    chunk: ToolInputAvailableChunk | ToolInputErrorChunk,
    call: DeskCall,
    problem: string,
    out: Chunk[],
  ): void {
    const { toolCallId } = chunk
    const { name: toolName } = call
    const json = call.json.join('')
    this.#note(call, problem, json)
    const target = call.isStreamed ? out : this.#hold(out)
    if (chunk.type === 'tool-input-error') {
      target.push({ type: 'tool-input-error', toolCallId, toolName, input: json, errorText: problem })
      return
    }
    if (!call.isStreamed) {
      target.push({ type: 'tool-input-start', toolCallId, toolName })
      target.push({ type: 'tool-input-delta', toolCallId, inputTextDelta: json })
    }
    target.push({ type: 'tool-input-available', toolCallId, toolName, input: undefined })
  }

  #note({ name, isNative }: DeskCall, problem: string, source: string): void {
    this.broken.push({ toolName: name, source, problem, isNative })
    this.remarks.push({ type: 'broken-call', toolName: name, message: problem })
  }

  /** From the first broken call on, everything waits for the end of the reply if it may be retried. */
  #hold(out: Chunk[]): Chunk[] {
    if (!this.#options.mayRetry) return out
    this.#held ??= []
    return this.#held
  }

  #isRepeated({ name, isNative }: DeskCall, json: string): boolean {
    const others = isNative ? this.#textCounts : this.#nativeCounts
    const key = toKey(name, json)
    const count = others.get(key) ?? 0
    if (count === 0) return false
    others.set(key, count - 1)
    const counts = this.#names.get(name)
    if (counts !== undefined) counts[isNative ? 'read' : 'sent']--
    return true
  }

  #count({ name, isNative }: DeskCall, json: string): void {
    const keyCounts = isNative ? this.#nativeCounts : this.#textCounts
    const key = toKey(name, json)
    keyCounts.set(key, (keyCounts.get(key) ?? 0) + 1)
    const counts = this.#names.get(name) ?? { sent: 0, read: 0 }
    counts[isNative ? 'sent' : 'read']++
    this.#names.set(name, counts)
  }
}

/** The same key for calls with the same name and arguments, in any order of arguments. */
function toKey(name: string, json: string): string {
  try {
    return `${name}\n${JSON.stringify(toSortedEntries(JSON.parse(json)))}`
  } catch {
    return `${name}\n${json}`
  }
}

function toSortedEntries(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSortedEntries)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => [key, toSortedEntries(member)])
}
