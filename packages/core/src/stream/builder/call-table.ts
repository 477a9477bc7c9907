import { CallKeys } from '../../message/call-keys.ts'
import type { ToolChunk, ToolInputAvailable, ToolInputDelta, ToolInputError } from '../chunk.ts'
import type { CallAnswer } from '../chunk-table.ts'
import * as limits from '../limits.ts'
import { jsonCopy } from '../well-formed-chunk.ts'
import { CallBuilder, type CallBuilderState, type CallContext } from './call-builder.ts'

export interface CallTableContext extends CallContext {
  onOpen(call: CallBuilder): void
  readonly step: number
}

export interface CallTableState {
  orphans: CallAnswer[]
  superseded: string[]
  /** Only ids that were used more often than the calls show. */
  counts: [toolCallId: string, count: number][]
}

interface CallsWithId {
  all: CallBuilder[]
  /** The unsettled ones. Settled calls are removed once they reach the end. */
  open: CallBuilder[]
}

/**
 * Finds the call that a chunk is for. A model may use an id twice: each `tool-input-start` begins a new call, and later
 * chunks go to the newest open call with that id. Results that arrive before their call wait for it.
 */
export class CallTable {
  readonly #context: CallTableContext
  readonly #calls: Map<string, CallsWithId> = new Map()
  readonly #orphans: Map<string, CallAnswer[]> = new Map()
  #orphanCount = 0
  readonly #superseded: Set<string>
  readonly #keys: CallKeys

  constructor(context: CallTableContext, state?: CallTableState) {
    this.#context = context
    this.#superseded = new Set(state?.superseded)
    for (const chunk of state?.orphans ?? []) this.#addOrphan(chunk)
    this.#keys = new CallKeys(state?.counts)
  }

  restore(state: CallBuilderState): CallBuilder {
    const call = CallBuilder.fromJSON(this.#context, state)
    const same = this.#callsWithId(call.toolCallId)
    same.all.push(call)
    same.open.push(call)
    this.#keys.restore(call.toolCallId, call.key, same.all.length)
    return call
  }

  push(chunk: ToolChunk): void {
    switch (chunk.type) {
      case 'tool-input-start':
        if (this.#isKnown(chunk)) return
        this.#superseded.delete(chunk.toolCallId)
        this.#open(chunk).start(chunk)
        return this.#bindOrphans(chunk.toolCallId)
      case 'tool-input-delta':
        this.#forDelta(chunk)?.delta(chunk.inputTextDelta)
        return this.#bindOrphans(chunk.toolCallId)
      case 'tool-input-available':
        if (this.#isKnown(chunk) && this.#newest(chunk.toolCallId)?.state !== 'input-streaming') return
        this.#forInput(chunk)?.available(chunk)
        return this.#bindOrphans(chunk.toolCallId)
      case 'tool-input-error':
        this.#forInput(chunk)?.inputError(chunk)
        return this.#bindOrphans(chunk.toolCallId)
      default:
        return this.#answerNewest(chunk)
    }
  }

  /** The chunk repeats what an earlier stream said about a call that exists here. */
  #isKnown({ known, toolCallId }: { known?: boolean; toolCallId: string }): boolean {
    return known === true && this.#newest(toolCallId) !== undefined
  }

  #answerNewest(chunk: CallAnswer): void {
    const call = this.#newestOpen(chunk.toolCallId) ?? this.#newest(chunk.toolCallId)
    if (call !== undefined) this.#answer(call, chunk)
    else if (!this.#isSuperseded(chunk.toolCallId)) this.#keepOrphan(chunk)
  }

  #answer(call: CallBuilder, chunk: CallAnswer): void {
    switch (chunk.type) {
      case 'tool-approval-request':
        return call.approvalRequest(chunk)
      case 'tool-approval-response':
        return call.approvalResponse(chunk)
      case 'tool-output-available':
        return call.output(chunk)
      case 'tool-output-error':
        return call.outputError(chunk)
      case 'tool-output-denied':
        return call.denied(chunk)
      default:
        chunk satisfies never
    }
  }

  #forDelta(chunk: ToolInputDelta): CallBuilder | undefined {
    const existing = this.#newestOpen(chunk.toolCallId) ?? this.#newest(chunk.toolCallId)
    if (existing !== undefined || this.#isSuperseded(chunk.toolCallId)) return existing
    this.#context.report(
      'STREAM_NO_OPENING',
      'Input text came without its `tool-input-start`; the call was opened anyway.',
    )
    const call = this.#open({ ...chunk, toolName: '' })
    this.#context.onStateChange(call)
    return call
  }

  /**
   * A complete input belongs to an open call of this step, or to one that was just approved. Otherwise it is a separate
   * call.
   */
  #forInput(chunk: ToolInputAvailable | ToolInputError): CallBuilder | undefined {
    const open = this.#newestOpen(chunk.toolCallId)
    if (open !== undefined && (open.step === this.#context.step || open.state !== 'input-available')) return open
    const newest = this.#newest(chunk.toolCallId)
    if (newest !== undefined && newest.step === this.#context.step) return newest
    if (this.#isSuperseded(chunk.toolCallId)) return undefined
    return this.#open(chunk)
  }

  #open(chunk: { toolCallId: string; toolName?: string }): CallBuilder {
    const { toolCallId } = chunk
    const same = this.#callsWithId(toolCallId)
    const key = this.#keys.take(toolCallId)
    const toolName = chunk.toolName || 'unknown'
    const call = new CallBuilder(this.#context, { key, toolCallId, toolName, step: this.#context.step })
    same.all.push(call)
    same.open.push(call)
    this.#context.onOpen(call)
    return call
  }

  #callsWithId(toolCallId: string): CallsWithId {
    let same = this.#calls.get(toolCallId)
    if (same === undefined) {
      same = { all: [], open: [] }
      this.#calls.set(toolCallId, same)
    }
    return same
  }

  #newest(toolCallId: string): CallBuilder | undefined {
    const all = this.#calls.get(toolCallId)?.all
    while (all?.at(-1)?.superseded === true) all.pop()
    return all?.at(-1)
  }

  #newestOpen(toolCallId: string): CallBuilder | undefined {
    const open = this.#calls.get(toolCallId)?.open
    for (let call = open?.at(-1); call?.settled === true || call?.superseded === true; call = open?.at(-1)) open?.pop()
    return open?.at(-1)
  }

  #isSuperseded(toolCallId: string): boolean {
    if (!this.#superseded.has(toolCallId)) return false
    this.#context.report('STREAM_LATE_CHUNK', 'A chunk for a call that a reset removed was ignored.')
    return true
  }

  #keepOrphan(chunk: CallAnswer): void {
    if (this.#orphanCount >= limits.orphans) {
      return this.#context.report(
        'STREAM_TOO_MANY_ORPHANS',
        `More than ${limits.orphans} results came for calls that don't exist.`,
      )
    }
    const copy = jsonCopy(chunk)
    if (copy !== undefined) return this.#addOrphan(copy)
    this.#context.report('STREAM_BAD_CHUNK', "A result that JSON can't represent came before its call and was ignored.")
  }

  #addOrphan(chunk: CallAnswer): void {
    this.#orphanCount++
    const list = this.#orphans.get(chunk.toolCallId)
    if (list === undefined) this.#orphans.set(chunk.toolCallId, [chunk])
    else list.push(chunk)
  }

  #bindOrphans(toolCallId: string): void {
    if (this.#orphanCount === 0) return
    const list = this.#orphans.get(toolCallId)
    const call = this.#newest(toolCallId)
    if (list === undefined || call === undefined) return
    this.#orphans.delete(toolCallId)
    this.#orphanCount -= list.length
    for (const chunk of list) this.#answer(call, chunk)
  }

  supersede(call: CallBuilder): void {
    call.superseded = true
    this.#keys.giveBack(call.toolCallId, call.key)
    if (this.#newest(call.toolCallId) === undefined) this.#superseded.add(call.toolCallId)
  }

  /** In no particular order. */
  openCalls(): CallBuilder[] {
    return [...this.#calls.values()].flatMap(same => same.open).filter(call => !call.settled && !call.superseded)
  }

  /** Call it when the stream is over: results whose call never arrived are dropped. */
  dropOrphans(): void {
    for (const [toolCallId, list] of this.#orphans) {
      const shortId = toolCallId.slice(0, limits.nameLength)
      this.#context.report(
        'STREAM_ORPHAN',
        `${list.length} results or approvals came for the call \`${shortId}\`, which doesn't exist.`,
      )
    }
    this.#orphans.clear()
    this.#orphanCount = 0
  }

  toJSON(): CallTableState {
    const counts = [...this.#keys.uses].filter(([id, uses]) => uses > (this.#calls.get(id)?.all.length ?? 0))
    return {
      orphans: [...this.#orphans.values()].flat(),
      superseded: [...this.#superseded],
      counts,
    }
  }
}
