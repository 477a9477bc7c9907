import type { ToolDefinition } from '../../message/tool-definition.ts'
import { ArgotError } from '../../source/error.ts'
import { endsInHalf } from '../../source/surrogates.ts'
import type { Chunk } from '../../stream/chunk.ts'
import { checkOptions } from '../check-options.ts'
import type { ParserOptions, SyntaxDiagnostic, SyntaxParser } from '../syntax.ts'
import { toolMap } from '../tool-list.ts'
import { CallIds } from './call-ids.ts'
import { KeptText } from './kept-text.ts'
import { LineOffsets } from './line-offsets.ts'
import { findMissed, findUnclosed } from './missed-calls.ts'
import { OpenCall } from './open-call.ts'
import { Output } from './output.ts'
import { type ProseGrammar, ProseReader } from './prose-reader.ts'
import { type HeldCalls, ReasoningTrial, type TrialCall } from './reasoning-trial.ts'
import type { State, States } from './states.ts'

export interface Grammar extends ProseGrammar {
  /** Creates one reader's states. Called once, before any text. */
  states(reader: Reader): States
  /** Shows how to write a call of this tool. Sent with errors, unless the tool is unknown or the reply was cut off. */
  repair(toolName: string, tool: ToolDefinition | undefined): string
  /** The prefix of generated ids, before their number. With the option `step`, and by default, it is `tool-<step>`. */
  idPrefix?: string
}

/** `reasoning` may end with calls. For `missed calls`, nothing hides calls, so that examples are found too. */
type ReaderPurpose = 'reply' | 'reasoning' | 'missed calls'

/**
 * Reads a model's text in pieces. It passes prose on, lets the syntax try each place where a call may begin, keeps the
 * source of undecided text, and produces chunks.
 *
 * Every character is read once. Only text that turned out not to be a call is read again, as prose: `notCall` goes back
 * to the mark.
 */
export class Reader extends ProseReader implements SyntaxParser {
  call: OpenCall | undefined
  diagnostics: readonly SyntaxDiagnostic[] = []
  readonly #grammar: Grammar
  readonly #tools: ReadonlyMap<string, ToolDefinition>
  protected readonly states: States
  #calls = 0
  readonly #ids: CallIds
  #lines: LineOffsets | undefined
  /** Where the last call ended, while the reader is after it inside a wrapper; -1 elsewhere. */
  #callEnd = -1
  /** Its error hasn't been sent yet, because the closing marks around the call belong to its source. */
  #failedCall: OpenCall | undefined
  #highSurrogate = ''
  /** Calls in the current text are only shown, so they come out as text. */
  #isExample = false
  /** The dialect that reads the text at the mark, if the grammar has several. */
  #dialect: string | undefined
  #dialectGrammar: Grammar | undefined
  /** Kept while there has been no call and tools are known, to look for missed calls. */
  #wholeText: KeptText | undefined
  #inReasoning = false
  /** Filled only by a reader of reasoning. */
  readonly opened: TrialCall[] = []
  readonly #purpose: ReaderPurpose

  constructor(grammar: Grammar, userOptions?: ParserOptions, purpose: ReaderPurpose = 'reply') {
    const options = checkOptions(userOptions)
    const bare = purpose === 'missed calls'
    super(grammar, options, bare)
    this.#purpose = purpose
    // A call without a mark begins a reply, never reasoning.
    if (purpose === 'reasoning') this.isAtReplyStart = false
    this.#grammar = grammar
    this.#tools = toolMap(options.tools)
    this.#ids = new CallIds(options, grammar.idPrefix)
    this.states = grammar.states(this)
    if (this.#tools.size > 0 && purpose === 'reply') this.#wholeText = new KeptText()
  }

  tool(name: string): ToolDefinition | undefined {
    return this.#tools.get(name)
  }

  get toolNames(): readonly string[] {
    return [...this.#tools.keys()]
  }

  /** Only whitespace, reasoning and silent tokens precede the mark. */
  get isFirst(): boolean {
    return this.isAtReplyStart
  }

  /** There is no other way to read the text at the mark. */
  get isLastTry(): boolean {
    return this.states.hasNext?.() !== true
  }

  get firstCharacter(): string {
    return this.between(this.markOffset, this.markOffset + 1)
  }

  /**
   * The text that follows is read by this dialect's grammar. Its calls name the dialect, and its errors show its form.
   */
  reads(dialect: string, grammar: Grammar | undefined): void {
    this.#dialect = dialect
    this.#dialectGrammar = grammar
  }

  /** Integers that JavaScript can't hold are rounded. */
  get rounds(): boolean {
    return this.options.integers === 'round'
  }

  get atLineStart(): boolean {
    return this.markdown.atLineStart
  }

  get stopped(): boolean {
    return this.isStopped
  }

  /** The line before the opening mark's line was a quote. */
  get afterQuote(): boolean {
    return this.markdown.afterQuote
  }

  /** Starts counting lines. Call it while creating the states, before any text. */
  lineStarts(): LineOffsets {
    this.#lines ??= new LineOffsets()
    return this.#lines
  }

  push(text: string): Chunk[] {
    if (typeof text !== 'string') throw new ArgotError('SYNTAX_BAD_TEXT', 'A parser accepts only strings.')
    if (this.length >= 0) {
      throw new ArgotError('SYNTAX_PARSER_ENDED', 'The parser has ended. Create a new one for the next message.')
    }
    if (this.#highSurrogate !== '') {
      text = this.#highSurrogate + text
      this.#highSurrogate = ''
    }
    const lastIndex = text.length - 1
    if (lastIndex < 0) return []
    if (endsInHalf(text)) {
      this.#highSurrogate = text.charAt(lastIndex)
      text = text.slice(0, lastIndex)
    }
    this.#read(text)
    return this.output.takeChunks()
  }

  end(): Chunk[] {
    if (this.length >= 0) return []
    if (this.#highSurrogate !== '') this.#read(this.#highSurrogate)
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
        const { code, message } = this.states.unclosed(this.textSinceMark())
        this.call.fail(code, message, this.length)
        this.call.cut = true
      }
      this.close()
    }
    this.output.endPart()
    this.diagnostics = this.#findMissed()
    return this.output.takeChunks()
  }

  #readHeld({ text, atLineStart }: HeldCalls): void {
    this.decision = 'calls inside reasoning'
    this.#inReasoning = true
    this.isAtReplyStart = false
    this.output.endPart()
    this.markdown.resume(atLineStart)
    this.state = this.prose
    this.base = this.length - text.length
    this.length = -1
    this.#readPiece(text)
    this.#endText()
  }

  /** The end of the text ends its last line. This added line break is read like any other and is part of nothing. */
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

  /** Looks in a reply without calls, and in HTML that was never closed. */
  #findMissed(): SyntaxDiagnostic[] {
    const whole = this.#wholeText?.toString() ?? ''
    const html = this.unclosedHtml
    this.#wholeText = undefined
    const isNamed = whole !== '' && this.toolNames.some(name => whole.includes(name))
    const missed = isNamed ? findMissed(whole, this.#readBare(whole), this.#tools) : []
    if (html === undefined) return missed
    // It is read like a reply, from its first text on, because some calls only begin a line or a reply.
    const text = html.text.replace(/^(?:-|<code[^<>]{0,256}>)+/i, '')
    const start = html.offset + html.text.length - text.length
    const unclosed = findUnclosed(text, this.#readBare(text), start)
    return unclosed.length === 0 ? missed : [...missed.filter(({ offset }) => offset < html.offset), ...unclosed]
  }

  /** A reader of the same syntax and tools in which nothing hides calls. It also finds examples. */
  bare(): Reader {
    return new Reader(this.#grammar, { tools: [...this.#tools.values()] }, 'missed calls')
  }

  #readBare(text: string): Chunk[] {
    const bare = this.bare()
    return [...bare.push(text), ...bare.end()]
  }

  /** The text at the mark isn't a call, and none begins before `noCallBefore`. It is read again as prose. */
  notCall(noCallBefore = 0): State {
    this.decision = 'not a call'
    if (noCallBefore > this.noCallBefore) this.noCallBefore = noCallBefore
    const isAfterCall = this.#callEnd >= 0
    const otherWay = isAfterCall ? undefined : this.states.next?.()
    if (otherWay !== undefined) {
      this.decision = 'tries another way'
      this.goBackTo(this.markOffset + otherWay.read)
      return otherWay.begin()
    }
    if (isAfterCall) {
      if (this.#isExample) this.#outputExample(this.#callEnd)
      this.#sendError(this.#callEnd)
    } else if (this.silentLength > 0) return this.skipSilent()
    else if (this.htmlTag !== undefined) return this.beginHtml(this.htmlTag)
    else if (this.codeTagEnd > 0) return this.beginCodeTag()
    else this.markdown.pass()
    this.stepBack()
    this.unmark()
    this.#isExample = false
    return isAfterCall && this.isFull ? this.limited : this.prose
  }

  hasId(id: string): boolean {
    return this.#ids.has(id)
  }

  /**
   * A call of `name` begins at the mark. `modelId` is the id the model gave it, if any. Returns undefined and sets
   * `call`, or returns the state to continue with if no call may begin.
   */
  open(name: string, modelId?: string): State | undefined {
    if (this.markdown.pending) {
      this.decision = 'may be in a code span'
      this.stepBack()
      return this.settling
    }
    if (this.#callEnd < 0) this.#isExample = this.markdown.isExample
    if (this.#isExample) return this.#openExample(name)
    if (this.isFull) return this.notCall()
    const isWithin = this.#callEnd >= 0
    if (isWithin) this.#sendError(this.#callEnd)
    if (this.options.limit === 'one-writer' && this.#calls > 0 && !this.#isReadOnly(name)) {
      this.stepBack()
      return this.stop()
    }
    this.#calls++
    this.isAtReplyStart = false
    this.inText = false
    this.#wholeText = undefined
    const id = this.#ids.take(name, modelId)
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

  /** An example is read like any other call, so that nothing in it can run, and comes out as text. */
  #openExample(name: string): undefined {
    this.call = new OpenCall(new Output(0), '', name, this.markOffset, this.#tools.get(name))
    this.decision = `a call to ${name} that is only shown`
    return undefined
  }

  #outputExample(end: number): void {
    this.isAtReplyStart = false
    this.inText = true
    const sourceEnd = this.length < 0 ? end : Math.min(end, this.length)
    this.output.text(this.between(this.markOffset, sourceEnd))
    this.moveMark(end)
    this.#failedCall = undefined
  }

  /** The open call ends before the next character, which begins a line or continues one. */
  close(atLineStart = false): State {
    if (this.call === undefined) return this.prose
    this.#finishCall(this.call)
    return this.leave(atLineStart)
  }

  /**
   * The open call ends before the next character, or `back` characters earlier, and the reader is still inside the
   * wrapper. `next` continues there and leads to `open`, `leave` or `notCall`.
   */
  closeWithin(next: State, back = 0): State {
    if (this.call === undefined) return this.prose
    this.#finishCall(this.call)
    this.#callEnd = this.offset - back
    if (this.#isExample) return next
    if (this.#failedCall === undefined) this.moveMark(this.#callEnd)
    this.markdown.resume(false)
    return next
  }

  /** The wrapper ends before the next character. All text since the mark belongs to its last call. */
  leave(atLineStart = false): State {
    if (this.#isExample) return this.#leaveExample()
    this.#sendError(this.offset)
    this.unmark()
    this.markdown.resume(atLineStart)
    return this.isFull ? this.limited : this.prose
  }

  #leaveExample(): State {
    this.#outputExample(this.offset)
    this.#callEnd = -1
    this.unmark()
    this.#isExample = false
    this.markdown.resumeAfterExample()
    return this.prose
  }

  /** The open call ended at `offset`. The text after it is read again, as prose. */
  closeAt(offset: number): State {
    this.goBackTo(offset)
    return this.close()
  }

  /** The text has ended within an opener: what was read is text, or a call that was cut off. */
  #cutOff(): State {
    const name = this.states.cutOff?.()
    return (name === undefined ? this.notCall() : this.open(name)) ?? this.state
  }

  /** Sends the call's input. If that isn't possible, its error waits for the end of its source. */
  #finishCall(call: OpenCall): void {
    const problem = call.settle()
    this.decision = problem === undefined ? `call to ${call.name} is complete` : problem.code
    if (problem !== undefined) this.#failedCall = call
    this.call = undefined
    if (this.#isExample) return
    const { limit = 'none' } = this.options
    this.isFull = limit === 'one' || (limit === 'one-writer' && !this.#isReadOnly(call.name))
  }

  /** Sends the failed call's error, with its source up to `end`. */
  #sendError(end: number): void {
    const call = this.#failedCall
    this.#callEnd = -1
    if (call === undefined) return
    this.#failedCall = undefined
    const sourceEnd = this.length < 0 ? end : Math.min(end, this.length)
    call.explain(this.between(call.offset, sourceEnd), this.#getCure(call))
    this.moveMark(end)
  }

  #getCure(call: OpenCall): string {
    if (this.#tools.size > 0 && call.tool === undefined && call.name !== 'unknown') {
      const names = this.toolNames.slice(0, 40).map(name => `\`${name}\``)
      return `There is no tool \`${call.name}\`. The tools are ${names.join(', ')}.`
    }
    if (call.cut) return 'The reply was cut off here. Make the call again, and shorter if it was long.'
    const { repair } = this.#dialectGrammar ?? this.#grammar
    try {
      return repair(call.name, call.tool)
    } catch {
      // This syntax can't write the tool's name or parameters, so the general form is shown.
      return repair('unknown', undefined)
    }
  }

  #isReadOnly(name: string): boolean {
    const { readOnly } = this.options
    return readOnly === undefined ? this.#tools.get(name)?.effect === 'read' : readOnly(name)
  }

  #read(text: string): void {
    this.#lines?.add(text)
    this.#wholeText?.append(text)
    this.#readPiece(text)
  }

  #readPiece(text: string): void {
    this.text = text
    this.at = 0
    this.runStates()
    this.endPiece()
  }
}
