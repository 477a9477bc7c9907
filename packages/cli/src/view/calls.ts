import { argotMetadata, type Chunk, type ToolChunk } from 'argot'
import { oneLine, safeText } from './safe-text.ts'

/** Where a call stands, as a person sees it. */
export type ShownState = 'writing' | 'running' | 'asking' | 'done' | 'failed' | 'denied'

/** What is shown of a tool call. Every text is one safe line. */
export interface ShownCall {
  id: string
  /** Its place among the calls of the stream. */
  order: number
  name: string
  state: ShownState
  /** The beginning of the input; while it is written, of its text. */
  input: string
  /** How many characters of input have come. */
  written: number
  /** What a call that runs says of itself. */
  progress?: string
  /** What came back, or why it failed. */
  result?: string
  /** When it began to run, and when it was over. */
  startedAt: number
  endedAt?: number
}

/** As much of an input or a result as a line could show. */
const shown = 600

/** Follows the calls of a stream. The first end of a call counts, as everywhere. */
export class Calls {
  readonly #now: () => number
  readonly #open: Map<string, ShownCall> = new Map()
  readonly #settled: Set<string> = new Set()
  #begun = 0
  /** The calls that this step began. */
  #ofStep: string[] = []

  constructor(now: () => number) {
    this.#now = now
  }

  /** The calls that are not over, in the order in which they were made. */
  get open(): Iterable<ShownCall> {
    return this.#open.values()
  }

  get count(): number {
    return this.#open.size
  }

  /** Reads a chunk; gives the call whose state it changed. */
  push(chunk: Chunk): ShownCall | undefined {
    switch (chunk.type) {
      case 'start-step':
        this.#ofStep = []
        return undefined
      case 'reset-step':
        for (const id of this.#ofStep) this.#open.delete(id)
        return undefined
      case 'tool-input-start':
        this.#settled.delete(chunk.toolCallId)
        return this.#open.has(chunk.toolCallId) ? undefined : this.#begin(chunk.toolCallId, chunk.toolName)
      case 'tool-input-delta':
        this.#write(chunk.toolCallId, chunk.inputTextDelta)
        return undefined
      case 'tool-input-available':
        return this.#run(chunk.toolCallId, chunk.toolName, chunk.input)
      case 'tool-input-error':
        if (!this.#settled.has(chunk.toolCallId)) this.#begin(chunk.toolCallId, chunk.toolName)
        return this.#settle(chunk, 'failed', oneLine(chunk.errorText))
      case 'tool-approval-request':
        return this.#change(chunk.toolCallId, 'asking')
      case 'tool-approval-response':
        return this.#change(chunk.toolCallId, 'running')
      case 'tool-output-available':
        if (chunk.preliminary === true) return this.#progress(chunk.toolCallId, describeOutput(chunk.output))
        return this.#settle(chunk, 'done', describeOutput(chunk.output))
      case 'tool-output-error':
        return this.#settle(chunk, 'failed', oneLine(chunk.errorText))
      case 'tool-output-denied':
        return this.#settle(chunk, 'denied', oneLine(chunk.reason ?? ''))
      default:
        return chunk.type === 'data-argot-sub' && 'data' in chunk ? this.#subRun(chunk.data) : undefined
    }
  }

  #begin(id: string, name: string): ShownCall {
    const before = this.#open.get(id)
    if (before !== undefined) return before
    const call: ShownCall = {
      id,
      order: this.#begun++,
      name: oneLine(name ?? '', 128),
      state: 'writing',
      input: '',
      written: 0,
      startedAt: this.#now(),
    }
    this.#open.set(id, call)
    this.#ofStep.push(id)
    return call
  }

  #write(id: string, delta: string): void {
    const call = this.#open.get(id)
    if (call?.state !== 'writing') return
    call.written += delta.length
    if (call.input.length < shown) call.input += safeText(delta.slice(0, shown)).replace(/\s/g, ' ')
  }

  #run(id: string, name: string, input: unknown): ShownCall | undefined {
    if (this.#settled.has(id)) return undefined
    const call = this.#begin(id, name)
    call.input = describeInput(input)
    if (call.state === 'writing') {
      call.state = 'running'
      call.startedAt = this.#now()
    }
    return call
  }

  #change(id: string, state: 'asking' | 'running'): ShownCall | undefined {
    const call = this.#open.get(id)
    if (call === undefined) return undefined
    call.state = state
    if (state === 'running') call.startedAt = this.#now()
    return call
  }

  #progress(id: string, text: string): ShownCall | undefined {
    const call = this.#open.get(id)
    if (call !== undefined) call.progress = text
    return call
  }

  /** The newest call of an agent that runs inside a call is what that call is busy with. */
  #subRun(data: unknown): ShownCall | undefined {
    const { toolCallId, chunk } = (data ?? {}) as { toolCallId?: unknown; chunk?: Partial<Chunk> }
    if (typeof toolCallId !== 'string' || chunk?.type !== 'tool-input-start') return undefined
    return this.#progress(toolCallId, oneLine(String(chunk.toolName), 128))
  }

  #settle(chunk: ToolChunk, state: 'done' | 'failed' | 'denied', result: string): ShownCall | undefined {
    const id = chunk.toolCallId
    const call = this.#open.get(id)
    if (call === undefined) return undefined
    this.#open.delete(id)
    this.#settled.add(id)
    if (call.state === 'writing' || call.state === 'asking') call.startedAt = this.#now()
    call.state = state
    const { waited } = argotMetadata(chunk) ?? {}
    call.endedAt = Math.max(call.startedAt, this.#now() - (typeof waited === 'number' ? waited : 0))
    if (result !== '') call.result = result
    return call
  }
}

/** The input as one line of JSON, long strings cut. */
function describeInput(input: unknown): string {
  const cutLong = (_key: string, value: unknown): unknown =>
    typeof value === 'string' && value.length > shown ? value.slice(0, shown) : value
  return safeText((JSON.stringify(input, cutLong) ?? '').slice(0, shown))
}

/** The first line with something in it, and how many more there are. */
function describeOutput(output: unknown): string {
  const text = typeof output === 'string' ? output.trim() : (JSON.stringify(output) ?? '')
  const end = text.indexOf('\n')
  if (end < 0) return oneLine(text)
  let more = 0
  for (let at = end; at >= 0; at = text.indexOf('\n', at + 1)) more++
  return `${oneLine(text.slice(0, Math.min(end, 1000)))} (+${more} ${more === 1 ? 'line' : 'lines'})`
}
