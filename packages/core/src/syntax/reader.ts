import type { ToolDefinition } from '../message/tool-definition.ts'
import { ArgotError, type ErrorCode } from '../source/error.ts'
import type { Chunk } from '../stream/chunk.ts'
import { CallIds } from './call-ids.ts'
import { Cursor } from './cursor.ts'
import { KeptText } from './kept-text.ts'
import { LineStarts } from './line-starts.ts'
import { Markdown, type Opening } from './markdown.ts'
import { findMissed } from './missed-calls.ts'
import { OpenCall } from './open-call.ts'
import { Output } from './output.ts'
import { ReaderTags, type Tag } from './reader-tags.ts'
import type { ReasoningMark } from './reasoning.ts'
import type { ParserOptions, SyntaxDiagnostic, SyntaxParser } from './syntax.ts'
import { toolMap } from './tool-list.ts'

/**
 * One state of a reader: reads `reader.text` from `reader.at` on and gives the state that goes on. It is called only
 * while there is text, reads at least one character or changes the state, and when the text is used up gives the state
 * in which the next piece is to be read; what it must remember between pieces it keeps beside itself.
 */
export type State = () => State

/** What makes a reader read one syntax. */
export interface Grammar {
  opening: Opening
  /** The states of one reader. Called once, before any text. */
  states(reader: Reader): States
  /** How a call of this tool is written right; told to the model with every error. */
  repair(toolName: string, tool: ToolDefinition | undefined): string
  /** What calls without an id are called, before their number; `tool-<request>` where nothing is said. */
  idPrefix?: string
  /** Marks of reasoning that count anywhere, besides those that all syntaxes know at a line's start. */
  reasoning?: readonly ReasoningMark[] | undefined
  /** Tokens of the model's template that are no text: `<|im_end|>`. */
  silent?: readonly string[] | undefined
}

export interface States {
  /** Entered at one of the opening's marks. Leads to `reader.open` or to `reader.notCall`. */
  opener: State
  /** What is wrong when the text ends within a call; `source` is the call's text from its first character. */
  unclosed(source: string): { code: ErrorCode; message: string }
  /**
   * Asked when the text ends before `open`: the name to open a call with (`unknown` where none was read) if what was
   * read can only be a call that was cut off, undefined if it is text.
   */
  cutOff?(): string | undefined
  /**
   * The text ends between the mark and the end of a call: the state that goes on, for calls that the end of the text
   * ends, or undefined. Without it an opener that did not lead to a call is text, and an open call is unclosed.
   */
  end?(): State | undefined
  /** Like `opener`, where what the reader has read behind the mark is known; without it the reader goes back. */
  openerBehind?(read: string): State
  /** Another way to read what is at the mark, tried before it is text. */
  next?(): State | undefined
  /** There is such a way. */
  hasNext?(): boolean
}

/** What a reader is told besides the options of a parser. */
interface ReaderSetup {
  /** Nothing hides calls: finds those that are only shown. */
  bare?: boolean
}

const SURROGATE = 0xfc00
const HIGH_SURROGATE = 0xd800

/**
 * Reads a model's text in pieces: passes prose on, offers each place where a call may begin to the syntax, keeps the
 * source of what is not decided yet, and gives out chunks.
 *
 * Every character is read once. Only what turned out not to be a call is read again, as prose: `notCall` goes back to
 * the place that was marked.
 */
export class Reader extends Cursor implements SyntaxParser {
  /** The call that is open, once `open` let it. */
  call: OpenCall | undefined
  /** Once the text has ended: what looked like a call of a known tool and was none. */
  diagnostics: readonly SyntaxDiagnostic[] = []
  readonly #output: Output
  readonly #markdown: Markdown
  readonly #grammar: Grammar
  readonly #options: ParserOptions
  readonly #tools: ReadonlyMap<string, ToolDefinition>
  readonly #tags: ReaderTags
  readonly #states: States
  #state: State
  /** What the state that is running decided, for the trace. */
  #decision = ''
  readonly #traced: boolean
  #calls = 0
  readonly #ids: CallIds
  /** Where the lines begin, for a syntax that asked for it. */
  #lines: LineStarts | undefined
  /** Where the last call ended, while the reader is behind it in what surrounds several calls; -1 elsewhere. */
  #callEnd = -1
  /** The last call, if it failed and its error has not gone out: what closes around it belongs to its source. */
  #failed: OpenCall | undefined
  /** The limit leaves no room for another call. */
  #full = false
  #stopped = false
  /** The first half of a character that a piece ended in. */
  #half = ''
  /** What has been read is only shown: calls come out as text. */
  #shown = false
  /** Nothing has come but blanks and reasoning. */
  #fresh = true
  /** The length of the silent token at the mark, if one is there. */
  #silent = 0
  /** What ends the reasoning, or the stretch that is passed over. */
  #closes: readonly string[] = []
  #hides: 'reasoning' | 'hidden' = 'reasoning'
  /** The dialect that reads what is at the mark, where the grammar has several. */
  #dialect: string | undefined
  #dialectGrammar: Grammar | undefined
  /** The whole text, as long as there was no call and tools are known: to look for calls that were missed. */
  #whole: KeptText | undefined

  constructor(grammar: Grammar, options: ParserOptions = {}, { bare = false }: ReaderSetup = {}) {
    super()
    this.#grammar = grammar
    this.#options = options
    this.#traced = options.trace !== undefined
    this.#tools = toolMap(options.tools)
    this.#output = new Output(options.request ?? 0)
    this.#ids = new CallIds(options, grammar.idPrefix)
    this.#tags = tagsOf(grammar)
    this.#markdown = new Markdown(grammar.opening, this.#tags.marks, bare)
    this.#states = grammar.states(this)
    this.#state = this.#prose
    if (this.#tools.size > 0 && !bare) this.#whole = new KeptText()
    if (options.startsIn === 'reasoning') this.#state = this.#beginHidden('reasoning', this.#tags.reasoningCloses)
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
    return this.#fresh
  }

  /** There is no other way to read what is at the mark. */
  get isLastTry(): boolean {
    return this.#states.hasNext?.() !== true
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
    return this.#options.integers === 'round'
  }

  /** The mark is at the start of a line. */
  get atLineStart(): boolean {
    return this.#markdown.atLineStart
  }

  get stopped(): boolean {
    return this.#stopped
  }

  /** The line before the one of the opening mark was a quote. */
  get afterQuote(): boolean {
    return this.#markdown.afterQuote
  }

  /** Has the lines of the text counted from here on. To be called with the states, before any text. */
  countLines(): LineStarts {
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
    if ((text.charCodeAt(last) & SURROGATE) === HIGH_SURROGATE) {
      this.#half = text.charAt(last)
      text = text.slice(0, last)
    }
    this.#read(text)
    return this.#output.take()
  }

  end(): Chunk[] {
    if (this.length >= 0) return []
    if (this.#half !== '') this.#read(this.#half)
    this.length = this.base
    // A text that ends ends its last line. This line break is read like any other and is part of nothing.
    this.text = '\n'
    this.at = 0
    this.#run()
    while (this.mark >= 0) {
      const next = this.#states.end?.() ?? (this.call === undefined ? this.#cutOff() : undefined)
      if (next === undefined) break
      this.#state = next
      this.#run()
    }
    if (this.call !== undefined) {
      if (!this.call.broken) {
        const { code, message } = this.#states.unclosed(this.marked())
        this.call.fail(code, message, this.length)
        this.call.cut = true
      }
      this.close()
    }
    this.#output.endPart()
    this.#findMissed()
    return this.#output.take()
  }

  /** Says what looked like a call, where there was none. */
  #findMissed(): void {
    if (this.#whole === undefined) return
    const text = this.#whole.toString()
    const bare = new Reader(this.#grammar, { tools: [...this.#tools.values()] }, { bare: true })
    this.diagnostics = findMissed(text, [...bare.push(text), ...bare.end()], this.#tools)
    this.#whole = undefined
  }

  /** What stands at the mark is no call: it is read again as prose. */
  notCall(): State {
    this.#decision = 'not a call'
    const behindCall = this.#callEnd >= 0
    const other = behindCall ? undefined : this.#states.next?.()
    if (other !== undefined) {
      this.#decision = 'tries another way'
      this.stepBack()
      return other
    }
    if (behindCall) {
      if (this.#shown) this.#giveShown(this.#callEnd)
      this.#explain(this.#callEnd)
    } else if (this.#silent > 0) return this.#skipSilent()
    else this.#markdown.pass()
    this.stepBack()
    this.unmark()
    this.#shown = false
    return behindCall && this.#full ? this.#limited : this.#prose
  }

  /** What is at the mark is a token of the template: it is left out. */
  #skipSilent(): State {
    this.#decision = 'a silent token'
    this.stepBack()
    this.at += this.#silent
    this.unmark()
    this.#silent = 0
    this.#markdown.resume(true)
    return this.#prose
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
    if (this.#markdown.pending) {
      this.#decision = 'may be in a code span'
      this.stepBack()
      return this.#settling
    }
    if (this.#callEnd < 0) this.#shown = this.#markdown.shown
    if (this.#shown) return this.#openShown(name)
    if (this.#full) return this.notCall()
    if (this.#callEnd >= 0) this.#explain(this.#callEnd)
    if (this.#options.limit === 'one-writer' && this.#calls > 0 && !this.#isReadOnly(name)) {
      this.stepBack()
      return this.#stop()
    }
    this.#calls++
    this.#fresh = false
    this.#whole = undefined
    const id = this.#ids.take(name, written)
    this.call = new OpenCall(this.#output, id, name, this.markOffset, this.#tools.get(name), this.#options)
    this.call.dialect = this.#dialect
    this.#decision = `call of ${name}`
    return undefined
  }

  /** A call that is only shown is read like any other, so that nothing in it can run, and comes out as text. */
  #openShown(name: string): undefined {
    this.call = new OpenCall(new Output(0), '', name, this.markOffset, this.#tools.get(name))
    this.#decision = `a call of ${name} that is only shown`
    return undefined
  }

  /** The text of what is only shown goes out, from the mark to `end`. */
  #giveShown(end: number): void {
    this.#fresh = false
    const last = this.length < 0 ? end : Math.min(end, this.length)
    this.#output.text(this.between(this.markOffset, last))
    this.moveMark(end)
    this.#failed = undefined
  }

  /** The open call ends before the next character, which begins a line or goes on in one. */
  close(atLineStart = false): State {
    if (this.call === undefined) return this.#prose
    this.#settle(this.call)
    return this.leave(atLineStart)
  }

  /**
   * The open call ends before the next character, or `back` characters earlier, and the reader is still in what surrounds
   * several calls: `next` goes on there and leads to `open`, `leave` or `notCall`.
   */
  closeWithin(next: State, back = 0): State {
    if (this.call === undefined) return this.#prose
    this.#settle(this.call)
    this.#callEnd = this.offset - back
    if (this.#shown) return next
    if (this.#failed === undefined) this.moveMark(this.#callEnd)
    this.#markdown.resume(false)
    return next
  }

  /** What surrounds the calls ends before the next character; all since the mark belongs to the last of them. */
  leave(atLineStart = false): State {
    if (this.#shown) return this.#leaveShown()
    this.#explain(this.offset)
    this.unmark()
    this.#markdown.resume(atLineStart)
    return this.#full ? this.#limited : this.#prose
  }

  #leaveShown(): State {
    this.#giveShown(this.offset)
    this.#callEnd = -1
    this.unmark()
    this.#shown = false
    this.#markdown.resumeShown()
    return this.#prose
  }

  /** The open call ended at `offset`. What was read behind it is read again, as prose. */
  closeAt(offset: number): State {
    this.goBackTo(offset)
    return this.close()
  }

  /**
   *   | Let me look. <tool:read_file>
   *     ^
   */
  readonly #prose: State = () => {
    const start = this.at
    this.at = this.#markdown.scan(this.text, start, this.base)
    this.#giveText(start, this.at)
    if (this.at === this.text.length) return this.#prose
    this.mark = this.at
    this.#silent = 0
    const { found, atLineStart } = this.#markdown
    if (found === 'call') return this.#states.opener
    this.word = ''
    const { text, at } = this
    const isTag = at + 1 === text.length || this.#tags.find(text.slice(at, at + 2), atLineStart) !== undefined
    if (isTag) return this.#tag
    return found === 'tag' ? this.notCall() : this.#states.opener
  }

  /**
   *   | <thinking>
   *     ^
   */
  readonly #tag: State = () => {
    const { found, atLineStart } = this.#markdown
    while (this.at < this.text.length) {
      this.word += this.text.charAt(this.at++)
      const tag = this.atEnd ? undefined : this.#tags.find(this.word, atLineStart)
      if (tag === 'part') continue
      if (tag !== undefined) return this.#takeTag(tag)
      if (found === 'tag') return this.notCall()
      this.#decision = 'no tag'
      if (this.#states.openerBehind !== undefined) return this.#states.openerBehind(this.word)
      this.stepBack()
      return this.#states.opener()
    }
    return this.#tag
  }

  #takeTag(tag: Tag): State {
    const { kind, text, closes } = tag
    if (kind === 'silent' && this.#markdown.pending) return this.notCall()
    if (kind === 'silent') {
      this.#silent = text.length
      if (this.#markdown.found === 'tag') return this.#skipSilent()
      this.stepBack()
      return this.#states.opener
    }
    if (kind === 'code' || kind === 'code end') {
      if (kind === 'code') this.#markdown.beginCode(this.offset)
      else this.#markdown.endCode()
      return this.notCall()
    }
    if (kind === 'hidden' || this.#options.reasoning !== 'parts') this.#giveText(this.at - text.length, this.at, text)
    else this.#output.reasoning('')
    this.unmark()
    return this.#beginHidden(kind, closes)
  }

  #beginHidden(kind: 'reasoning' | 'hidden', closes: readonly string[]): State {
    this.#hides = kind
    this.#closes = closes
    return this.#hidden
  }

  /**
   *   | <thinking>I could call <tool:read_file> here.</thinking>
   *                ^
   */
  readonly #hidden: State = () => {
    const { text, at } = this
    let stop = text.length
    for (const close of this.#closes) {
      const next = text.indexOf(close.charAt(0), at)
      if (next >= 0 && next < stop) stop = next
    }
    this.#giveHidden(this.clip(at, stop))
    this.at = stop
    if (stop === text.length) return this.#hidden
    this.mark = stop
    this.word = ''
    return this.#hiddenEnd
  }

  /**
   *   | <thinking>I could call <tool:read_file> here.</thinking>
   *                                                  ^
   */
  readonly #hiddenEnd: State = () => {
    while (this.at < this.text.length) {
      this.word += this.text.charAt(this.at++)
      if (this.#closes.includes(this.word)) {
        if (this.#hides === 'hidden' || this.#options.reasoning !== 'parts') this.#output.text(this.word)
        else this.#output.endPart()
        this.unmark()
        this.#markdown.resume(true)
        return this.#prose
      }
      if (this.#closes.some(close => close.startsWith(this.word))) continue
      this.stepBack()
      this.#giveHidden(this.clip(this.at, this.at + 1))
      this.at++
      this.unmark()
      return this.#hidden
    }
    return this.#hiddenEnd
  }

  /**
   *   | a lone ` and then <tool:read_file>… and maybe another ` on this line
   *                       ^
   */
  readonly #settling: State = () => {
    const settled = this.#markdown.settle(this.text, this.at, this.base, this.markOffset)
    if (settled === undefined) {
      this.at = this.text.length
      return this.#settling
    }
    this.at = settled.at
    this.#decision = settled.as === 'line' ? 'not in a code span' : `in ${settled.as}`
    if (settled.as === 'line') this.stepBack()
    else this.#output.text(this.marked())
    this.unmark()
    return this.#prose
  }

  /**
   *   | </tool:write_file>   and no more, please
   *                       ^
   */
  readonly #limited: State = () => {
    const start = this.at
    const ended = this.skipSpace()
    this.#giveText(start, this.at)
    return ended ? this.#stop() : this.#limited
  }

  /** The limit is reached with the next character. */
  #stop(): State {
    this.#decision = 'past the limit'
    this.unmark()
    this.#stopped = true
    this.#output.beginRemainder()
    return this.#remainder
  }

  readonly #remainder: State = () => {
    this.#giveText(this.at, this.text.length)
    this.at = this.text.length
    return this.#remainder
  }

  /** The text has ended within an opener: what was read is text, or a call that was cut off. */
  #cutOff(): State {
    const name = this.#states.cutOff?.()
    return (name === undefined ? this.notCall() : this.open(name)) ?? this.#state
  }

  /** The call gives its input out; where it cannot, its error waits for the end of its source. */
  #settle(call: OpenCall): void {
    const problem = call.settle()
    this.#decision = problem === undefined ? `call of ${call.name} is complete` : problem.code
    if (problem !== undefined) this.#failed = call
    this.call = undefined
    if (this.#shown) return
    const { limit = 'none' } = this.#options
    this.#full = limit === 'one' || (limit === 'one-writer' && !this.#isReadOnly(call.name))
  }

  /** The error of the call that failed goes out, with its source up to `end`. */
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
    return (this.#dialectGrammar ?? this.#grammar).repair(call.name, call.tool)
  }

  #isReadOnly(name: string): boolean {
    const { readOnly } = this.#options
    return readOnly === undefined ? this.#tools.get(name)?.effect === 'read' : readOnly(name)
  }

  #read(text: string): void {
    this.#lines?.add(text)
    this.#whole?.append(text)
    this.text = text
    this.at = 0
    this.#run()
    this.leavePiece()
  }

  #run(): void {
    if (this.#traced) {
      this.#runTraced()
      return
    }
    while (this.at < this.text.length) this.#state = this.#state()
  }

  #runTraced(): void {
    while (this.at < this.text.length) {
      const state = this.#state
      const { offset } = this
      this.#decision = ''
      const next = state()
      const way = next === state ? 'reads on' : `goes on with ${nameOf(next)}`
      const decision = this.#decision === '' ? way : `${this.#decision}, ${way}`
      this.#options.trace?.({ offset, state: nameOf(state), decision })
      this.#state = next
    }
  }

  #giveText(start: number, end: number, text?: string): void {
    if (end <= start) return
    const given = text ?? this.clip(start, end)
    if (this.#fresh && /\S/.test(given)) this.#fresh = false
    this.#output.text(given)
  }

  #giveHidden(text: string): void {
    if (this.#hides === 'reasoning' && this.#options.reasoning === 'parts') this.#output.reasoning(text)
    else this.#output.text(text)
  }
}

const knownTags = new WeakMap<Grammar, ReaderTags>()

/** The tags of a grammar. Made once per grammar. */
function tagsOf(grammar: Grammar): ReaderTags {
  let tags = knownTags.get(grammar)
  if (tags === undefined) {
    tags = new ReaderTags(grammar.reasoning, grammar.silent)
    knownTags.set(grammar, tags)
  }
  return tags
}

/** The name of a state's function, for the trace. */
function nameOf(state: State): string {
  return state.name.replace(/^#/, '')
}
