import { isSpace, LF } from '../../reader/char-codes.ts'
import { escapeJson, isLargeInteger } from '../../value/json-text.ts'
import { type JsonSink, noSink, type ScanProblem } from './json-sink.ts'
import { escapeStep, findPlainEnd, isWordCode, toLiteral } from './json-words.ts'
import type { ScannerOptions, StringReader } from './string-reader.ts'

const QUOTE = 34
const APOSTROPHE = 39
const OPEN_PAREN = 40
const CLOSE_PAREN = 41
const COMMA = 44
const COLON = 58
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** Positions of the scanner. The methods that read them have pictures. */
const VALUE = 0
const FIRST_ITEM = 1
const NEXT_ITEM = 2
const FIRST_KEY = 3
const NEXT_KEY = 4
const AFTER_KEY = 5
const AFTER_VALUE = 6
const STRING = 7
const ESCAPE = 8
const WORD = 9
const DONE = 10
const QUOTED = 11

/**
 * Reads one JSON value in pieces and passes it on as strict JSON, character by character if it already is. It repairs
 * mistakes that leave no doubt: Python's literals and tuples, single quotes, keys without quotes, commas before a
 * closing bracket, control characters and unknown escapes in strings. It notes each kind of repair once.
 *
 * Every character is read once. Only a comma, an unfinished word or escape, and a line break at the end of a piece are
 * held back.
 */
export class JsonScanner {
  /** The names of the repairs made. The caller that reads the set clears it. */
  readonly repaired: Set<string> = new Set()
  problem: ScanProblem | undefined
  /** The number of keys in the outermost object, including repeated ones. */
  members = 0
  /** An integer was passed on as a string of digits because JavaScript would round it. */
  hasLargeInteger = false
  readonly #strings: StringReader | undefined
  /** Integers that JavaScript would round stay numbers. */
  readonly #rounds: boolean
  /** The text is Python: its literals and quotes are correct, and numbers may have leading zeros. */
  readonly #python: boolean
  #sink: JsonSink = noSink
  #state = DONE
  /** What closes each open bracket, or `(` for one without a comma so far, which may not be a tuple. */
  readonly #stack: number[] = []
  #maxDepth = 0
  #isKey = false
  #quote = QUOTE
  /** Text read but not passed on: a comma and whitespace, part of a word or an escape, or a line break. */
  #heldText = ''
  /** The first character of the current piece that hasn't been passed on. */
  #from = 0
  /** The index of a held comma if it is in this piece, otherwise -1. */
  #comma = -1

  constructor({ strings, rounds = false, python = false }: ScannerOptions = {}) {
    this.#strings = strings
    this.#rounds = rounds
    this.#python = python
  }

  /** A value begins with the next character that isn't whitespace, and nests no deeper than `maxDepth`. */
  begin(sink: JsonSink, maxDepth: number): void {
    this.#begin(sink, VALUE, false)
    this.#maxDepth = maxDepth
  }

  /** A key begins with the next character: a string or a word. */
  beginKey(sink: JsonSink): void {
    this.#begin(sink, FIRST_KEY, true)
  }

  #begin(sink: JsonSink, state: number, isKey: boolean): void {
    this.#sink = sink
    this.#state = state
    this.#isKey = isKey
    this.#stack.length = 0
    this.#heldText = ''
    this.problem = undefined
    this.members = 0
    this.hasLargeInteger = false
  }

  /** The value is complete. The text after it is unread. */
  get done(): boolean {
    return this.#state === DONE
  }

  /** The text may not end here: it is in the middle of a string or a bracket. */
  get inValue(): boolean {
    const state = this.#state
    return state === STRING || state === ESCAPE || state === QUOTED || this.#stack.length > 0
  }

  /** Returns the index after what it read. After the value, nothing is read. */
  read(text: string, at: number): number {
    let i = at
    if (this.#state === STRING) {
      // By far the most common case: a piece from the middle of a long string.
      if (this.#heldText !== '') this.#putHeld(this.#heldText)
      i = findPlainEnd(text, at, this.#quote)
      if (i === text.length) {
        this.#pass(text, at, i)
        return i
      }
    }
    this.#from = at
    this.#comma = -1
    while (i < text.length && this.#state !== DONE) {
      switch (this.#state) {
        case STRING:
          i = this.#readString(text, i)
          break
        case ESCAPE:
          i = this.#readEscape(text, i)
          break
        case WORD:
          i = this.#readWord(text, i)
          break
        case QUOTED:
          i = this.#readQuoted(text, i)
          break
        case NEXT_ITEM:
        case NEXT_KEY:
          i = this.#readAfterComma(text, i)
          break
        case AFTER_KEY:
          i = this.#readAfterKey(text, i)
          break
        case AFTER_VALUE:
          i = this.#readAfterValue(text, i)
          break
        default:
          i = this.#readToken(text, i)
      }
    }
    if (this.#comma >= 0) {
      this.#pass(text, this.#from, this.#comma)
      this.#heldText = text.slice(this.#comma)
    } else if (this.#state === NEXT_ITEM || this.#state === NEXT_KEY) this.#heldText += text.slice(this.#from, i)
    else this.#pass(text, this.#from, i)
    return i
  }

  /**
   *   | {"path": "src/main.rs"}
   *                ^
   */
  #readString(text: string, at: number): number {
    const end = findPlainEnd(text, at, this.#quote)
    if (end === text.length) return end
    const stop = text.charCodeAt(end)
    if (stop === this.#quote) {
      if (stop === APOSTROPHE) this.#putInstead('"', text, end)
      this.#endString()
      return end + 1
    }
    this.#pass(text, this.#from, end)
    this.#from = end + 1
    if (stop === BACKSLASH) {
      this.#heldText = '\\'
      this.#state = ESCAPE
      return end + 1
    }
    this.#repair(stop === QUOTE ? 'single-quotes' : 'control-characters')
    const escaped = escapeJson(String.fromCharCode(stop))
    // The reader adds a line break at the end of the text, which must not become part of a value.
    if (stop === LF && end + 1 === text.length) this.#heldText = escaped
    else this.#sink.put(escaped)
    return end + 1
  }

  /**
   *   | {"path": "a\n", "pattern": "\d"}
   *                 ^                ^
   */
  #readEscape(text: string, at: number): number {
    const letter = text.charAt(at)
    const step = escapeStep(this.#heldText, letter)
    let isTaken = true
    if (step !== 'more') this.#state = STRING
    if (step !== 'broken') this.#heldText += letter
    if (step === 'complete') this.#passHeld()
    else if (step === 'broken') isTaken = this.#repairEscape(letter)
    this.#from = isTaken ? at + 1 : at
    return this.#from
  }

  /**
   * A number, a literal, or a key without quotes.
   *
   *   | {"line": 12, "all": True}
   *               ^          ^
   */
  #readWord(text: string, at: number): number {
    let i = at
    while (i < text.length && isWordCode(text.charCodeAt(i))) i++
    if (i < text.length) this.#endWord(text, at, i)
    else {
      this.#pass(text, this.#from, at)
      this.#heldText += text.slice(at)
      this.#from = i
    }
    return i
  }

  /**
   * A string that the dialect writes in its own way.
   *
   *   | {path:<|"|>src/main.rs<|"|>}
   *           ^    ^          ^
   */
  #readQuoted(text: string, at: number): number {
    this.#pass(text, this.#from, at)
    const strings = this.#strings
    if (strings === undefined) return at
    const end = strings.read(text, at, this.#sink)
    this.#from = end
    if (strings.state === 'closed') this.#endQuoted(strings)
    else if (strings.state === 'none') this.#fail(text.charCodeAt(end))
    return end
  }

  #endQuoted({ problem, repaired }: StringReader): void {
    if (repaired !== undefined) this.#repair(repaired)
    this.#endString()
    if (problem === undefined) return
    this.problem = { code: 'SYNTAX_BAD_JSON', message: problem }
    this.#state = DONE
  }

  /**
   * After a comma, which may be one too many.
   *
   *   | {"line": 12, "paths": ["a", "b"], }
   *                 ^              ^    ^^
   */
  #readAfterComma(text: string, at: number): number {
    const code = text.charCodeAt(at)
    if (isSpace(code)) return at + 1
    if (code === COMMA) {
      this.#fail(code)
      return at
    }
    if (isClosing(code)) {
      if (this.#comma >= 0) this.#pass(text, this.#from, this.#comma)
      this.#repair('trailing-comma')
      this.#from = at
      this.#state = AFTER_VALUE
    } else {
      if (this.#comma < 0) this.#sink.pass(this.#heldText)
      this.#state = this.#state === NEXT_ITEM ? VALUE : FIRST_KEY
    }
    this.#heldText = ''
    this.#comma = -1
    return at
  }

  /**
   *   | {"line": 12}
   *            ^
   */
  #readAfterKey(text: string, at: number): number {
    const code = text.charCodeAt(at)
    if (code === COLON) {
      this.#state = VALUE
      if (this.#stack.length === 1) this.members++
    } else if (!isSpace(code)) {
      this.#fail(code)
      return at
    }
    return at + 1
  }

  /**
   *   | {"line": 12}
   *                ^
   */
  #readAfterValue(text: string, at: number): number {
    const code = text.charCodeAt(at)
    const closing = this.#stack.at(-1)
    if (code === COMMA) {
      this.#state = closing === CLOSE_BRACE ? NEXT_KEY : NEXT_ITEM
      this.#markTuple()
      this.#comma = at
    } else if (code === closing) {
      if (code === CLOSE_PAREN) this.#putInstead(']', text, at)
      this.#stack.pop()
      if (this.#stack.length === 0) this.#state = DONE
    } else if (!isSpace(code)) {
      this.#fail(code)
      return at
    }
    return at + 1
  }

  /**
   *   | {"paths": ["a"]}
   *     ^         ^^
   */
  #readToken(text: string, at: number): number {
    const code = text.charCodeAt(at)
    if (isSpace(code)) return at + 1
    if (!this.#beginToken(code)) return at
    if (code === APOSTROPHE) this.#putInstead('"', text, at, 'single-quotes')
    else if (code === OPEN_PAREN) this.#putInstead('[', text, at, 'python-tuple')
    return at + 1
  }

  /** Begins a value or key, or closes a bracket. Returns false if the character was not consumed. */
  #beginToken(code: number): boolean {
    const state = this.#state
    const wantsKey = state === FIRST_KEY
    if (this.#strings?.begins(code, wantsKey) === true) {
      this.#isKey = wantsKey
      this.#beginQuoted()
      return false
    }
    if (code === QUOTE || code === APOSTROPHE) {
      this.#isKey = wantsKey
      this.#quote = code
      this.#state = STRING
      return true
    }
    if (isWordCode(code)) {
      this.#isKey = wantsKey
      this.#state = WORD
      return false
    }
    if (isClosing(code)) {
      const closes = state === FIRST_ITEM || (wantsKey && this.#stack.length > 0)
      if (closes) this.#markTuple()
      if (closes) this.#state = AFTER_VALUE
      else this.#fail(code)
      return false
    }
    const closing = brackets.get(code)
    if (this.#stack.length === this.#maxDepth && closing !== undefined) {
      this.problem = { code: 'SYNTAX_TOO_DEEP', message: `The JSON nests deeper than ${this.#maxDepth - 1} levels.` }
    }
    if (wantsKey || closing === undefined || this.problem !== undefined) {
      this.#fail(code)
      return false
    }
    this.#stack.push(closing)
    this.#state = code === OPEN_BRACE ? FIRST_KEY : FIRST_ITEM
    return true
  }

  #beginQuoted(prefix?: string): void {
    this.#state = QUOTED
    this.#strings?.begin(prefix)
    this.#sink.repair()
  }

  /** The innermost parenthesis contains a comma, or nothing. */
  #markTuple(): void {
    if (this.#stack.at(-1) === OPEN_PAREN) this.#stack[this.#stack.length - 1] = CLOSE_PAREN
  }

  #endString(): void {
    this.#state = this.#isKey ? AFTER_KEY : AFTER_VALUE
    if (this.#stack.length === 0) this.#state = DONE
  }

  /** The held text isn't a valid escape. Returns true if this letter belongs to it anyway. */
  #repairEscape(letter: string): boolean {
    const isApostrophe = this.#heldText.length === 1 && letter === "'"
    this.#repair(isApostrophe && this.#quote === APOSTROPHE ? 'single-quotes' : 'unknown-escapes')
    // A backslash that escapes nothing is kept. Before a single quote it is dropped.
    this.#putHeld(isApostrophe ? letter : `\\${this.#heldText}`)
    return isApostrophe
  }

  #endWord(text: string, start: number, end: number): void {
    const isSplit = this.#heldText !== ''
    const word = this.#heldText + text.slice(start, end)
    this.#heldText = ''
    if (this.#strings?.isPrefix(word, text.charCodeAt(end)) === true) {
      this.#pass(text, this.#from, start)
      this.#from = end
      this.#beginQuoted(word)
      return
    }
    const json = this.#isKey ? JSON.stringify(word) : this.#literal(word)
    if (isSplit || json !== word) {
      this.#pass(text, this.#from, start)
      this.#from = end
    }
    if (json === undefined) {
      const message = `\`${word.length > 40 ? `${word.slice(0, 40)}…` : word}\` is not a JSON value.`
      this.problem = { code: 'SYNTAX_BAD_JSON', message }
      this.#state = DONE
      return
    }
    if (json !== word) {
      this.#repairWord(word)
      this.#sink.put(json)
    } else if (isSplit) this.#sink.pass(word)
    this.#endString()
  }

  #repairWord(word: string): void {
    if (this.#isKey && this.#strings === undefined) this.#repair('unquoted-keys')
    else if (this.#isKey || this.hasLargeInteger) this.#sink.repair()
    else this.#repair(/\d/.test(word) ? 'leading-zeros' : 'python-literals')
  }

  /** The JSON of a word. An integer that would be rounded becomes a string of its digits. */
  #literal(word: string): string | undefined {
    if (!this.#rounds && isLargeInteger(word)) {
      this.hasLargeInteger = true
      return `"${word}"`
    }
    return toLiteral(this.#python ? word.replace(/^(-?)0+(?=\d)/, '$1') : word)
  }

  #fail(code: number): void {
    const character = JSON.stringify(String.fromCharCode(code))
    this.problem ??= { code: 'SYNTAX_BAD_JSON', message: `${character} is not allowed here in JSON.` }
    this.#state = DONE
  }

  #passHeld(): void {
    this.#sink.pass(this.#heldText)
    this.#heldText = ''
  }

  #putHeld(json: string): void {
    this.#sink.put(json)
    this.#heldText = ''
  }

  /** Passes on `json` instead of the character at `at`. */
  #putInstead(json: string, text: string, at: number, repair?: string): void {
    this.#pass(text, this.#from, at)
    if (repair !== undefined) this.#repair(repair)
    this.#sink.put(json)
    this.#from = at + 1
  }

  #repair(repairName: string): void {
    if (!(this.#python && pythonForms.has(repairName))) this.repaired.add(repairName)
    this.#sink.repair()
  }

  #pass(text: string, start: number, end: number): void {
    if (end > start) this.#sink.pass(start === 0 && end === text.length ? text : text.slice(start, end))
  }
}

function isClosing(code: number): boolean {
  return code === CLOSE_BRACE || code === CLOSE_BRACKET || code === CLOSE_PAREN
}

const brackets: ReadonlyMap<number, number> = new Map([
  [OPEN_BRACE, CLOSE_BRACE],
  [OPEN_BRACKET, CLOSE_BRACKET],
  [OPEN_PAREN, OPEN_PAREN],
])

/** Valid in Python, not in JSON. */
const pythonForms = new Set(['single-quotes', 'python-literals', 'python-tuple', 'trailing-comma', 'leading-zeros'])
