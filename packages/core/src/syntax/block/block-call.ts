import type { ErrorCode } from '../../source/error.ts'
import { MAX_CALL, MAX_PARAMETERS } from '../limits.ts'
import type { LineStarts } from '../reader/line-starts.ts'
import type { OpenCall } from '../reader/open-call.ts'
import type { Reader } from '../reader/reader.ts'
import type { State } from '../reader/states.ts'
import { BlockInput } from './block-input.ts'
import { continuesField, indentation, isField, maybeQuoted, startsQuoted } from './block-line.ts'
import { type BlockRecord, type BlockState, blockStates } from './block-record.ts'
import { BodyLines } from './body-lines.ts'
import type { CallHeader } from './call-header.ts'
import type { LiteralBlock } from './literal-block.ts'
import { getEntries, isEmpty, readField, textOfScalar, toValue, type YamlEntry, type YamlProblem } from './yaml-text.ts'

/** A field that has been parsed, with the lines that it was on. */
interface Field extends YamlEntry {
  body: BodyLines
}

/** The most problems that are told of one call. */
const MOST_PROBLEMS = 8

/** The other spellings of fields. */
const spellings: ReadonlyMap<string, string> = new Map([
  ['id', 'toolCallId'],
  ['name', 'toolName'],
  ['error', 'errorText'],
])

/**
 * A call that is written as a header and a body of YAML fields, line by line:
 *
 *     search call_123
 *     state: output-available
 *     input:
 *       query: cats
 *     output:
 *       results: []
 *
 * A field is parsed once, when the line of the next one begins. The call opens as soon as its name and its id are known
 * or can no longer come. Its input is sent as soon as the field `input` has ended and a result is certain to follow, or
 * else when the block ends: a chunk must still come that can carry the other fields.
 */
export class BlockCall {
  readonly #reader: Reader
  readonly #lineStarts: LineStarts
  readonly #observe: ((record: BlockRecord) => void) | undefined
  /** The lines of the field that is being read. */
  #body = new BodyLines()
  /** `fields`: each field is read when it ends; `whole`: the body is a mapping of another form and read at its end. */
  #form: 'unknown' | 'fields' | 'whole' = 'unknown'
  /** The column at which fields begin. */
  #column = 0
  #size = 0
  readonly #seen = new Set<string>()
  #name: string | undefined
  #id: string | undefined
  #state: BlockState | undefined
  #input: Field | undefined
  /** The parameters, where they are a block of their own below `input:` and the call is open before them. */
  #parameters: BlockInput | undefined
  #hasParameters = false
  /** What has come of the line that is being read, while it may begin a text that is sent as it comes. */
  #head: string | undefined = ''
  /** The line is sent as it comes. */
  #isLive = false
  /** The literal block whose line is being read. */
  #literal: LiteralBlock | undefined
  #output: { value: unknown } | undefined
  #errorText: string | undefined
  /** The other fields, and those of them that no chunk has carried yet. */
  readonly #extra = Object.create(null) as Record<string, unknown>
  #unsent: Record<string, unknown> | undefined
  readonly #problems: { code: ErrorCode; message: string; offset: number }[] = []
  /** The input has been handed over, nothing was wrong until then, and `tool-input-available` has been sent. */
  #passed = false
  #isReady = false
  #given = false

  constructor(reader: Reader, lineStarts: LineStarts, observe?: (record: BlockRecord) => void) {
    this.#reader = reader
    this.#lineStarts = lineStarts
    this.#observe = observe
  }

  /** The header, which is at `offset`. Like all that may open the call, gives the state to go to where it may not. */
  begin(header: CallHeader, offset: number): State | undefined {
    this.#name = header.name
    this.#id = header.id
    if (header.problem !== undefined) this.#report('SYNTAX_BAD_HEADER', `${header.problem}.`, offset)
    return this.#advance()
  }

  /** The first character of a line that is not blank is at `column`. If it begins a field, the one before has ended. */
  beginLine(column: number, first: string): State | undefined {
    if (this.#form !== 'fields' || column > this.#column || '#-:}]\t'.includes(first)) return undefined
    return this.#endField()
  }

  /** More of a line that begins at `offset` and has not ended: a quoted text is sent while it is written. */
  part(text: string, offset: number): void {
    if (this.#isLive) this.#parameters?.more(text)
    else if (this.#head !== undefined) this.#beginPart(this.#head + text, offset)
  }

  #beginPart(head: string, offset: number): void {
    this.#head = head
    const column = indentation(head)
    if (column < 0) return
    const parameters = this.#parameters
    if (parameters === undefined || !parameters.isQuoted) {
      const isWanted = parameters === undefined ? column > this.#column : column === parameters.column
      if (isWanted && maybeQuoted(head)) return
      this.#head = undefined
      if (!isWanted || !startsQuoted(head, column)) return
      if (parameters === undefined && !this.#beginsParameters(head, column)) return
    }
    this.#head = undefined
    this.#isLive = this.#parameters?.beginLine(head, column, offset) === true
  }

  /** The next line of the body. `offset` and `shift` say where it is, as in `BodyLines`. */
  line(line: string, offset: number, shift: number): State | undefined {
    this.#head = ''
    this.#isLive = false
    if (!this.#grow(line.length + 1, offset)) return undefined
    const column = indentation(line)
    if (column < 0 && this.#form === 'unknown' && this.#body.isEmpty) return undefined
    if (this.#parameters !== undefined && (column < 0 || column > this.#column || continuesField(line, column))) {
      this.#parameters.line(line, column, offset, shift)
      return undefined
    }
    if (this.#beginsParameters(line, column)) {
      this.#parameters?.line(line, column, offset, shift)
      return undefined
    }
    let elsewhere: State | undefined
    if (this.#form === 'unknown') {
      if (/^[ \t]*[^ \t#]/.test(line)) {
        this.#form = isField(line) ? 'fields' : 'whole'
        this.#column = column
      }
    } else if (this.#form === 'fields' && column >= 0 && column <= this.#column && !continuesField(line, column)) {
      elsewhere = this.#endField()
      if (column < this.#column) {
        this.#report('SYNTAX_BAD_YAML', 'This line is indented less than the first field.', offset)
      }
    }
    this.#body.add(line, offset, shift)
    const { call } = this.#reader
    if (call !== undefined && column === this.#column && line.startsWith('output:', column)) this.#complete(call)
    return elsewhere
  }

  /**
   * True when the line at `offset`, whose first character that is not a blank is at `column`, is one of a literal block: the
   * rest of it is read by `readLiteral`, and does not come to `line`.
   */
  beginsLiteral(column: number, offset: number): boolean {
    const literal = this.#parameters?.literal
    if (literal?.takes(column) !== true || !this.#grow(column + 1, offset)) return false
    this.#literal = literal
    literal.beginLine(column, offset)
    return true
  }

  /** Reads on in that line and in those that follow it, as `LiteralBlock.read` does. */
  readLiteral(quote: string, mark: number): void {
    const literal = this.#literal
    if (literal !== undefined) this.#grow(literal.read(quote, mark, MAX_CALL - this.#size), literal.lineOffset)
  }

  /** The block has ended: the call opens, if it has not, and all that is to say of it is said. */
  finish(): State | undefined {
    const elsewhere = this.#endField() ?? this.#open(this.#problems.length === 0 ? 'tool' : 'unknown')
    if (elsewhere !== undefined) return elsewhere
    const { call } = this.#reader
    if (call === undefined) return undefined
    this.#pass(call)
    this.#complete(call)
    const last = this.#problems.pop()
    this.#tellProblems(call)
    if (last !== undefined) call.fail(last.code, last.message, last.offset)
    this.#reply(call)
    call.extra = this.#takeUnsent().extra
    this.#observe?.({ toolCallId: call.id, state: this.#state ?? this.#impliedState(), extra: this.#extra })
    return undefined
  }

  /** The text ends before the block does: the call opens, if it has not, so that it can fail. */
  cutOff(): State | undefined {
    const elsewhere = this.#open('unknown')
    const { call } = this.#reader
    if (call !== undefined) {
      this.#tellProblems(call)
      call.extra = this.#takeUnsent().extra
    }
    return elsewhere
  }

  /** This many characters more are in the call. False where it has too many, which is told once. */
  #grow(length: number, offset: number): boolean {
    const before = this.#size
    this.#size += length
    if (this.#size <= MAX_CALL) return true
    const message = `The call is longer than ${MAX_CALL} characters; write it in several calls.`
    if (before <= MAX_CALL) this.#report('SYNTAX_CALL_TOO_LONG', message, offset)
    return false
  }

  /** True for the first parameter below `input:`, where each can be sent when it has ended. */
  #beginsParameters(line: string, column: number): boolean {
    const { call } = this.#reader
    if (this.#form !== 'fields' || column <= this.#column || call === undefined) return false
    if (this.#problems.length > 0 || this.#seen.has('input') || !isField(line)) return false
    if (!this.#body.isInput(this.#column)) return false
    this.#body = new BodyLines()
    this.#seen.add('input')
    this.#hasParameters = true
    this.#parameters = new BlockInput(this.#reader, call, column, (problem, body) => this.#reportYaml(problem, body))
    return true
  }

  /** Parses the lines of the field that has ended, or of the whole body. */
  #endField(): State | undefined {
    this.#parameters?.end()
    this.#parameters = undefined
    if (this.#body.isEmpty) return this.#advance()
    const body = this.#body
    this.#body = new BodyLines()
    const isEmptyInput = this.#form === 'fields' && body.isInput(this.#column)
    const hasFailed = this.#problems.length >= MOST_PROBLEMS
    const entries = isEmptyInput
      ? [{ key: 'input', node: null, at: this.#column }]
      : readField(body.text, hasFailed && this.#form === 'fields')
    if (Array.isArray(entries)) for (const entry of entries) this.#take({ ...entry, body })
    else this.#reportYaml(entries, body)
    return this.#advance()
  }

  #take(field: Field): void {
    const { key, body, at } = field
    if (this.#seen.has(key)) {
      this.#report('SYNTAX_BAD_YAML', `The field \`${key.slice(0, 64)}\` is given twice.`, body.offsetAt(at))
      return
    }
    this.#seen.add(key)
    if (this.#seen.size > MAX_PARAMETERS) {
      if (this.#seen.size > MAX_PARAMETERS + 1) return
      this.#report('SYNTAX_TOO_MANY_PARAMETERS', `There are more than ${MAX_PARAMETERS} fields.`, body.offsetAt(at))
      return
    }
    switch (spellings.get(key) ?? key) {
      case 'toolCallId':
        this.#id ??= this.#word(field)
        break
      case 'toolName':
        this.#name ??= this.#word(field)
        break
      case 'state':
        this.#takeState(field)
        break
      case 'input':
        this.#input = field
        break
      case 'output':
        this.#output = this.#value(field)
        break
      case 'errorText':
        this.#takeError(field)
        break
      default:
        this.#takeExtra(field)
    }
  }

  #takeState(field: Field): void {
    const word = this.#word(field)
    if (word === undefined) return
    this.#state = blockStates.find(state => state === word)
    if (this.#state !== undefined) return
    const message = `The state \`${word.slice(0, 64)}\` is not one of ${blockStates.join(', ')}.`
    this.#report('SYNTAX_BAD_STATE', message, field.body.offsetAt(field.at))
  }

  /** An error that is not a text is told as JSON; null and an empty text say that there is none. */
  #takeError(field: Field): void {
    const text = textOfScalar(field.node)
    const value = text ?? this.#value(field)?.value ?? null
    if (value !== null && value !== '') this.#errorText ??= typeof value === 'string' ? value : JSON.stringify(value)
  }

  #takeExtra(field: Field): void {
    const result = this.#value(field)
    if (result === undefined) return
    this.#unsent ??= Object.create(null) as Record<string, unknown>
    this.#extra[field.key] = this.#unsent[field.key] = result.value
  }

  /** The text of a field that is one word; undefined where there is none. */
  #word(field: Field): string | undefined {
    const text = textOfScalar(field.node)
    if (text !== undefined) return text === '' ? undefined : text
    const result = this.#value(field)
    if (result === undefined || result.value === null) return undefined
    this.#report('SYNTAX_BAD_VALUE', `\`${field.key}\` must be one word.`, field.body.offsetAt(field.at))
    return undefined
  }

  #value({ node, body }: Field): { value: unknown } | undefined {
    const result = toValue(node)
    if ('value' in result) return result
    this.#reportYaml(result, body)
    return undefined
  }

  /** Opens the call if it is named, and hands its input over if that is there. */
  #advance(): State | undefined {
    if (this.#name === undefined || this.#id === undefined) return undefined
    const elsewhere = this.#open(this.#name)
    const { call } = this.#reader
    if (elsewhere !== undefined || call === undefined) return elsewhere
    if (this.#input !== undefined || (this.#hasParameters && this.#parameters === undefined)) this.#pass(call)
    const isReply = this.#state === 'output-available' || this.#state === 'output-error'
    if (isReply || this.#output !== undefined || this.#errorText !== undefined) this.#complete(call)
    return undefined
  }

  #open(fallback: string): State | undefined {
    if (this.#reader.call !== undefined) return undefined
    return this.#reader.open(this.#name ?? fallback, this.#id)
  }

  /** Hands the input over, unless something is wrong. */
  #pass(call: OpenCall): void {
    if (this.#passed || this.#problems.length > 0) return
    this.#passed = true
    if (this.#input !== undefined) this.#passInput(call, this.#input)
    this.#isReady = this.#problems.length === 0
  }

  /** Sends `tool-input-available`, with the other fields so far. */
  #complete(call: OpenCall): void {
    if (this.#given || !this.#isReady) return
    call.complete(this.#unsent === undefined ? {} : { extra: this.#unsent })
    this.#given = call.sound
    if (this.#given) this.#unsent = undefined
  }

  #passInput(call: OpenCall, { node, body, at }: Field): void {
    if (isEmpty(node)) return
    const entries = getEntries(node)
    if (entries === undefined) {
      const result = toValue(node)
      if ('value' in result) call.bareInput(result.value, body.offsetAt(at))
      else this.#reportYaml(result, body)
      return
    }
    const keys = new Set<string>()
    for (const entry of entries) {
      if (keys.has(entry.key)) {
        const message = `The key \`${entry.key.slice(0, 64)}\` is given twice.`
        this.#reportYaml({ code: 'SYNTAX_BAD_YAML', message, at: entry.at }, body)
        return
      }
      keys.add(entry.key)
      const result = toValue(entry.node, call.schemaOf(entry.key))
      if (!('value' in result)) {
        this.#reportYaml(result, body)
        return
      }
      call.value(entry.key, result.value, body.offsetAt(entry.at))
      if (call.broken) return
    }
  }

  /** What the block says of the result. An output beside an error is only a preview, so that the call ends as an error. */
  #reply(call: OpenCall): void {
    if (!this.#given) return
    const fails = this.#errorText !== undefined || this.#state === 'output-error'
    if (this.#output !== undefined || this.#state === 'output-available') {
      const output = this.#output === undefined ? null : this.#output.value
      call.reply(fails || !call.sound ? { output, preliminary: true } : { output }, this.#takeUnsent())
    }
    if (fails && call.sound) call.reply({ errorText: this.#errorText ?? 'Tool failed' }, this.#takeUnsent())
  }

  #impliedState(): BlockState {
    if (this.#errorText !== undefined) return 'output-error'
    return this.#output === undefined ? 'input-available' : 'output-available'
  }

  #takeUnsent(): { extra?: Record<string, unknown> } {
    const extra = this.#unsent
    this.#unsent = undefined
    return extra === undefined ? {} : { extra }
  }

  #tellProblems(call: OpenCall): void {
    for (const { code, message, offset } of this.#problems) call.report(code, message, offset)
    this.#problems.length = 0
  }

  #reportYaml({ code, message, at }: YamlProblem, body: BodyLines): void {
    this.#report(code, message, body.offsetAt(at))
  }

  /** The error shows the first problems only, so that a block of nothing but mistakes costs no more than a sound one. */
  #report(code: ErrorCode, message: string, offset: number): void {
    if (this.#problems.length >= MOST_PROBLEMS) return
    const { line, column } = this.#lineStarts.position(offset)
    this.#problems.push({ code, message: `Line ${line}, column ${column}: ${message}`, offset })
  }
}
