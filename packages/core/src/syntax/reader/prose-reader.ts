import type { ParserOptions } from '../syntax.ts'
import { GREATER, LESS, LF } from './char-codes.ts'
import { Cursor } from './cursor.ts'
import { HiddenHtml } from './hidden-html.ts'
import { KeptText } from './kept-text.ts'
import { Markdown } from './markdown.ts'
import type { Opening } from './opening.ts'
import { Output } from './output.ts'
import { ReaderTags, type Tag } from './reader-tags.ts'
import type { ReasoningMark } from './reasoning.ts'
import type { HeldCalls, ReasoningTrial } from './reasoning-trial.ts'
import type { State, States } from './states.ts'

const MAX_CODE_TAG = 256

/** What a syntax defines for the text around its calls. */
export interface ProseGrammar {
  opening: Opening
  /** Reasoning marks that apply anywhere, in addition to those that all syntaxes know at the start of a line. */
  reasoning?: readonly ReasoningMark[] | undefined
  /** Template tokens that aren't text: `<|im_end|>`. */
  silent?: readonly string[] | undefined
  /**
   * A token is dropped only at the edge of a text: before it, after it, or next to another token or a call. Between
   * words it is text. For a reader that doesn't know whose tokens they are.
   */
  silentAtEdges?: boolean | undefined
}

/**
 * The half of a reader that handles everything except calls: prose, which it passes on, reasoning, comments, template
 * tokens, and the rest of a message after its limit. Wherever a call may begin, the syntax's states take over.
 */
export abstract class ProseReader extends Cursor {
  protected readonly output: Output
  protected readonly markdown: Markdown
  protected readonly options: ParserOptions
  protected readonly tags: ReaderTags
  protected abstract readonly states: States
  protected state: State
  protected decision = ''
  /** Whether the limit leaves no room for another call, and whether it is reached. */
  protected isFull = false
  protected isStopped = false
  /** Only whitespace, reasoning and silent tokens so far. */
  protected isAtReplyStart = true
  /** There has been text since the start, the last call or the last dropped token. */
  protected inText = false
  protected silentLength = 0
  protected noCallBefore = 0
  readonly #silentAtEdges: boolean
  readonly #traced: boolean
  readonly #hidesNothing: boolean
  readonly #hasLiveCode: boolean
  #reasoningCloses: readonly string[] = []
  /** Holds calls in the reasoning, if they may be real. */
  #trial: ReasoningTrial | undefined
  /** The HTML comment or element at the mark. It begins unless a call does. */
  protected htmlTag: Tag | undefined
  /** The end of a `<code>` at the mark. It begins unless a call does. */
  protected codeTagEnd = 0
  readonly #html = new HiddenHtml()
  /** The HTML's content so far, its offset, and whether it had a line break. */
  readonly #htmlText = new KeptText()
  #htmlOffset = 0
  #htmlHasBreak = false
  /** Set while a longer tag is still possible. */
  #completeTag: Tag | undefined

  constructor(grammar: ProseGrammar, options: ParserOptions, hidesNothing: boolean) {
    super()
    this.options = options
    this.#traced = options.trace !== undefined
    this.#hidesNothing = hidesNothing
    this.#silentAtEdges = grammar.silentAtEdges === true
    this.#hasLiveCode = grammar.opening.liveCode === true
    this.output = new Output(options.step ?? 0)
    this.tags = getTags(grammar)
    this.markdown = new Markdown(grammar.opening, this.tags, hidesNothing)
    this.state = this.prose
    if (options.startsIn === 'reasoning') this.#startIn(this.tags.reasoningCloses)
    else if (options.startsIn === 'reasoning-field') this.#startIn([])
  }

  /**
   *   | Let me look. <tool:read_file>
   *     ^
   */
  protected readonly prose: State = () => {
    const start = this.at
    this.at = this.markdown.scan(this.text, start, this.base)
    while (this.at < this.text.length && this.#passes()) {
      this.markdown.pass()
      this.at = this.markdown.scan(this.text, this.at, this.base)
    }
    this.outputText(start, this.at)
    if (this.at === this.text.length) return this.prose
    this.mark = this.at
    this.silentLength = 0
    this.htmlTag = undefined
    this.codeTagEnd = 0
    const { stopKind, atLineStart } = this.markdown
    const isRuledOut = this.offset < this.noCallBefore
    if (stopKind === 'call') return isRuledOut ? this.passMark() : this.states.opener
    this.word = ''
    if (this.tags.mayBegin(this.text, this.at, atLineStart)) return this.#tag
    return stopKind !== 'call or tag' || isRuledOut ? this.passMark() : this.states.opener
  }

  /** True if neither a call nor a tag can begin where the scan stopped. */
  #passes(): boolean {
    const { text, at, markdown } = this
    const { stopKind, atLineStart } = markdown
    const mayCall = stopKind === 'call' || stopKind === 'call or tag'
    if (mayCall && (this.isAtReplyStart || this.states.passes?.(text, at) !== true)) return false
    return stopKind === 'call' || !this.tags.mayBegin(text, at, atLineStart)
  }

  protected passMark(): State {
    this.markdown.pass()
    this.stepBack()
    this.unmark()
    return this.prose
  }

  /**
   *   | <thinking>
   *     ^
   */
  readonly #tag: State = () => {
    const { stopKind, atLineStart } = this.markdown
    while (this.at < this.text.length) {
      this.word += this.text.charAt(this.at++)
      const tag = this.atEnd ? undefined : this.tags.find(this.word, atLineStart)
      if (tag === 'part') continue
      if (tag !== undefined) {
        this.#completeTag = tag
        if (this.tags.mayContinue(this.word, atLineStart)) continue
      }
      if (this.#completeTag !== undefined) return this.#takeTag(this.#completeTag)
      if (stopKind !== 'call or tag' || this.markOffset < this.noCallBefore) return this.passMark()
      this.decision = 'no tag'
      if (this.states.openerAfter !== undefined) return this.states.openerAfter(this.word)
      this.stepBack()
      return this.states.opener()
    }
    return this.#tag
  }

  #takeTag(tag: Tag): State {
    const { kind, text, closes } = tag
    const { stopKind, pending, isHidden } = this.markdown
    this.#completeTag = undefined
    this.goBackTo(this.markOffset + text.length)
    if (kind === 'hidden') return this.#takeHtml(tag)
    if (kind === 'code' && this.#hasLiveCode && stopKind === 'call or tag' && !isHidden) {
      this.codeTagEnd = this.offset
      this.stepBack()
      return this.states.opener
    }
    if (kind === 'code' || kind === 'code end') return text.endsWith('>') ? this.#takeCode(kind) : this.#codeTag
    // In code, tokens and reasoning tags are text. Otherwise, the text after them would count as the start of a line.
    if (stopKind === 'html' || isHidden || (kind === 'silent' && pending)) return this.passMark()
    if (kind === 'silent') {
      this.silentLength = text.length
      if (stopKind === 'tag') return this.skipSilent()
      this.stepBack()
      return this.states.opener
    }
    if (this.options.reasoning !== 'parts') this.output.text(text)
    else this.output.reasoning('')
    this.unmark()
    return this.beginReasoning(closes)
  }

  /**
   *   | <code class="js">
   *           ^
   */
  readonly #codeTag: State = () => {
    while (this.at < this.text.length) {
      const code = this.text.charCodeAt(this.at)
      if (code === LF || code === LESS || this.offset - this.markOffset > MAX_CODE_TAG) return this.passMark()
      this.at++
      if (code === GREATER)
        return this.#takeCode(this.between(this.markOffset + 1, this.markOffset + 2) === '/' ? 'code end' : 'code')
    }
    return this.#codeTag
  }

  protected beginCodeTag(): State {
    this.goBackTo(this.codeTagEnd)
    return this.#takeCode('code')
  }

  #takeCode(kind: 'code' | 'code end'): State {
    if (this.#hidesNothing) return this.passMark()
    if (kind === 'code') this.markdown.beginCode(this.offset)
    else this.markdown.endCode()
    return this.passMark()
  }

  /** A comment or an element begins, unless it is in a code span or is how one of the syntax's calls begins. */
  #takeHtml(tag: Tag): State {
    this.stepBack()
    if (this.markdown.pending) return this.settling
    if (!this.#hidesNothing) this.htmlTag = tag
    if (this.markdown.stopKind === 'call or tag' && this.offset >= this.noCallBefore) return this.states.opener
    return this.#hidesNothing ? this.passMark() : this.beginHtml(tag)
  }

  protected beginHtml({ text }: Tag): State {
    this.stepBack()
    const start = this.at
    this.at += text.length
    this.#html.begin(text)
    this.#htmlText.clear()
    this.#htmlHasBreak = text.endsWith('\n')
    this.outputText(start, this.at)
    this.unmark()
    this.decision = 'an example in HTML'
    return this.#htmlOpening()
  }

  /**
   *   | <pre class="js">
   *          ^
   */
  readonly #htmlOpening: State = () => {
    const start = this.at
    this.at = this.#html.readOpening(this.text, start)
    this.#outputHtml(start)
    this.#htmlOffset = this.offset
    return this.#html.isOpened ? this.#htmlContent : this.#htmlOpening
  }

  /**
   *   | <!-- <tool:read_file> -->
   *         ^
   */
  readonly #htmlContent: State = () => {
    const start = this.at
    this.at = this.#html.read(this.text, start)
    this.#htmlText.append(this.#outputHtml(start))
    if (!this.#html.hasEnded) return this.#htmlContent
    this.markdown.resumeHtml(this.offset, this.#htmlHasBreak)
    return this.prose
  }

  #outputHtml(start: number): string {
    const text = this.clip(start, this.at)
    if (text.includes('\n')) this.#htmlHasBreak = true
    this.output.text(text)
    return text
  }

  /** The content of a comment or element that hasn't ended, and its offset. */
  protected get unclosedHtml(): { text: string; offset: number } | undefined {
    if (this.state !== this.#htmlContent) return undefined
    return { text: this.#htmlText.toString(), offset: this.#htmlOffset }
  }

  /** Reads calls in reasoning that may never be closed; undefined if they don't apply. */
  protected abstract createTrial(): ReasoningTrial | undefined

  #startIn(closes: readonly string[]): void {
    this.#reasoningCloses = closes
    this.state = this.#reasoningStart
  }

  protected beginReasoning(closes: readonly string[]): State {
    this.#reasoningCloses = closes
    this.#trial = this.createTrial()
    return this.#reasoning
  }

  /** Runs as a state, when the subclass has been constructed. */
  readonly #reasoningStart: State = () => this.beginReasoning(this.#reasoningCloses)

  /** The text has ended. Returns the calls it ends with, if it ends within reasoning. */
  protected endReasoning(): HeldCalls | undefined {
    const trial = this.#trial
    if (trial === undefined) return undefined
    this.#trial = undefined
    const { reasoning, calls } = trial.end()
    this.#outputReasoning(reasoning)
    return calls
  }

  /**
   *   | <thinking>I could call <tool:read_file> here.</thinking>
   *                ^
   */
  readonly #reasoning: State = () => {
    const { text, at } = this
    let stop = text.length
    for (const close of this.#reasoningCloses) {
      const next = text.indexOf(close.charAt(0), at)
      if (next >= 0 && next < stop) stop = next
    }
    this.#pushReasoning(this.clip(at, stop))
    this.at = stop
    if (stop === text.length) return this.#reasoning
    this.mark = stop
    this.word = ''
    return this.#reasoningEnd
  }

  /**
   *   | <thinking>I could call <tool:read_file> here.</thinking>
   *                                                  ^
   */
  readonly #reasoningEnd: State = () => {
    while (this.at < this.text.length) {
      this.word += this.text.charAt(this.at++)
      if (this.#reasoningCloses.includes(this.word)) {
        this.#closeReasoning()
        return this.prose
      }
      if (this.#reasoningCloses.some(close => close.startsWith(this.word))) continue
      this.stepBack()
      this.#pushReasoning(this.clip(this.at, this.at + 1))
      this.at++
      this.unmark()
      return this.#reasoning
    }
    return this.#reasoningEnd
  }

  #closeReasoning(): void {
    if (this.#trial !== undefined) this.#outputReasoning(this.#trial.release())
    this.#trial = undefined
    if (this.options.reasoning !== 'parts') this.output.text(this.word)
    else this.output.endPart()
    this.unmark()
    this.markdown.resume(true)
  }

  /**
   *   | a lone ` and then <tool:read_file>… and maybe another ` on this line
   *                       ^
   */
  protected readonly settling: State = () => {
    const settled = this.markdown.settle(this.text, this.at, this.base, this.markOffset)
    if (settled === undefined) {
      this.at = this.text.length
      return this.settling
    }
    this.at = settled.at
    this.decision = settled.as === 'line' ? 'not in a code span' : `in ${settled.as}`
    if (settled.as === 'line') this.stepBack()
    else this.output.text(this.textSinceMark())
    this.unmark()
    return this.prose
  }

  /**
   *   | </tool:write_file>   and no more, please
   *                       ^
   */
  protected readonly limited: State = () => {
    const start = this.at
    const hasEnded = this.skipSpace()
    this.outputText(start, this.at)
    return hasEnded ? this.stop() : this.limited
  }

  /** The limit is reached at the next character. */
  protected stop(): State {
    this.decision = 'past the limit'
    this.unmark()
    this.isStopped = true
    this.output.beginRemainder()
    return this.#remainder
  }

  readonly #remainder: State = () => {
    this.outputText(this.at, this.text.length)
    this.at = this.text.length
    return this.#remainder
  }

  protected skipSilent(): State {
    this.stepBack()
    this.at += this.silentLength
    return this.#silentAtEdges && this.inText ? this.#silentEnd : this.#dropSilent()
  }

  /**
   * After text, what follows a token decides whether it is one.
   *
   *   | The token <|user|> begins a turn.
   *                       ^
   */
  readonly #silentEnd: State = () => {
    const isNext = this.offset === this.markOffset + this.silentLength
    if (isNext && !this.atEnd && this.tags.marks.includes(this.text.charAt(this.at))) return this.#dropSilent()
    if (this.skipSpace()) {
      this.silentLength = 0
      return this.passMark()
    }
    if (this.length < 0) return this.#silentEnd
    return this.#dropSilent()
  }

  #dropSilent(): State {
    this.decision = 'a silent token'
    this.goBackTo(this.markOffset + this.silentLength)
    this.inText = false
    this.unmark()
    this.silentLength = 0
    this.markdown.resume(true)
    return this.prose
  }

  protected runStates(): void {
    if (this.#traced) {
      this.#runTraced()
      return
    }
    while (this.at < this.text.length) this.state = this.state()
  }

  #runTraced(): void {
    while (this.at < this.text.length) {
      const state = this.state
      const { offset } = this
      this.decision = ''
      const next = state()
      const way = next === state ? 'reads on' : `continues with ${getName(next)}`
      const decision = this.decision === '' ? way : `${this.decision}, ${way}`
      this.options.trace?.({ offset, state: getName(state), decision })
      this.state = next
    }
  }

  protected outputText(start: number, end: number, text?: string): void {
    if (end <= start) return
    const prose = text ?? this.clip(start, end)
    if (!this.inText && /\S/.test(prose)) {
      this.inText = true
      this.isAtReplyStart = false
    }
    this.output.text(prose)
  }

  #pushReasoning(text: string): void {
    this.#outputReasoning(this.#trial === undefined ? text : this.#trial.push(text))
  }

  #outputReasoning(text: string): void {
    if (this.options.reasoning === 'parts') this.output.reasoning(text)
    else this.output.text(text)
  }
}

const tagCache = new WeakMap<object, ReaderTags>()

function getTags(grammar: ProseGrammar): ReaderTags {
  let tags = tagCache.get(grammar)
  if (tags === undefined) {
    tags = new ReaderTags(grammar.reasoning, grammar.silent)
    tagCache.set(grammar, tags)
  }
  return tags
}

function getName(state: State): string {
  return state.name.replace(/^#/, '')
}
