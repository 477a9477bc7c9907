import { endsInHalf } from '../../source/surrogates.ts'
import * as limits from '../limits.ts'
import { GrowingText } from './growing-text.ts'
import { JsonCapture } from './json-capture.ts'
import * as Char from './json-char.ts'
import * as State from './json-state.ts'
import { OpenContainer } from './open-container.ts'

/**
 * An incremental JSON reader. It reads each character once, wherever the text is cut, and can show the value so far at
 * any moment: completed keys, the growing string, arrays so far. Numbers, literals and keys show once they are
 * complete.
 *
 * A text that `JSON.parse` accepts gives the same value. For a text that it rejects, `problem` has the offset of the
 * first wrong token. The value read up to there stays, and `raw` has the whole text.
 */
export class PartialJson {
  problem: JsonProblem | undefined
  /** How many keys the outermost object has so far. */
  parameters = 0

  readonly #raw: GrowingText = new GrowingText()
  #state: number = State.Value
  #open: OpenContainer | undefined
  #depth = 0
  /** The outermost value: a container from its beginning, a scalar once it is complete. */
  #root: unknown
  /** The string, number or literal that is being read, unless it is long. */
  #token = ''
  #longString: GrowingText | undefined
  #stringCount = 0
  #highSurrogate = ''
  #hex = ''
  #inKey = false
  #key = ''
  /** UTF-16 units before the current piece. */
  #offset = 0

  push(text: string): void {
    if (text === '') return
    this.#raw.append(text)
    let i = 0
    while (i < text.length && this.problem === undefined) {
      i = this.#state === State.Text ? this.#readString(text, i) : this.#readOther(text, i)
    }
    this.#offset += text.length
  }

  /** Ends the text: a number at the outermost level is then complete, and an open value is a problem. */
  end(): void {
    if (this.problem !== undefined) return
    if (this.#open === undefined && this.#inToken()) this.#finishToken(this.#offset)
    if (this.problem === undefined && this.#state !== State.Done) {
      this.#fail(this.#offset, 'The JSON ends in the middle of a value.')
    }
  }

  /** Everything pushed so far, valid or not. */
  get raw(): string {
    return this.#raw.text
  }

  /** UTF-16 units pushed so far. */
  get length(): number {
    return this.#raw.length
  }

  /** True once the outermost value has ended and nothing wrong followed it. */
  get complete(): boolean {
    return this.#state === State.Done && this.problem === undefined
  }

  /**
   * The value so far, or undefined if there is none. It is only valid until the next push, which makes lists and
   * objects grow in place; `capture` returns one that doesn't change.
   */
  get value(): unknown {
    const growing = this.#growing()
    if (this.#open === undefined) return growing ?? this.#root
    if (growing !== undefined) this.#open.showGrowing(this.#key, growing)
    return this.#root
  }

  /** O(1): the value is built when it is first read. Later pieces do not change it. */
  capture(): JsonCapture {
    const growing = this.#growing()
    if (this.#open === undefined) return new JsonCapture(undefined, '', growing ?? this.#root)
    return new JsonCapture(this.#open, this.#key, growing)
  }

  #growing(): string | undefined {
    if (this.#inKey || this.#state < State.Text || this.#state > State.Unicode) return undefined
    return this.#longString?.text ?? this.#token
  }

  /** The number of the string value that is being read, starting at 1; 0 if there is none. */
  get growingString(): number {
    return this.#growing() === undefined ? 0 : this.#stringCount
  }

  /** Its length so far, in UTF-16 units. */
  get growingLength(): number {
    return (this.#longString ?? this.#token).length
  }

  /** Its path in the value, and its text after the first `length` UTF-16 units. */
  grownSince(length: number): GrownString {
    const text = this.#longString?.since(length) ?? this.#token.slice(length)
    const path: (string | number)[] = []
    let [key, place] = [this.#key, this.#open?.count ?? 0]
    for (let open = this.#open; open !== undefined; open = open.parent) {
      path.unshift(open.isList ? place : key)
      key = open.key
      place = open.indexInParent
    }
    return { path, text }
  }

  /**
   * Inside a string, up to its end or an escape.
   *
   *   | {"path": "src/main.rs"}
   *              ^
   */
  #readString(text: string, from: number): number {
    let i = from
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code === Char.Quote || code === Char.Backslash || code < Char.Space) break
    }
    if (i > from) this.#append(i - from === text.length ? text : text.slice(from, i))
    if (i === text.length) return i
    const code = text.charCodeAt(i)
    if (code === Char.Backslash) this.#state = State.Escape
    else if (code === Char.Quote) this.#finishString()
    else this.#fail(this.#offset + i, 'A string must not contain a raw control character.')
    return i + 1
  }

  /** A surrogate pair shows only once both halves are there. */
  #append(piece: string): void {
    let text = piece
    if (endsInHalf(piece)) {
      text = this.#highSurrogate + piece.slice(0, -1)
      this.#highSurrogate = piece.slice(-1)
    } else if (this.#highSurrogate !== '') {
      text = this.#highSurrogate + piece
      this.#highSurrogate = ''
    }
    if (this.#longString !== undefined) return this.#longString.append(text)
    this.#token += text
    if (this.#token.length < LONG) return
    this.#longString = new GrowingText(this.#token)
    this.#token = ''
  }

  #readOther(text: string, i: number): number {
    const code = text.charCodeAt(i)
    switch (this.#state) {
      case State.Escape:
        this.#readEscape(text, i, code)
        return i + 1
      case State.Unicode:
        this.#readHex(text, i, code)
        return i + 1
      case State.Numeral:
      case State.Literal:
        return this.#readToken(text, i)
      default:
        if (code !== Char.Space && code !== Char.Newline && code !== Char.Return && code !== Char.Tab) {
          this.#readStructure(i, code)
          // A token begins with this character.
          if (this.#inToken()) return i
        }
        return i + 1
    }
  }

  #inToken(): boolean {
    return this.#state === State.Numeral || this.#state === State.Literal
  }

  /** Inside a number or a literal, up to the first character that can't belong to it. */
  #readToken(text: string, from: number): number {
    let i = from
    while (i < text.length && isTokenCharacter(text.charCodeAt(i))) i++
    this.#token += text.slice(from, i)
    if (i < text.length || (this.#state === State.Literal && this.#token.length > 5)) {
      this.#finishToken(this.#offset + i)
    }
    return i
  }

  /**
   * Between tokens.
   *
   *   | {"paths": ["a", "b"], "depth": 2}
   *     ^       ^ ^   ^    ^^        ^  ^
   */
  #readStructure(i: number, code: number): void {
    switch (this.#state) {
      case State.FirstKey:
        if (code === Char.CloseBrace) return this.#close()
        return this.#startKey(i, code)
      case State.Key:
        return this.#startKey(i, code)
      case State.Colon:
        if (code !== Char.Colon) return this.#fail(this.#offset + i, 'A colon must follow a key.')
        this.#state = State.Value
        return
      case State.FirstItem:
        if (code === Char.CloseBracket) return this.#close()
        return this.#startValue(i, code)
      case State.Value:
        return this.#startValue(i, code)
      case State.After: {
        const { isList } = this.#open!
        if (code === Char.Comma) this.#state = isList ? State.Value : State.Key
        else if (code === (isList ? Char.CloseBracket : Char.CloseBrace)) this.#close()
        else this.#fail(this.#offset + i, 'A comma or the end of the list or object must follow a value.')
        return
      }
      default:
        this.#fail(this.#offset + i, 'Nothing may follow the end of the JSON value.')
    }
  }

  #startKey(i: number, code: number): void {
    if (code !== Char.Quote) return this.#fail(this.#offset + i, 'A key in double quotes is expected here.')
    this.#inKey = true
    this.#state = State.Text
  }

  #startValue(i: number, code: number): void {
    if (code === Char.Quote) {
      this.#state = State.Text
      this.#stringCount++
    } else if (code === Char.OpenBrace || code === Char.OpenBracket) {
      this.#openContainer(code === Char.OpenBracket, this.#offset + i)
    } else if (code === Char.Minus || (code >= Char.Zero && code <= Char.Nine)) {
      this.#state = State.Numeral
    } else if (code >= Char.LowerA && code <= Char.LowerZ) {
      this.#state = State.Literal
    } else {
      this.#fail(this.#offset + i, 'A value is expected here.')
    }
  }

  #openContainer(isList: boolean, offset: number): void {
    if (this.#depth >= limits.jsonDepth) {
      this.problem = { kind: 'depth', offset, message: `The JSON is nested deeper than ${limits.jsonDepth} levels.` }
      return
    }
    const container = new OpenContainer(isList, this.#open, this.#key)
    if (this.#open === undefined) this.#root = container.value
    else this.#add(container.value)
    this.#open = container
    this.#depth++
    this.#state = isList ? State.FirstItem : State.FirstKey
  }

  #close(): void {
    this.#open = this.#open!.parent
    this.#depth--
    this.#state = this.#open === undefined ? State.Done : State.After
  }

  #add(value: unknown): void {
    const container = this.#open!
    container.add(this.#key, value)
    if (this.#depth === 1 && !container.isList) this.parameters++
  }

  #finishScalar(value: unknown): void {
    if (this.#open === undefined) {
      this.#root = value
      this.#state = State.Done
    } else {
      this.#add(value)
      this.#state = State.After
    }
  }

  #finishString(): void {
    const text = (this.#longString?.text ?? this.#token) + this.#highSurrogate
    this.#longString = undefined
    this.#token = ''
    this.#highSurrogate = ''
    if (this.#inKey) {
      this.#key = text
      this.#state = State.Colon
      this.#inKey = false
    } else {
      this.#finishScalar(text)
    }
  }

  #finishToken(offset: number): void {
    const token = this.#token
    if (this.#state === State.Numeral) {
      if (!numberPattern.test(token)) return this.#fail(offset - token.length, 'This is not a JSON number.')
      this.#finishScalar(Number(token))
    } else if (literals.has(token)) {
      this.#finishScalar(literals.get(token))
    } else {
      this.#fail(
        offset - token.length,
        '`true`, `false`, `null`, a number, a string, a list or an object is expected here.',
      )
    }
    this.#token = ''
  }

  #readEscape(text: string, i: number, code: number): void {
    if (code === Char.LowerU) {
      this.#hex = ''
      this.#state = State.Unicode
      return
    }
    const character = escaped[escapes.indexOf(text[i]!)]
    if (character === undefined) return this.#fail(this.#offset + i, 'This escape does not exist in JSON.')
    this.#append(character)
    this.#state = State.Text
  }

  #readHex(text: string, i: number, code: number): void {
    if (!isHex(code)) return this.#fail(this.#offset + i, 'Four hexadecimal digits must follow `\\u`.')
    this.#hex += text[i]
    if (this.#hex.length < 4) return
    this.#append(String.fromCharCode(Number.parseInt(this.#hex, 16)))
    this.#state = State.Text
  }

  #fail(offset: number, message: string): void {
    this.problem = { kind: 'malformed', offset, message }
  }
}

/** The text appended to a string that is still being written, and the string's path in the value. */
export interface GrownString {
  path: readonly (string | number)[]
  text: string
}

export interface JsonProblem {
  kind: 'malformed' | 'depth'
  /** UTF-16 units before the first wrong token. */
  offset: number
  /** A complete sentence. */
  message: string
}

const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const literals: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** Each of these after a backslash means the character at the same index below. */
const escapes = '"\\/bfnrt'
const escaped = '"\\/\b\f\n\r\t'

/** Strings from this many UTF-16 units are long; their pieces are then joined to save memory. */
const LONG = 4096

function isTokenCharacter(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    code === 43 ||
    code === 45 ||
    code === 46
  )
}

function isHex(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70)
}
