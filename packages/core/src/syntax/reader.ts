import type { ToolDefinition } from '../message/tool-definition.ts'
import { ArgotError, type ErrorCode } from '../source/error.ts'
import type { Chunk } from '../stream/chunk.ts'
import { CallIds } from './call-ids.ts'
import { Cursor } from './cursor.ts'
import { LineStarts } from './line-starts.ts'
import { Markdown, type Opening } from './markdown.ts'
import { OpenCall } from './open-call.ts'
import { Output } from './output.ts'
import { reasoningTag } from './reasoning.ts'
import type { ParserOptions, SyntaxParser } from './syntax.ts'

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
  readonly #output: Output
  readonly #markdown: Markdown
  readonly #grammar: Grammar
  readonly #options: ParserOptions
  readonly #tools: ReadonlyMap<string, ToolDefinition>
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

  constructor(grammar: Grammar, options: ParserOptions = {}) {
    super()
    this.#grammar = grammar
    this.#options = options
    this.#traced = options.trace !== undefined
    this.#tools = new Map(options.tools?.map(tool => [tool.name, tool]))
    this.#output = new Output(options.request ?? 0)
    this.#ids = new CallIds(options, grammar.idPrefix)
    this.#markdown = new Markdown(grammar.opening)
    this.#states = grammar.states(this)
    this.#state = this.#prose
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
      }
      this.close()
    }
    this.#output.endPart()
    return this.#output.take()
  }

  /** What stands at the mark is no call: it is read again as prose. */
  notCall(): State {
    this.#decision = 'not a call'
    const behindCall = this.#callEnd >= 0
    if (behindCall) this.#explain(this.#callEnd)
    else this.#markdown.pass()
    this.stepBack()
    this.unmark()
    return behindCall && this.#full ? this.#limited : this.#prose
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
    if (this.#full) return this.notCall()
    if (this.#callEnd >= 0) this.#explain(this.#callEnd)
    if (this.#options.limit === 'one-writer' && this.#calls > 0 && !this.#isReadOnly(name)) {
      this.stepBack()
      return this.#stop()
    }
    this.#calls++
    const id = this.#ids.take(name, written)
    this.call = new OpenCall(this.#output, id, name, this.markOffset, this.#tools.get(name))
    this.#decision = `call of ${name}`
    return undefined
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
    if (this.#failed === undefined) this.moveMark(this.#callEnd)
    this.#markdown.resume(false)
    return next
  }

  /** What surrounds the calls ends before the next character; all since the mark belongs to the last of them. */
  leave(atLineStart = false): State {
    this.#explain(this.offset)
    this.unmark()
    this.#markdown.resume(atLineStart)
    return this.#full ? this.#limited : this.#prose
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
    if (this.#markdown.found === 'call') return this.#states.opener
    this.word = ''
    return this.#reasoningTag
  }

  /**
   *   | <thinking>
   *     ^
   */
  readonly #reasoningTag: State = () => {
    while (this.at < this.text.length) {
      this.word += this.text.charAt(this.at++)
      const tag = reasoningTag(this.word)
      if (tag === 'none') {
        if (this.#markdown.found === 'reasoning') return this.notCall()
        this.#decision = 'not reasoning'
        this.stepBack()
        return this.#states.opener
      }
      if (tag === 'open') {
        if (this.#options.reasoning === 'parts') this.#output.reasoning('')
        else this.#output.text(this.word)
        this.unmark()
        this.word = `</${this.word.slice(1)}`
        return this.#reasoning
      }
    }
    return this.#reasoningTag
  }

  /**
   *   | <thinking>I could call <tool:read_file> here.</thinking>
   *                ^
   */
  readonly #reasoning: State = () => {
    const end = this.text.indexOf('<', this.at)
    const stop = end < 0 ? this.text.length : end
    this.#giveReasoning(this.clip(this.at, stop))
    this.at = stop
    return end < 0 ? this.#reasoning : this.#reasoningEnd
  }

  /**
   *   | <thinking>I could call <tool:read_file> here.</thinking>
   *                                                  ^
   */
  readonly #reasoningEnd: State = () => {
    const before = this.matched
    const start = this.at
    const seen = this.expect(this.word)
    if (seen === undefined) return this.#reasoningEnd
    if (seen === false) {
      // At least the `<` was seen, so reading goes on behind it.
      this.#giveReasoning(this.word.slice(0, before + this.at - start))
      return this.#reasoning
    }
    if (this.#options.reasoning === 'parts') this.#output.endPart()
    else this.#output.text(this.word)
    this.#markdown.resume(false)
    return this.#prose
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
    call.explain(this.between(call.offset, last), this.#grammar.repair(call.name, call.tool))
    this.moveMark(end)
  }

  #isReadOnly(name: string): boolean {
    const { readOnly } = this.#options
    return readOnly === undefined ? this.#tools.get(name)?.effect === 'read' : readOnly(name)
  }

  #read(text: string): void {
    this.#lines?.add(text)
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

  #giveText(start: number, end: number): void {
    if (end > start) this.#output.text(this.clip(start, end))
  }

  #giveReasoning(text: string): void {
    if (this.#options.reasoning === 'parts') this.#output.reasoning(text)
    else this.#output.text(text)
  }
}

/** The name of a state's function, for the trace. */
function nameOf(state: State): string {
  return state.name.replace(/^#/, '')
}
