import { BodyLines } from './body-lines.ts'
import { LiteralBlock } from './literal-block.ts'
import type { OpenCall } from './open-call.ts'
import type { Reader } from './reader.ts'
import { simpleEntry } from './simple-yaml.ts'
import { plainValue, readMapping, toValue, type YamlProblem } from './yaml-text.ts'

/**
 * The parameters of a block, one level below its fields. Each goes out when the next one begins, and a literal block while
 * it is written.
 *
 *     input:
 *       path: src/lib.rs
 *       content: |
 *         fn main() {}
 */
export class BlockInput {
  readonly #reader: Reader
  readonly #call: OpenCall
  /** The column at which parameters begin. */
  readonly #column: number
  readonly #report: (problem: YamlProblem, body: BodyLines) => void
  /** The lines of the parameter that is being read, unless they are a literal block. */
  #body = new BodyLines()
  /** The literal block that is being read. */
  literal: LiteralBlock | undefined
  /** The first line of a parameter is before this one. */
  #begun = false
  readonly #keys = new Set<string>()
  /** Something is wrong: what follows is passed over. */
  #broken = false

  constructor(reader: Reader, call: OpenCall, column: number, report: (problem: YamlProblem, body: BodyLines) => void) {
    this.#reader = reader
    this.#call = call
    this.#column = column
    this.#report = report
  }

  /** The next line, whose first character that is no blank is at `column`, -1 for none. The rest is as in `BodyLines`. */
  line(line: string, column: number, offset: number, shift: number): void {
    if (this.#broken) return
    if (this.literal !== undefined) {
      const place = this.literal.line(line, column)
      if (place === 'inside') return
      this.#endParameter()
      if (place === 'unclear' && line.charAt(column) !== '#') {
        this.#fail('This line is not indented like the block that it is in.', line, column, offset, shift)
        return
      }
    }
    if (column >= 0 && column <= this.#column && !goesOn(line, column)) {
      this.#endParameter()
      this.#begun = true
      if (column < this.#column) {
        this.#fail('This line is indented less than the first parameter.', line, column, offset, shift)
        return
      }
      if (this.#beginsLiteral(line, column, offset + shift)) return
    } else if (!this.#begun && column >= 0 && line.charAt(column) !== '#') {
      this.#fail('This line belongs to no parameter.', line, column, offset, shift)
      return
    }
    this.#body.add(line, offset, shift)
  }

  /** The input has ended. */
  end(): void {
    this.#endParameter()
  }

  /** True when the line begins a literal block that can go out as it comes. */
  #beginsLiteral(line: string, column: number, offset: number): boolean {
    const [, key = '', strip] = /^([A-Za-z_][\w.-]*): +\|(-?) *$/.exec(line.slice(column)) ?? []
    if (key === '' || this.#keys.has(key) || !this.#call.streams(key)) return false
    this.#keys.add(key)
    this.#call.begin(key, offset + column)
    this.literal = new LiteralBlock(this.#reader, this.#call, column, strip === '-')
    return true
  }

  #endParameter(): void {
    if (this.literal !== undefined) {
      this.literal.end()
      this.literal = undefined
      this.#begun = false
      return
    }
    if (this.#body.isEmpty || this.#broken) return
    const body = this.#body
    this.#body = new BodyLines()
    const { text } = body
    const simple = simpleEntry(text)
    if (simple !== undefined) {
      const { key, at, source, value } = simple
      if (this.#isNew(key, at, body)) {
        this.#call.value(key, plainValue(source, value, this.#call.schemaOf(key)), body.offsetAt(at))
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
      const result = toValue(node, this.#call.schemaOf(key))
      if ('value' in result) this.#call.value(key, result.value, body.offsetAt(at))
      else this.#break(result, body)
      if (this.#broken || this.#call.broken) return
    }
  }

  #isNew(key: string, at: number, body: BodyLines): boolean {
    if (this.#keys.has(key)) {
      this.#break({ code: 'SYNTAX_BAD_YAML', message: `The key \`${key.slice(0, 64)}\` stands here twice.`, at }, body)
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
    this.#broken = true
    this.#report(problem, body)
  }
}

/**
 * True for a line that belongs to the field above although it is not indented: an item of a list, the value of an explicit
 * key, a closing bracket, a comment, or one that begins with a tab (and is blank, or wrong).
 */
export function goesOn(line: string, column: number): boolean {
  return /^(?:[-:](?:[ \t]|$)|[}\]#\t])/.test(line.slice(column, column + 2))
}
