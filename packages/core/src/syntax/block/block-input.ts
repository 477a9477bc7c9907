import type { OpenCall } from '../reader/open-call.ts'
import type { Reader } from '../reader/reader.ts'
import { continuesField, quotedStart, startsQuoted } from './block-line.ts'
import { BodyLines } from './body-lines.ts'
import { LiteralBlock } from './literal-block.ts'
import { QuotedText } from './quoted-text.ts'
import { simpleEntry } from './simple-yaml.ts'
import { plainValue, readMapping, toValue, type YamlProblem } from './yaml-text.ts'

/**
 * The parameters of a block, one level below its fields. Each is sent when the next one begins. Literal blocks and
 * quoted texts are streamed while they are written.
 *
 *     input:
 *       path: src/lib.rs
 *       note: "a text\nof two lines"
 *       content: |
 *         fn main() {}
 */
export class BlockInput {
  readonly #reader: Reader
  readonly #call: OpenCall
  readonly column: number
  readonly #report: (problem: YamlProblem, body: BodyLines) => void
  /** The current parameter's lines, unless it is a literal block. */
  #body = new BodyLines()
  #quoted: QuotedText | undefined
  /** How much of the current line the quoted text has consumed; -1 if none. */
  #readEnd = -1
  literal: LiteralBlock | undefined
  #hasBegun = false
  readonly #keys = new Set<string>()
  /** Something is wrong, so the rest is skipped. */
  #isBroken = false

  constructor(reader: Reader, call: OpenCall, column: number, report: (problem: YamlProblem, body: BodyLines) => void) {
    this.#reader = reader
    this.#call = call
    this.column = column
    this.#report = report
  }

  /** The next line. `column` is that of its first visible character, or -1. For the rest, see `BodyLines`. */
  line(line: string, column: number, offset: number, shift: number): void {
    if (this.#isBroken) return
    if (this.literal !== undefined) {
      const place = this.literal.line(line, column)
      if (place === 'inside') return
      this.#endParameter()
      if (place === 'wrong') {
        this.#fail('This line is not indented like the rest of its block.', line, column, offset, shift)
        return
      }
    }
    if (this.#readEnd >= 0 || this.#continuesQuoted(column)) {
      this.#quoted?.read(line, this.#readEnd)
    } else if (column >= 0 && column <= this.column && !continuesField(line, column)) {
      this.#endParameter()
      this.#hasBegun = true
      if (column < this.column) {
        this.#fail('This line is indented less than the first parameter.', line, column, offset, shift)
        return
      }
      if (this.#beginsLiteral(line, column, offset + shift)) return
      if (this.#beginsQuoted(line, column, offset + shift)) this.#quoted?.read(line, this.#readEnd)
    } else if (!this.#hasBegun && !/^[ \t]*(?:#|$)/.test(line)) {
      this.#fail("This line doesn't belong to a parameter.", line, column, offset, shift)
      return
    }
    this.#readEnd = -1
    this.#body.add(line, offset, shift)
  }

  /**
   * An unfinished line begins with `head`, which reaches at least its first visible character and the opening quote of
   * a text. Returns true to get more of the line as it arrives, false to get it once it has ended.
   */
  beginLine(head: string, column: number, offset: number): boolean {
    if (this.#isBroken) return false
    if (!this.#continuesQuoted(column)) {
      if (column !== this.column || !startsQuoted(head, column)) return false
      this.#endParameter()
      this.#hasBegun = true
      if (this.#isBroken || !this.#beginsQuoted(head, column, offset)) return false
    }
    this.more(head, this.#readEnd)
    return true
  }

  /** A quoted text is open, so the next line may be part of it. */
  get isQuoted(): boolean {
    return this.#quoted?.isClosed === false
  }

  /** More of an unfinished line, from `start` on. */
  more(text: string, start = 0): void {
    this.#quoted?.read(text, start)
    this.#readEnd += text.length - start
  }

  end(): void {
    this.#endParameter()
  }

  /** True if the line begins a literal block that can be streamed. */
  #beginsLiteral(line: string, column: number, offset: number): boolean {
    const [, key = '', strip] = /^([A-Za-z_][\w.-]*): +\|(-?) *$/.exec(line.slice(column)) ?? []
    if (key === '' || this.#keys.has(key) || !this.#call.streams(key)) return false
    this.#keys.add(key)
    this.#call.begin(key, offset + column)
    this.literal = new LiteralBlock(this.#reader, this.#call, column, strip === '-')
    return true
  }

  /** True if the line begins a quoted text that can be streamed. Sets `#readEnd` to the text's first character. */
  #beginsQuoted(line: string, column: number, offset: number): boolean {
    const [start = '', key = '', quote = ''] = quotedStart.exec(line.slice(column)) ?? []
    if (start === '' || this.#keys.has(key) || !this.#call.streams(key)) return false
    this.#keys.add(key)
    this.#call.begin(key, offset + column)
    this.#quoted = new QuotedText(quote, text => this.#call.write(text))
    this.#readEnd = column + start.length
    return true
  }

  /** True for a line of an open quoted text. The line before it has then ended. */
  #continuesQuoted(column: number): boolean {
    if (this.#quoted === undefined || this.#quoted.isClosed || (column >= 0 && column <= this.column)) return false
    this.#quoted.endLine()
    this.#readEnd = 0
    return true
  }

  #endParameter(): void {
    if (this.#quoted !== undefined) {
      this.#endQuoted(this.#quoted)
      this.#quoted = undefined
      return
    }
    if (this.literal !== undefined) {
      this.literal.end()
      this.literal = undefined
      this.#hasBegun = false
      return
    }
    if (this.#body.isEmpty || this.#isBroken) return
    const body = this.#body
    this.#body = new BodyLines()
    const { text } = body
    const simple = simpleEntry(text)
    if (simple !== undefined) {
      const { key, at, source, value } = simple
      if (this.#isNew(key, at, body)) {
        this.#call.value(key, plainValue(source, value, this.#call.getSchema(key)), body.offsetAt(at))
      }
      return
    }
    const entries = readMapping(text)
    if (!Array.isArray(entries)) {
      this.#break(entries, body)
      return
    }
    for (const { key, node, at } of entries) {
      if (!this.#isNew(key, at, body)) return
      const result = toValue(node, this.#call.getSchema(key))
      if ('value' in result) this.#call.value(key, result.value, body.offsetAt(at))
      else this.#break(result, body)
      if (this.#isBroken || this.#call.broken) return
    }
  }

  /** The streamed text is only the start of the value; the YAML library reads all of it. */
  #endQuoted(quoted: QuotedText): void {
    const body = this.#body
    this.#body = new BodyLines()
    if (this.#isBroken || this.#call.broken) return
    const result = this.#quotedValue(body.text)
    const { text } = quoted
    if (typeof result !== 'string') this.#break(result, body)
    else if (!result.startsWith(text)) this.#break(notOneText, body)
    else {
      this.#call.write(result, text.length)
      this.#call.end(result)
    }
  }

  #quotedValue(text: string): string | YamlProblem {
    const simple = simpleEntry(text)
    if (typeof simple?.value === 'string') return simple.value
    const entries = readMapping(text)
    if (!Array.isArray(entries)) return entries
    const [entry] = entries
    if (entry === undefined || entries.length > 1) return notOneText
    const result = toValue(entry.node)
    if (!('value' in result)) return result
    return typeof result.value === 'string' ? result.value : notOneText
  }

  #isNew(key: string, at: number, body: BodyLines): boolean {
    if (this.#keys.has(key)) {
      this.#break({ code: 'SYNTAX_BAD_YAML', message: `The key \`${key.slice(0, 64)}\` is given twice.`, at }, body)
      return false
    }
    this.#keys.add(key)
    return true
  }

  #fail(message: string, line: string, column: number, offset: number, shift: number): void {
    const body = new BodyLines()
    body.add(line, offset, shift)
    this.#break({ code: 'SYNTAX_BAD_YAML', message, at: column }, body)
  }

  #break(problem: YamlProblem, body: BodyLines): void {
    this.#isBroken = true
    this.#report(problem, body)
  }
}

const notOneText: YamlProblem = { code: 'SYNTAX_BAD_YAML', message: 'This is not a single quoted text.', at: 0 }
