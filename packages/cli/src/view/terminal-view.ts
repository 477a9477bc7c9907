import { once } from 'node:events'
import type { Chunk, Diagnostic, Message } from '@argot/core'
import { argotMetadata, isSettled } from '@argot/core/stream'
import { correctionType, type DataPart, isCorrection, isSummary, summaryType } from '@argot/core/stream/internal'
import { wrapFor } from '../io/io.ts'
import { createPaint, type Paint } from '../io/paint.ts'
import { formatExcerpts, getExcerptWidth } from '../io/report.ts'
import { safeText } from '../io/safe-text.ts'
import { wrapWords } from '../io/wrap-rows.ts'
import { callRows, spinnerAt } from './call-line.ts'
import { Calls, type ShownCall } from './calls.ts'
import { describeSummary } from './describe-summary.ts'
import { ReasoningLine } from './reasoning-line.ts'
import { oneLine } from './safe-pieces.ts'
import { type LineStyle, Screen, type Terminal } from './screen.ts'
import { TextBlock } from './text-block.ts'
import { joinText, toUserMessage, type View } from './view.ts'
import { WaitingLine } from './waiting-line.ts'

export interface TerminalViewOptions {
  out: Terminal
  errors: Terminal
  colours: boolean
  canMove?: boolean
  /** The screen, if others draw on it, too. */
  screen?: Screen
  now?: () => number
  /** The model in use, once it is known. Without it no waiting line is shown. */
  model?: (() => string | undefined) | undefined
  every?: (milliseconds: number, action: () => void) => () => void
}

const FRAME_MS = 80

/**
 * A run on a terminal. Text appears as it arrives and scrolls away. Below it each open call has one line that is
 * updated in place. The cost per chunk is constant, however long the run is.
 */
export class TerminalView implements View {
  readonly #options: TerminalViewOptions
  readonly #screen: Screen
  readonly #paint: Paint
  readonly #now: () => number
  readonly #calls: Calls
  /** Finished calls that wait for earlier ones, so that calls appear in the order of their creation. */
  readonly #finished: ShownCall[] = []
  /** The text being written. Hidden text has no block. */
  #text: { id: string; block?: TextBlock } | undefined
  #reasoning: ReasoningLine | undefined
  readonly #waitingLine: WaitingLine
  /** The last item on the screen, to decide where an empty line helps. */
  #lastItem: 'nothing' | 'text' | 'quote' | 'other' = 'nothing'
  #isWaitingShown = false
  #frame = 0
  #stopFrames: (() => void) | undefined
  #lending: Promise<unknown> | undefined
  /** Chunks that came while the terminal was lent, with their times. */
  #heldChunks: { chunk: Chunk; at: number }[] = []
  #heldAt: number | undefined

  constructor(options: TerminalViewOptions) {
    this.#options = options
    this.#screen = options.screen ?? new Screen(options.out, options.canMove ?? true)
    this.#paint = createPaint(options.colours)
    this.#now = options.now ?? Date.now
    this.#calls = new Calls(() => this.#heldAt ?? this.#now())
    this.#waitingLine = new WaitingLine(options.model ?? (() => undefined))
  }

  push(chunk: Chunk): Promise<void> | undefined {
    if (this.#lending !== undefined) {
      this.#heldChunks.push({ chunk, at: this.#now() })
      return undefined
    }
    this.#show(chunk)
    const { out } = this.#options
    return out.writableNeedDrain && !out.destroyed ? once(out, 'drain').then(() => {}) : undefined
  }

  quote(message: Message): void {
    const { role } = message
    this.#endText()
    this.#separate()
    this.#screen.append(
      safeText(joinText(message))
        .trim()
        .split('\n')
        .map(line => this.#formatQuote(role === 'user' ? '>' : `${role}>`, line))
        .join(''),
    )
    this.#lastItem = 'quote'
  }

  #formatQuote(mark: string, line: string): string {
    const rows = wrapWords(line, this.#screen.columns - mark.length - 2).map(row => this.#paint(row, 'bold'))
    return `${this.#paint(mark, 'cyan')} ${rows.join(`\n${' '.repeat(mark.length + 1)}`)}\n`
  }

  notice(text: string): void {
    if (this.#lending !== undefined) {
      void this.#lending.then(() => this.notice(text))
      return
    }
    const { errors, colours } = this.#options
    const wrappedText = wrapFor(errors, safeText(text))
    const line = `${createPaint(colours && errors.isTTY === true)(wrappedText, 'yellow')}\n`
    if (errors.isTTY !== true) {
      errors.write(line)
      return
    }
    this.#text?.block?.interrupt()
    this.#screen.aside(() => errors.write(line))
    this.#lastItem = 'other'
  }

  /** Prints rows that aren't part of the conversation, unchanged, below an empty line. */
  print(rows: readonly string[]): void {
    if (this.#lending !== undefined) {
      void this.#lending.then(() => this.print(rows))
      return
    }
    this.#text?.block?.interrupt()
    this.#separate()
    this.#screen.append(`${rows.join('\n')}\n`)
    this.#lastItem = 'other'
  }

  warn(warnings: readonly Diagnostic[], sources: ReadonlyMap<string | undefined, string>): void {
    this.notice(`${formatExcerpts(warnings, sources, getExcerptWidth(this.#options.errors)).join('\n\n')}\n`)
  }

  async lend<T>(question: () => Promise<T>): Promise<T> {
    while (this.#lending !== undefined) await this.#lending
    this.#text?.block?.interrupt()
    this.#screen.hide()
    this.#pauseFrames()
    const answer = question()
    this.#lending = answer.catch(() => {})
    try {
      return await answer
    } finally {
      this.#lending = undefined
      this.#lastItem = 'other'
      this.#showWaiting()
      this.#drawLive()
    }
  }

  async end(): Promise<void> {
    while (this.#lending !== undefined) await this.#lending
    this.#endText()
    this.#endReasoning()
    this.#finished.push(...this.#calls.open)
    this.#commitAll()
    this.#isWaitingShown = false
    this.#screen.showLive([])
    this.#screen.endLine()
    this.#pauseFrames()
  }

  #showWaiting(): void {
    for (const { chunk, at } of this.#heldChunks.splice(0)) {
      this.#heldAt = at
      this.#show(chunk)
    }
    this.#heldAt = undefined
  }

  #show(chunk: Chunk): void {
    const changedCalls = this.#calls.push(chunk)
    this.#waitingLine.push(chunk, this.#now())
    if (this.#isWaitingShown) this.#drawLive()
    switch (chunk.type) {
      case 'text-start':
        return this.#startText(chunk.id, argotMetadata(chunk)?.phase)
      case 'text-delta':
        if (this.#text?.id !== chunk.id) this.#startText(chunk.id)
        this.#text?.block?.push(chunk.delta)
        return
      case 'text-end':
        if (this.#text?.id === chunk.id) this.#endText(argotMetadata(chunk)?.phase)
        return
      case 'reasoning-start':
        this.#endText()
        this.#endReasoning()
        this.#reasoning = new ReasoningLine()
        return
      case 'reasoning-delta':
        this.#reasoning ??= new ReasoningLine()
        this.#reasoning.push(chunk.delta)
        this.#keepFrames()
        return
      case 'reasoning-end':
        return this.#endReasoning()
      case correctionType:
        return this.#correct(chunk)
      case summaryType:
        return this.#summarise(chunk)
      case 'source-url':
        return this.#remark(`${chunk.title ?? ''} ${chunk.url}`)
      case 'source-document':
        return this.#remark(chunk.filename ?? chunk.title)
      case 'file':
        return this.#remark(`${chunk.filename ?? 'a file'} (${chunk.mediaType})`)
      case 'user-message':
        this.#endReasoning()
        return this.quote(toUserMessage(chunk))
      case 'start-step':
        if (this.#options.model !== undefined) this.#keepFrames()
        break
      case 'reset-step':
        this.#endText()
        this.#reasoning = undefined
        this.#remark('The model call failed. Retrying.')
        return
      case 'tool-input-start':
        this.#endReasoning()
        break
      default:
    }
    if (changedCalls.length > 0) this.#showCalls(changedCalls)
    else if (chunk.type === 'data-argot-sub') this.#drawLive()
  }

  /** Text next to running calls is part of the work: it is commentary from its first letter. */
  #startText(id: string, phase?: string): void {
    this.#endText()
    this.#endReasoning()
    const style = phase === 'commentary' || this.#calls.count > 0 ? this.#dim : undefined
    const paint = this.#options.colours ? this.#paint : undefined
    this.#text =
      phase === 'remainder'
        ? { id }
        : { id, block: new TextBlock(this.#screen, { begin: () => this.#separate(), style, paint }) }
  }

  #endText(phase?: string): void {
    if (this.#text === undefined) return
    const { block } = this.#text
    this.#text = undefined
    block?.end(phase === 'commentary' && this.#options.colours ? this.#dim : undefined)
    if (this.#finished.length > 0) this.#commitInOrder()
    if (this.#screen.isLive) this.#drawLive()
  }

  #endReasoning(): void {
    const line = this.#reasoning?.summary(this.#screen.columns)
    this.#reasoning = undefined
    if (line === undefined) return
    this.#screen.append(`${this.#paint(line, 'dim', 'italic')}\n`)
    this.#lastItem = 'other'
    this.#drawLive()
  }

  #remark(text: string): void {
    this.#endText()
    const rows = wrapWords(oneLine(text), this.#screen.columns - 3).map(row => this.#paint(`  ${row}`, 'dim'))
    this.#screen.append(`${rows.join('\n')}\n`)
    this.#lastItem = 'other'
    this.#drawLive()
  }

  /** Argot's words to the model, neither the user's nor the model's. */
  #correct(part: DataPart): void {
    if (isCorrection(part)) this.#remark(`Argot to the model: ${part.data.text}`)
  }

  /** Without its text, which is in the document. */
  #summarise(part: DataPart): void {
    if (isSummary(part)) this.#remark(describeSummary(part.data.replaces))
  }

  #showCalls(changed: readonly ShownCall[]): void {
    this.#text?.block?.settle()
    this.#finished.push(...changed.filter(({ call }) => isSettled(call)))
    this.#commitInOrder()
    this.#drawLive()
  }

  /**
   * Finished calls leave the live lines once all earlier calls have. They wait for the end of the current text, unless
   * there is no room for them.
   */
  #commitInOrder(): void {
    const rows = this.#finished.reduce((sum, call) => sum + this.#toRows(call).length, 0)
    if (this.#calls.count + rows > this.#screen.room) {
      this.#text?.block?.interrupt()
      this.#commitAll()
    } else if (this.#text === undefined) {
      this.#commitAll(this.#calls.open[0]?.order)
    }
  }

  #commitAll(before = Number.POSITIVE_INFINITY): void {
    this.#finished.sort((a, b) => a.order - b.order)
    while (this.#finished.length > 0 && this.#finished[0]!.order < before) {
      const rows = this.#toRows(this.#finished.shift()!)
      this.#screen.endLine()
      if (this.#lastItem === 'quote') this.#screen.append('\n')
      this.#screen.append(`${rows.join('\n')}\n`)
      this.#lastItem = 'other'
    }
  }

  #toRows(call: ShownCall, frame?: number): string[] {
    return callRows(call, { columns: this.#screen.columns, paint: this.#paint, now: this.#now(), frame })
  }

  #drawLive(): void {
    const calls = [...this.#finished, ...this.#calls.open].sort((a, b) => a.order - b.order)
    const lines = calls.flatMap(call => this.#toRows(call, this.#frame))
    const thought = this.#reasoning?.live(this.#screen.columns)
    if (thought !== undefined) lines.push(this.#paint(thought, 'dim', 'italic'))
    const waiting = this.#waitingFor()
    if (waiting !== undefined)
      lines.push(`${this.#paint(spinnerAt(this.#frame), 'yellow')} ${this.#paint(waiting, 'dim')}`)
    this.#isWaitingShown = waiting !== undefined
    const { room } = this.#screen
    if (lines.length > room && room > 0)
      lines.splice(room - 1, lines.length, this.#paint(`  and ${lines.length - room + 1} more`, 'dim'))
    this.#screen.showLive(lines)
    if (lines.length > 0 || this.#isModelWorking) this.#keepFrames()
    else this.#pauseFrames()
  }

  /** Open calls have their own lines. */
  #waitingFor(): string | undefined {
    if (this.#calls.count > 0) return undefined
    const waiting = this.#waitingLine.live(this.#screen.columns, this.#now())
    if (waiting !== undefined) this.#text?.block?.settle()
    return waiting
  }

  get #isModelWorking(): boolean {
    return this.#options.model !== undefined && this.#waitingLine.isOn
  }

  #separate(): void {
    this.#screen.endLine()
    if (this.#lastItem !== 'nothing') this.#screen.append('\n')
    this.#lastItem = 'text'
  }

  #keepFrames(): void {
    if (!this.#screen.canMove) return
    this.#stopFrames ??= (this.#options.every ?? every)(FRAME_MS, () => {
      this.#frame++
      this.#drawLive()
    })
  }

  #pauseFrames(): void {
    this.#stopFrames?.()
    this.#stopFrames = undefined
  }

  readonly #dim: LineStyle = line => this.#paint(line, 'dim')
}

function every(milliseconds: number, action: () => void): () => void {
  const timer = setInterval(action, milliseconds)
  timer.unref()
  return () => clearInterval(timer)
}
