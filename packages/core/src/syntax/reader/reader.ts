import type { ToolDefinition } from '../../message/tool-definition.ts'
import { ArgotError } from '../../source/error.ts'
import { endsInHalf } from '../../source/surrogates.ts'
import type { Chunk } from '../../stream/chunk.ts'
import { checkOptions } from '../check-options.ts'
import type { ParserOptions, SyntaxDiagnostic, SyntaxParser } from '../syntax.ts'
import { toolMap } from '../tool-list.ts'
import { CallIds } from './call-ids.ts'
import { KeptText } from './kept-text.ts'
import { LineStarts } from './line-starts.ts'
import { findMissed, findUnclosed } from './missed-calls.ts'
import { OpenCall } from './open-call.ts'
import { Output } from './output.ts'
import { type ProseGrammar, ProseReader } from './prose-reader.ts'
import { type HeldCalls, ReasoningTrial, type TrialCall } from './reasoning-trial.ts'
import type { State, States } from './states.ts'

/** What makes a reader read one syntax. */
export interface Grammar extends ProseGrammar {
  /** The states of one reader. Called once, before any text. */
  states(reader: Reader): States
  /** How a call of this tool is written right; told to the model with every error. */
  repair(toolName: string, tool: ToolDefinition | undefined): string
  /** What calls without an id are called, before their number; `tool-<step>` where nothing is said. */
  idPrefix?: string
}

/**
 * What a reader is for: a reply; reasoning that may end with calls; or a text in which nothing hides calls, to find those
 * that are only shown.
 */
type ReaderPurpose = 'reply' | 'reasoning' | 'missed calls'

/**
 * Reads a model's text in pieces: passes prose on, offers each place where a call may begin to the syntax, keeps the
 * source of what is not decided yet, and gives out chunks.
 *
 * Every character is read once. Only what turned out not to be a call is read again, as prose: `notCall` goes back to
 * the place that was marked.
 */
export class Reader extends ProseReader implements SyntaxParser {
  /** The call that is open, once `open` let it. */
  call: OpenCall | undefined
  /** Once the text has ended: what looked like a call and was none. */
  diagnostics: readonly SyntaxDiagnostic[] = []
  readonly #grammar: Grammar
  readonly #tools: ReadonlyMap<string, ToolDefinition>
  protected readonly states: States
  #calls = 0
  readonly #ids: CallIds
  /** Where the lines begin, for a syntax that asked for it. */
  #lines: LineStarts | undefined
  /** Where the last call ended, while the reader is after it in what surrounds several calls; -1 elsewhere. */
  #callEnd = -1
  /** The last call, if it failed and its error has not been sent: what closes around it belongs to its source. */
  #failed: OpenCall | undefined
  /** The first half of a character that a piece ended in. */
  #half = ''
  /** What has been read is only shown: calls come out as text. */
  #shown = false
  /** The dialect that reads what is at the mark, where the grammar has several. */
  #dialect: string | undefined
  #dialectGrammar: Grammar | undefined
  /** The whole text, as long as there was no call and tools are known: to look for calls that were missed. */
  #whole: KeptText | undefined
  /** The calls that are read now were written inside reasoning. */
  #inReasoning = false
  /** Of a reader that reads reasoning: the calls that began. */
  readonly opened: TrialCall[] = []
  readonly #purpose: ReaderPurpose

  constructor(grammar: Grammar, given?: ParserOptions, purpose: ReaderPurpose = 'reply') {
    const options = checkOptions(given)
    const bare = purpose === 'missed calls'
    super(grammar, options, bare)
    this.#purpose = purpose
    // A call without a mark begins a reply, never reasoning.
    if (purpose === 'reasoning') this.fresh = false
    this.#grammar = grammar
    this.#tools = toolMap(options.tools)
    this.#ids = new CallIds(options, grammar.idPrefix)
    this.states = grammar.states(this)
    if (this.#tools.size > 0 && purpose === 'reply') this.#whole = new KeptText()
  }

  /** The tool of that name, where it is known. */
  tool(name: string): ToolDefinition | undefined {
    return this.#tools.get(name)
  }

  /** The names of the tools that are known. */
  get toolNames(): readonly string[] {
    return [...this.#tools.keys()]
  }

  /** Nothing has come before the mark but blanks, reasoning and silent tokens. */
  get isFirst(): boolean {
    return this.fresh
  }

  /** There is no other way to read what is at the mark. */
  get isLastTry(): boolean {
    return this.states.hasNext?.() !== true
  }

  /** The character at the mark. */
  get firstCharacter(): string {
    return this.between(this.markOffset, this.markOffset + 1)
  }

  /** What follows is read by the grammar of this dialect: its calls say so, and its errors show its form. */
  reads(dialect: string, grammar: Grammar | undefined): void {
    this.#dialect = dialect
    this.#dialectGrammar = grammar
  }

  /** Integers that JavaScript cannot hold are rounded. */
  get rounds(): boolean {
    return this.options.integers === 'round'
  }

  /** The mark is at the start of a line. */
  get atLineStart(): boolean {
    return this.markdown.atLineStart
  }

  get stopped(): boolean {
    return this.isStopped
  }

  /** The line before the one of the opening mark was a quote. */
  get afterQuote(): boolean {
    return this.markdown.afterQuote
  }

  /** Has the lines of the text counted from here on. To be called with the states, before any text. */
  lineStarts(): LineStarts {
    this.#lines ??= new LineStarts()
    return this.#lines
  }

  push(text: string): Chunk[] {
    if (typeof text !== 'string') throw new ArgotError('SYNTAX_BAD_TEXT', 'A parser reads strings only.')
    if (this.length >= 0) {
      throw new ArgotError('SYNTAX_PARSER_ENDED', 'The parser has ended; make a new one for the next message.')
    }
    if (this.#half !== '') {
      text = this.#half + text
      this.#half = ''
    }
    const last = text.length - 1
    if (last < 0) return []
    if (endsInHalf(text)) {
      this.#half = text.charAt(last)
      text = text.slice(0, last)
    }
    this.#read(text)
    return this.output.take()
  }

  end(): Chunk[] {
    if (this.length >= 0) return []
    if (this.#half !== '') this.#read(this.#half)
    this.#endText()
    const calls = this.endReasoning()
    if (calls !== undefined) this.#readHeld(calls)
    while (this.mark >= 0) {
      const next = this.states.end?.() ?? (this.call === undefined ? this.#cutOff() : undefined)
      if (next === undefined) break
      this.state = next
      this.runStates()
    }
    if (this.call !== undefined) {
      if (!this.call.broken) {
        const { code, message } = this.states.unclosed(this.marked())
        this.call.fail(code, message, this.length)
        this.call.cut = true
      }
      this.close()
    }
    this.output.endPart()
    this.diagnostics = this.#findMissed()
    return this.output.take()
  }

  /** The calls that open reasoning ends with are read as what they are. */
  #readHeld({ text, atLineStart }: HeldCalls): void {
    this.decision = 'calls inside reasoning'
    this.#inReasoning = true
    this.fresh = false
    this.output.endPart()
    this.markdown.resume(atLineStart)
    this.state = this.prose
    this.base = this.length - text.length
    this.length = -1
    this.#readPiece(text)
    this.#endText()
  }

  /** A text that ends ends its last line. This line break is read like any other and is part of nothing. */
  #endText(): void {
    this.length = this.base
    this.text = '\n'
    this.at = 0
    this.runStates()
  }

  protected override createTrial(): ReasoningTrial | undefined {
    const { repair, integers, reasoningCalls } = this.options
    if (this.#purpose !== 'reply' || this.#tools.size === 0 || reasoningCalls === 'text') return undefined
    const options = { tools: [...this.#tools.values()], repair, integers, unknownTools: 'error' } as const
    return new ReasoningTrial(new Reader(this.#grammar, options, 'reasoning'))
  }

  /** What looked like a call and was none: in a reply without calls, and in HTML that was never closed. */
  #findMissed(): SyntaxDiagnostic[] {
    const whole = this.#whole?.toString() ?? ''
    const html = this.unclosedHtml
    this.#whole = undefined
    const isNamed = whole !== '' && this.toolNames.some(name => whole.includes(name))
    const missed = isNamed ? findMissed(whole, this.#readBare(whole), this.#tools) : []
    if (html === undefined) return missed
    // It is read like a reply, from its first text on: some calls only begin a line, or a reply.
    const text = html.text.replace(/^(?:-|<code[^<>]{0,256}>)+/i, '')
    const start = html.offset + html.text.length - text.length
    const unclosed = findUnclosed(text, this.#readBare(text), start)
    return unclosed.length === 0 ? missed : [...missed.filter(({ offset }) => offset < html.offset), ...unclosed]
  }

  /** A reader of the same syntax and tools in which nothing hides calls: it finds those that are only shown. */
  bare(): Reader {
    return new Reader(this.#grammar, { tools: [...this.#tools.values()] }, 'missed calls')
  }

  #readBare(text: string): Chunk[] {
    const bare = this.bare()
    return [...bare.push(text), ...bare.end()]
  }

  /** What is at the mark is not a call, and none begins before `dead`: it is read again as prose. */
  notCall(dead = 0): State {
    this.decision = 'not a call'
    if (dead > this.dead) this.dead = dead
    const isAfterCall = this.#callEnd >= 0
    const other = isAfterCall ? undefined : this.states.next?.()
    if (other !== undefined) {
      this.decision = 'tries another way'
      this.goBackTo(this.markOffset + other.read)
      return other.begin()
    }
    if (isAfterCall) {
      if (this.#shown) this.#giveShown(this.#callEnd)
      this.#explain(this.#callEnd)
    } else if (this.silent > 0) return this.skipSilent()
    else if (this.htmlTag !== undefined) return this.beginHtml(this.htmlTag)
    else if (this.codeTagEnd > 0) return this.beginCodeTag()
    else this.markdown.pass()
    this.stepBack()
    this.unmark()
    this.#shown = false
    return isAfterCall && this.full ? this.limited : this.prose
  }

  /** A call of this message has that id. */
  hasId(id: string): boolean {
    return this.#ids.has(id)
  }

  /**
   * A call of `name` begins at the mark; `written` is the id that the model gave it, if it did. Gives undefined and sets
   * `call`, or the state to go to where no call may begin.
   */
  open(name: string, written?: string): State | undefined {
    if (this.markdown.pending) {
      this.decision = 'may be in a code span'
      this.stepBack()
      return this.settling
    }
    if (this.#callEnd < 0) this.#shown = this.markdown.shown
    if (this.#shown) return this.#openShown(name)
    if (this.full) return this.notCall()
    const isWithin = this.#callEnd >= 0
    if (isWithin) this.#explain(this.#callEnd)
    if (this.options.limit === 'one-writer' && this.#calls > 0 && !this.#isReadOnly(name)) {
      this.stepBack()
      return this.stop()
    }
    this.#calls++
    this.fresh = false
    this.inText = false
    this.#whole = undefined
    const id = this.#ids.take(name, written)
    this.call = new OpenCall(this.output, id, name, this.markOffset, this.#tools.get(name), this.options)
    this.call.dialect = this.#dialect
    this.call.inReasoning = this.#inReasoning
    if (this.#purpose === 'reasoning') this.#noteOpened(isWithin)
    if (this.options.unknownTools === 'error' && this.call.tool === undefined) {
      this.call.report('SYNTAX_UNKNOWN_TOOL', 'The call names an unknown tool.', this.markOffset)
    }
    this.decision = `call of ${name}`
    return undefined
  }

  #noteOpened(isWithin: boolean): void {
    this.opened.push({ offset: this.markOffset, atLineStart: this.markdown.atLineStart, isWithin })
  }

  /** A call that is only shown is read like any other, so that nothing in it can run, and comes out as text. */
  #openShown(name: string): undefined {
    this.call = new OpenCall(new Output(0), '', name, this.markOffset, this.#tools.get(name))
    this.decision = `a call of ${name} that is only shown`
    return undefined
  }

  /** The text of what is only shown is sent, from the mark to `end`. */
  #giveShown(end: number): void {
    this.fresh = false
    this.inText = true
    const last = this.length < 0 ? end : Math.min(end, this.length)
    this.output.text(this.between(this.markOffset, last))
    this.moveMark(end)
    this.#failed = undefined
  }

  /** The open call ends before the next character, which begins a line or continues in one. */
  close(atLineStart = false): State {
    if (this.call === undefined) return this.prose
    this.#settle(this.call)
    return this.leave(atLineStart)
  }

  /**
   * The open call ends before the next character, or `back` characters earlier, and the reader is still in what surrounds
   * several calls: `next` continues there and leads to `open`, `leave` or `notCall`.
   */
  closeWithin(next: State, back = 0): State {
    if (this.call === undefined) return this.prose
    this.#settle(this.call)
    this.#callEnd = this.offset - back
    if (this.#shown) return next
    if (this.#failed === undefined) this.moveMark(this.#callEnd)
    this.markdown.resume(false)
    return next
  }

  /** What surrounds the calls ends before the next character; all since the mark belongs to the last of them. */
  leave(atLineStart = false): State {
    if (this.#shown) return this.#leaveShown()
    this.#explain(this.offset)
    this.unmark()
    this.markdown.resume(atLineStart)
    return this.full ? this.limited : this.prose
  }

  #leaveShown(): State {
    this.#giveShown(this.offset)
    this.#callEnd = -1
    this.unmark()
    this.#shown = false
    this.markdown.resumeShown()
    return this.prose
  }

  /** The open call ended at `offset`. What was read after it is read again, as prose. */
  closeAt(offset: number): State {
    this.goBackTo(offset)
    return this.close()
  }

  /** The text has ended within an opener: what was read is text, or a call that was cut off. */
  #cutOff(): State {
    const name = this.states.cutOff?.()
    return (name === undefined ? this.notCall() : this.open(name)) ?? this.state
  }

  /** The call gives its input out; where it cannot, its error waits for the end of its source. */
  #settle(call: OpenCall): void {
    const problem = call.settle()
    this.decision = problem === undefined ? `call of ${call.name} is complete` : problem.code
    if (problem !== undefined) this.#failed = call
    this.call = undefined
    if (this.#shown) return
    const { limit = 'none' } = this.options
    this.full = limit === 'one' || (limit === 'one-writer' && !this.#isReadOnly(call.name))
  }

  /** The error of the call that failed is sent, with its source up to `end`. */
  #explain(end: number): void {
    const call = this.#failed
    this.#callEnd = -1
    if (call === undefined) return
    this.#failed = undefined
    const last = this.length < 0 ? end : Math.min(end, this.length)
    call.explain(this.between(call.offset, last), this.#cure(call))
    this.moveMark(end)
  }

  /** What the model is to do about a call that failed. */
  #cure(call: OpenCall): string {
    if (this.#tools.size > 0 && call.tool === undefined && call.name !== 'unknown') {
      const names = this.toolNames.slice(0, 40).map(name => `\`${name}\``)
      return `There is no tool \`${call.name}\`. The tools are ${names.join(', ')}.`
    }
    if (call.cut) return 'The reply was cut off here. Make the call again, and shorter if it was long.'
    const { repair } = this.#dialectGrammar ?? this.#grammar
    try {
      return repair(call.name, call.tool)
    } catch {
      // A tool whose name or parameters this syntax cannot write: its form is shown all the same.
      return repair('unknown', undefined)
    }
  }

  #isReadOnly(name: string): boolean {
    const { readOnly } = this.options
    return readOnly === undefined ? this.#tools.get(name)?.effect === 'read' : readOnly(name)
  }

  #read(text: string): void {
    this.#lines?.add(text)
    this.#whole?.append(text)
    this.#readPiece(text)
  }

  #readPiece(text: string): void {
    this.text = text
    this.at = 0
    this.runStates()
    this.keepPiece()
  }
}
