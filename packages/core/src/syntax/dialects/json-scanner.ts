import { isSpace, LF } from '../reader/char-codes.ts'
import { escapeJson, isLargeInteger } from '../value/json-text.ts'
import { type JsonSink, noSink, type ScannerOptions, type ScanProblem } from './json-sink.ts'
import { isWordCode, literalOf, plainEnd } from './json-words.ts'
import { QuotedString } from './quoted-string.ts'

const QUOTE = 34
const APOSTROPHE = 39
/** On the stack: a parenthesis in which no comma has come, so that it may be not a tuple. */
const OPEN_PAREN = 40
const CLOSE_PAREN = 41
const COMMA = 44
const COLON = 58
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** Where the scanner is; the pictures are at the cases of `read`. */
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
 * Reads one JSON value in pieces and gives it on as strict JSON, character for character where it is. What models get
 * wrong in ways that leave no doubt is repaired: Python's literals and tuples, single quotes, keys without quotes, commas
 * before a closing bracket, control characters and unknown escapes in strings. Each kind of repair is noted once.
 *
 * Every character is read once; held back are only a comma, a word and an escape that have not ended.
 */
export class JsonScanner {
  /** What had to be repaired, in words. Cleared by whoever reads it. */
  readonly repaired: Set<string> = new Set()
  /** What is wrong, once it cannot be repaired. */
  problem: ScanProblem | undefined
  /** How many keys the outermost object has, repeated ones counted. */
  members = 0
  /** An integer was given on as a string of its digits, because JavaScript would round it. */
  hasLargeInteger = false
  /** What is around strings, besides quotes: `<|"|>`. */
  readonly #delimiter: string
  /** Integers that JavaScript would round are left as they are. */
  readonly #rounds: boolean
  /** The text is Python's: its literals and quotes are right, and numbers may begin with zeros. */
  readonly #python: boolean
  readonly #quoted: QuotedString
  #sink: JsonSink = noSink
  #state = DONE
  /** One entry for each open bracket: what closes it. */
  readonly #stack: number[] = []
  #maxDepth = 0
  /** The string or the word being read is a key. */
  #isKey = false
  /** The quote that ends the string being read. */
  #quote = QUOTE
  /** What has been read and not given on: a comma and blanks, part of a word or of an escape, a line break. */
  #held = ''

  constructor({ delimiter = '', rounds = false, python = false }: ScannerOptions = {}) {
    this.#delimiter = delimiter
    this.#quoted = new QuotedString(delimiter)
    this.#rounds = rounds
    this.#python = python
  }

  /** A value begins with the next character that is not a blank, and nests no deeper than `maxDepth`. */
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
    this.#held = ''
    this.problem = undefined
    this.members = 0
    this.hasLargeInteger = false
  }

  /** The value has been read; what follows it has not. */
  get done(): boolean {
    return this.#state === DONE
  }

  /** The text may not end here: it is in the middle of a string, a word or a bracket. */
  get inValue(): boolean {
    const state = this.#state
    return state === STRING || state === ESCAPE || state === QUOTED || this.#stack.length > 0
  }

  /** Reads on in `text` and gives the index after the last character that belongs to the value. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a switch over states, the hot loop of every JSON dialect.
  read(text: string, at: number): number {
    /** The first character that has not been given on. */
    let from = at
    /** Where the comma is that is held back, if it is in this piece. */
    let comma = -1
    let i = at
    if (this.#state === STRING) {
      // By far the most common: a piece from the middle of a long string.
      if (this.#held !== '') this.#putHeld(this.#held)
      i = plainEnd(text, at, this.#quote)
      if (i === text.length) {
        this.#pass(text, at, i)
        return i
      }
    }
    while (i < text.length && this.#state !== DONE) {
      const code = text.charCodeAt(i)
      switch (this.#state) {
        // {"path": "src/main.rs"}
        //            ^
        case STRING: {
          const quote = this.#quote
          i = plainEnd(text, i, quote)
          if (i === text.length) break
          const stop = text.charCodeAt(i)
          if (stop === quote) {
            i++
            if (quote === APOSTROPHE) {
              this.#pass(text, from, i - 1)
              this.#sink.put('"')
              from = i
            }
            this.#endString()
          } else if (stop === BACKSLASH) {
            this.#pass(text, from, i)
            this.#held = '\\'
            this.#state = ESCAPE
            from = ++i
          } else {
            this.#pass(text, from, i)
            from = ++i
            this.#repair(stop === QUOTE ? 'single-quotes' : 'control-characters')
            const escaped = escapeJson(String.fromCharCode(stop))
            // The reader ends a text with a line break of its own, which must not become part of a value.
            if (stop === LF && i === text.length) this.#held = escaped
            else this.#sink.put(escaped)
          }
          break
        }
        // {"path": "a\n", "pattern": "\d"}
        //             ^                ^
        case ESCAPE: {
          const goesOn = this.#readEscape(code)
          if (goesOn) i++
          from = i
          break
        }
        // {"line": 12, "all": True}
        //           ^          ^
        case WORD: {
          const start = i
          while (i < text.length && isWordCode(text.charCodeAt(i))) i++
          const word = text.slice(start, i)
          if (i === text.length) {
            this.#pass(text, from, start)
            this.#held += word
            from = i
          } else from = this.#endWord(text, from, start, i)
          break
        }
        // {path:<|"|>src/main.rs<|"|>}
        //       ^    ^          ^
        case QUOTED:
          this.#pass(text, from, i)
          i = this.#readQuoted(text, i)
          from = i
          break
        // {"line": 12, "paths": ["a", "b"], }
        //             ^              ^    ^^
        case NEXT_ITEM:
        case NEXT_KEY:
          if (isSpace(code)) i++
          else if (code === COMMA) this.#fail(code)
          else {
            if (code === CLOSE_BRACE || code === CLOSE_BRACKET || code === CLOSE_PAREN) {
              if (comma >= 0) this.#pass(text, from, comma)
              this.#held = ''
              this.#repair('trailing-comma')
              from = i
              this.#state = AFTER_VALUE
            } else {
              if (comma < 0) this.#sink.pass(this.#held)
              this.#held = ''
              this.#state = this.#state === NEXT_ITEM ? VALUE : FIRST_KEY
            }
            comma = -1
          }
          break
        // {"line": 12}
        //      ^    ^
        case AFTER_KEY:
          if (code === COLON) {
            this.#state = VALUE
            if (this.#stack.length === 1) this.members++
          } else if (!isSpace(code)) this.#fail(code)
          if (this.problem === undefined) i++
          break
        case AFTER_VALUE:
          if (code === COMMA) {
            this.#state = this.#stack.at(-1) === CLOSE_BRACE ? NEXT_KEY : NEXT_ITEM
            this.#isTuple()
            comma = i
          } else if (code === this.#stack.at(-1)) {
            if (code === CLOSE_PAREN) {
              this.#pass(text, from, i)
              this.#sink.put(']')
              from = i + 1
            }
            this.#stack.pop()
            if (this.#stack.length === 0) this.#state = DONE
          } else if (!isSpace(code)) this.#fail(code)
          if (this.problem === undefined) i++
          break
        // {"paths": ["a"]}
        // ^         ^^
        default:
          if (isSpace(code)) i++
          else {
            const taken = this.#beginToken(code)
            if (taken && code === APOSTROPHE) {
              this.#pass(text, from, i)
              this.#repair('single-quotes')
              this.#sink.put('"')
              from = i + 1
            } else if (taken && code === OPEN_PAREN) {
              this.#pass(text, from, i)
              this.#repair('python-tuple')
              this.#sink.put('[')
              from = i + 1
            }
            if (taken) i++
          }
      }
    }
    if (comma >= 0) {
      this.#pass(text, from, comma)
      this.#held = text.slice(comma)
    } else if (this.#state === NEXT_ITEM || this.#state === NEXT_KEY) this.#held += text.slice(from, i)
    else this.#pass(text, from, i)
    return i
  }

  /** Reads on in a string between delimiters of the dialect's own, in which nothing else is markup. */
  #readQuoted(text: string, at: number): number {
    const end = this.#quoted.read(text, at, this.#sink)
    if (this.#quoted.state === 'closed' && this.#quoted.hasBracketTooMany) {
      const message = `A string has one bracket too many beside \`${this.#delimiter}\`; put a string that begins or ends with a bracket in quotes.`
      this.problem = { code: 'SYNTAX_BAD_JSON', message }
      this.#state = DONE
    } else if (this.#quoted.state === 'closed') this.#endString()
    else if (this.#quoted.state === 'none') this.#fail(text.charCodeAt(end))
    return end
  }

  /**
   * What begins with this character where a value, a key or a closing bracket may be. False where the character is to
   * be read again, or nothing can begin with it.
   */
  #beginToken(code: number): boolean {
    const state = this.#state
    const wantsKey = state === FIRST_KEY
    if (this.#delimiter !== '' && code === this.#delimiter.charCodeAt(0)) {
      this.#isKey = wantsKey
      this.#state = QUOTED
      this.#quoted.begin()
      this.#sink.repair()
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
    if (code === CLOSE_BRACE || code === CLOSE_BRACKET || code === CLOSE_PAREN) {
      const closes = state === FIRST_ITEM || (wantsKey && this.#stack.length > 0)
      if (closes) this.#isTuple()
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

  /** What the innermost parenthesis holds is a tuple: it has a comma in it, or nothing. */
  #isTuple(): void {
    if (this.#stack.at(-1) === OPEN_PAREN) this.#stack[this.#stack.length - 1] = CLOSE_PAREN
  }

  #endString(): void {
    this.#state = this.#isKey ? AFTER_KEY : AFTER_VALUE
    if (this.#stack.length === 0) this.#state = DONE
  }

  /** Reads on in an escape that a piece ended in, or that JSON does not know; false where this character is not part of it. */
  #readEscape(code: number): boolean {
    const letter = String.fromCharCode(code)
    const held = this.#held
    if (held.length > 1) {
      const hex = /[0-9a-fA-F]/.test(letter)
      if (hex) this.#held += letter
      if (hex && held.length < 5) return true
      this.#state = STRING
      if (hex) this.#passHeld()
      else this.#repairEscape(`\\${held}`)
      return hex
    }
    if (letter === 'u') {
      this.#held += letter
      return true
    }
    this.#state = STRING
    if ('"\\/bfnrt'.includes(letter)) {
      this.#held += letter
      this.#passHeld()
      return true
    }
    // A backslash that escapes nothing stands for itself, and before a single quote for nothing.
    this.#repairEscape(code === APOSTROPHE ? letter : '\\\\')
    return code === APOSTROPHE
  }

  #repairEscape(json: string): void {
    this.#repair(this.#quote === APOSTROPHE && json === "'" ? 'single-quotes' : 'unknown-escapes')
    this.#putHeld(json)
  }

  /** A word ends at `end`; gives the index from which on the text has not been given on. */
  #endWord(text: string, from: number, start: number, end: number): number {
    const split = this.#held !== ''
    const word = this.#held + text.slice(start, end)
    this.#held = ''
    const written = this.#isKey ? JSON.stringify(word) : this.#literal(word)
    if (written === undefined) {
      this.#pass(text, from, start)
      const message = `\`${word.length > 40 ? `${word.slice(0, 40)}…` : word}\` is not a JSON value.`
      this.problem = { code: 'SYNTAX_BAD_JSON', message }
      this.#state = DONE
      return end
    }
    if (written !== word) {
      this.#pass(text, from, start)
      if (this.#isKey && this.#delimiter === '') this.#repair('unquoted-keys')
      else if (this.#isKey || this.hasLargeInteger) this.#sink.repair()
      else this.#repair(/\d/.test(word) ? 'leading-zeros' : 'python-literals')
      this.#sink.put(written)
    } else if (split) this.#sink.pass(word)
    this.#endString()
    return split || written !== word ? end : from
  }

  /** The JSON of a word; an integer that would be rounded is given as a string of its digits. */
  #literal(word: string): string | undefined {
    if (!this.#rounds && isLargeInteger(word)) {
      this.hasLargeInteger = true
      return `"${word}"`
    }
    return literalOf(this.#python ? word.replace(/^(-?)0+(?=\d)/, '$1') : word)
  }

  /** The next character cannot be where it is. */
  #fail(code: number): void {
    const character = JSON.stringify(String.fromCharCode(code))
    this.problem ??= { code: 'SYNTAX_BAD_JSON', message: `${character} is not allowed here in JSON.` }
    this.#state = DONE
  }

  /** What was held back turns out to be right. */
  #passHeld(): void {
    this.#sink.pass(this.#held)
    this.#held = ''
  }

  /** What was held back is `json`. */
  #putHeld(json: string): void {
    this.#sink.put(json)
    this.#held = ''
  }

  #repair(what: string): void {
    if (!(this.#python && pythonForms.has(what))) this.repaired.add(what)
    this.#sink.repair()
  }

  #pass(text: string, start: number, end: number): void {
    if (end > start) this.#sink.pass(start === 0 && end === text.length ? text : text.slice(start, end))
  }
}

/** What each bracket is on the stack. */
const brackets: ReadonlyMap<number, number> = new Map([
  [OPEN_BRACE, CLOSE_BRACE],
  [OPEN_BRACKET, CLOSE_BRACKET],
  [OPEN_PAREN, OPEN_PAREN],
])

/** What is right in Python and wrong in JSON. */
const pythonForms = new Set(['single-quotes', 'python-literals', 'python-tuple', 'trailing-comma', 'leading-zeros'])
