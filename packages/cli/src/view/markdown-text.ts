import { readInline } from './markdown-inline.ts'
import { WordWrap, type WordWrapOptions } from './word-wrap.ts'

type LineKind = 'start' | 'prose' | 'code' | 'whole'

interface LineOpening {
  length: number
  kind: Exclude<LineKind, 'start'>
}

/** Line openings that aren't prose. While a line could still become one of these, none of it is drawn. */
const possibleOpening =
  /^ {0,12}(?:#{1,6}|[-*+_](?: ?[-*_])*|\d{1,9}[.)]?|>|`{1,2}|~{1,2}|\||`{3,}[^`]*|~{3,}.*)? {0,8}$/
/** The longest line that is a rule or opens a code block. Longer lines are drawn without waiting. */
const LONGEST_MARK = 200

/**
 * Draws Markdown on a terminal as it arrives: headings, lists, quotes, code, emphasis and links, wrapped between words.
 * Drawn text never changes. A line only waits for what decides its style.
 */
export class MarkdownText {
  readonly #wrap: WordWrap
  #held = ''
  #line: LineKind = 'start'
  /** The last drawn character of the line, for rules that depend on it. */
  #before = ' '
  #isHeading = false
  #fence: string | undefined

  constructor(options: WordWrapOptions) {
    this.#wrap = new WordWrap(options)
  }

  push(text: string): void {
    let from = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#held += text.slice(from, end)
      this.#draw(true)
      from = end + 1
    }
    this.#held += text.slice(from)
    if (from < text.length) this.#draw(false)
  }

  settle(): void {
    this.#wrap.settle()
  }

  end(): void {
    if (this.#held !== '') this.#drawRest(true)
    this.#wrap.end()
    this.#line = 'start'
  }

  #draw(complete: boolean): void {
    const isShown = this.#drawRest(complete)
    if (!complete) return
    if (isShown) this.#wrap.endLine()
    this.#line = 'start'
    this.#before = ' '
    this.#isHeading = false
  }

  /** False for a line without visible content. */
  #drawRest(complete: boolean): boolean {
    if (this.#line === 'start') {
      const isShown = this.#open(complete)
      if (isShown !== undefined) return isShown
    }
    if (this.#line === 'code' || this.#line === 'whole') {
      if (!complete) return true
      const isCode = this.#line === 'code'
      this.#wrap.putWhole(isCode ? `  ${this.#held}` : this.#held, isCode ? ['cyan'] : [])
      this.#held = ''
      return true
    }
    this.#drawInline(complete)
    return true
  }

  /** Determines the kind of line. Undefined if it is known and the content has to be drawn. */
  #open(complete: boolean): boolean | undefined {
    const held = this.#held
    if (this.#fence !== undefined) return this.#readCode(complete, this.#fence)
    const isShort = held.length <= LONGEST_MARK
    if (!complete && isShort && possibleOpening.test(held)) return true
    const fence = isShort ? /^ {0,12}(`{3,}|~{3,})([^`]*)$/.exec(held) : null
    if (fence !== null) {
      this.#fence = fence[1]!
      this.#held = ''
      return false
    }
    if (isShort && /^ {0,3}(?:(?:\* ?){3,}|(?:- ?){3,}|(?:_ ?){3,})$/.test(held)) {
      this.#wrap.putWhole('───', ['dim'])
      this.#held = ''
      return true
    }
    const { kind, length } = this.#drawOpening(held)
    this.#held = held.slice(length)
    this.#line = kind
    return undefined
  }

  #readCode(complete: boolean, fence: string): boolean | undefined {
    if (!complete) return true
    const isEnd = new RegExp(`^ {0,12}${fence[0]}{${fence.length},} *$`).test(this.#held)
    if (isEnd) {
      this.#fence = undefined
      this.#held = ''
      return false
    }
    this.#line = 'code'
    return undefined
  }

  #drawOpening(line: string): LineOpening {
    const wrap = this.#wrap
    const heading = /^ {0,3}#{1,6} +/.exec(line)
    if (heading !== null) {
      this.#isHeading = true
      return { kind: 'prose', length: heading[0].length }
    }
    const item = /^( {0,12})([-*+]|\d{1,9}[.)])( +)/.exec(line)
    if (item !== null) {
      const [all, indent, sign] = item as unknown as [string, string, string]
      const bullet = /\d/.test(sign) ? sign : '•'
      wrap.put(indent)
      wrap.put(bullet, ['cyan'])
      wrap.put(' ')
      wrap.hang(' '.repeat(indent.length + bullet.length + 1))
      return { kind: 'prose', length: all.length }
    }
    const quote = /^ {0,3}> ?/.exec(line)
    if (quote !== null) {
      wrap.put('│', ['dim'])
      wrap.put(' ')
      wrap.hang('│ ', 'dim')
      return { kind: 'prose', length: quote[0].length }
    }
    // A table row that is wrapped between words would be unreadable.
    if (/^ {0,3}\|/.test(line)) return { kind: 'whole', length: 0 }
    const [indent] = /^ */.exec(line)!
    wrap.hang(indent)
    return { kind: 'prose', length: 0 }
  }

  #drawInline(complete: boolean): void {
    const { spans, read } = readInline(this.#held, complete, this.#before, this.#isHeading ? ['bold'] : [])
    for (const { text, styles } of spans) this.#wrap.put(text, styles)
    if (read > 0) this.#before = this.#held[read - 1]!
    this.#held = this.#held.slice(read)
  }
}
