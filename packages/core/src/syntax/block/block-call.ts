import type { ErrorCode } from '../../source/error.ts'
import { MAX_CALL, MAX_PARAMETERS } from '../limits.ts'
import type { LineOffsets } from '../reader/line-offsets.ts'
import type { OpenCall } from '../reader/open-call.ts'
import type { Reader } from '../reader/reader.ts'
import type { State } from '../reader/states.ts'
import { BlockInput } from './block-input.ts'
import { continuesField, getIndentation, isField, maybeQuoted, startsQuoted } from './block-line.ts'
import { type BlockRecord, type BlockState, blockStates } from './block-record.ts'
import { BodyLines } from './body-lines.ts'
import type { CallHeader } from './call-header.ts'
import type { LiteralBlock } from './literal-block.ts'
import {
  getEntries,
  getScalarText,
  isEmptyValue,
  readField,
  toValue,
  type YamlEntry,
  type YamlProblem,
} from './yaml-text.ts'

interface Field extends YamlEntry {
  body: BodyLines
}

const MAX_PROBLEMS = 8

const fieldAliases: ReadonlyMap<string, string> = new Map([
  ['id', 'toolCallId'],
  ['name', 'toolName'],
  ['error', 'errorText'],
])

/**
 * A call written as a header and a body of YAML fields, line by line:
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
  readonly #lineStarts: LineOffsets
  readonly #observe: ((record: BlockRecord) => void) | undefined
  #body = new BodyLines()
  /** `fields`: each field is parsed when it ends. `whole`: the body is some other mapping and is parsed at its end. */
  #form: 'unknown' | 'fields' | 'whole' = 'unknown'
  #column = 0
  #size = 0
  readonly #fieldNames = new Set<string>()
  #name: string | undefined
  #id: string | undefined
  #state: BlockState | undefined
  #input: Field | undefined
  /** Set if the parameters are an indented block below `input:` and the call is already open. */
  #parameters: BlockInput | undefined
  #hasParameters = false
  /** The start of the current line, while it may still begin a text that can be streamed. */
  #head: string | undefined = ''
  #isStreaming = false
  #literal: LiteralBlock | undefined
  #output: { value: unknown } | undefined
  #errorText: string | undefined
  /** Fields that mean nothing to Argot, and those of them that no chunk has carried yet. */
  readonly #extra = Object.create(null) as Record<string, unknown>
  #unsentExtra: Record<string, unknown> | undefined
  readonly #problems: { code: ErrorCode; message: string; offset: number }[] = []
  /** Whether the input was passed on, nothing was wrong until then, and `tool-input-available` was sent. */
  #isInputPassed = false
  #isReady = false
  #isAvailable = false

  constructor(reader: Reader, lineStarts: LineOffsets, observe?: (record: BlockRecord) => void) {
    this.#reader = reader
    this.#lineStarts = lineStarts
    this.#observe = observe
  }

  /** Reads the header at `offset`. Like every method that may open the call, returns the next state if it can't. */
  begin(header: CallHeader, offset: number): State | undefined {
    this.#name = header.name
    this.#id = header.id
    if (header.problem !== undefined) this.#report('SYNTAX_BAD_HEADER', `${header.problem}.`, offset)
    return this.#advance()
  }

  /** A line's first visible character is at `column`. If it begins a field, the previous field has ended. */
  beginLine(column: number, first: string): State | undefined {
    if (this.#form !== 'fields' || column > this.#column || '#-:}]\t'.includes(first)) return undefined
    return this.#endField()
  }

  /** More of the unfinished line that begins at `offset`. Quoted text is streamed while it is written. */
  part(text: string, offset: number): void {
    if (this.#isStreaming) this.#parameters?.more(text)
    else if (this.#head !== undefined) this.#beginPart(this.#head + text, offset)
  }

  #beginPart(head: string, offset: number): void {
    this.#head = head
    const column = getIndentation(head)
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
    this.#isStreaming = this.#parameters?.beginLine(head, column, offset) === true
  }

  /** The next line of the body. For `offset` and `shift`, see `BodyLines`. */
  line(line: string, offset: number, shift: number): State | undefined {
    this.#head = ''
    this.#isStreaming = false
    if (!this.#grow(line.length + 1, offset)) return undefined
    const column = getIndentation(line)
    if (column < 0 && this.#form === 'unknown' && this.#body.isEmpty) return undefined
    if (this.#parameters !== undefined && (column < 0 || column > this.#column || continuesField(line, column))) {
      this.#parameters.line(line, column, offset, shift)
      return undefined
    }
    if (this.#beginsParameters(line, column)) {
      this.#parameters?.line(line, column, offset, shift)
      return undefined
    }
    let otherState: State | undefined
    if (this.#form === 'unknown') {
      if (/^[ \t]*[^ \t#]/.test(line)) {
        this.#form = isField(line) ? 'fields' : 'whole'
        this.#column = column
      }
    } else if (this.#form === 'fields' && column >= 0 && column <= this.#column && !continuesField(line, column)) {
      otherState = this.#endField()
      if (column < this.#column) {
        this.#report('SYNTAX_BAD_YAML', 'This line is indented less than the first field.', offset)
      }
    }
    this.#body.add(line, offset, shift)
    const { call } = this.#reader
    if (call !== undefined && column === this.#column && line.startsWith('output:', column)) this.#complete(call)
    return otherState
  }

  /**
   * True if the line at `offset`, whose first visible character is at `column`, belongs to a literal block.
   * `readLiteral` then reads the rest of it, and `line` never sees it.
   */
  beginsLiteral(column: number, offset: number): boolean {
    const literal = this.#parameters?.literal
    if (literal?.takes(column) !== true || !this.#grow(column + 1, offset)) return false
    this.#literal = literal
    literal.beginLine(column, offset)
    return true
  }

  /** Continues in that line and the ones after it. See `LiteralBlock.read`. */
  readLiteral(quote: string, mark: number): void {
    const literal = this.#literal
    if (literal !== undefined) this.#grow(literal.read(quote, mark, MAX_CALL - this.#size), literal.lineOffset)
  }

  /** The block has ended: opens the call if needed, and reports everything about it. */
  finish(): State | undefined {
    const otherState = this.#endField() ?? this.#open(this.#problems.length === 0 ? 'tool' : 'unknown')
    if (otherState !== undefined) return otherState
    const { call } = this.#reader
    if (call === undefined) return undefined
    this.#pass(call)
    this.#complete(call)
    const lastProblem = this.#problems.pop()
    this.#reportProblems(call)
    if (lastProblem !== undefined) call.fail(lastProblem.code, lastProblem.message, lastProblem.offset)
    this.#reply(call)
    call.extra = this.#takeUnsentExtra().extra
    this.#observe?.({ toolCallId: call.id, state: this.#state ?? this.#impliedState(), extra: this.#extra })
    return undefined
  }

  /** The text ends before the block does: opens the call if needed, so that it can fail. */
  cutOff(): State | undefined {
    const otherState = this.#open('unknown')
    const { call } = this.#reader
    if (call !== undefined) {
      this.#reportProblems(call)
      call.extra = this.#takeUnsentExtra().extra
    }
    return otherState
  }

  /** Adds to the call's length. Returns false if the call is too long, and reports that once. */
  #grow(length: number, offset: number): boolean {
    const before = this.#size
    this.#size += length
    if (this.#size <= MAX_CALL) return true
    const message = `The call is longer than ${MAX_CALL} characters; write it in several calls.`
    if (before <= MAX_CALL) this.#report('SYNTAX_CALL_TOO_LONG', message, offset)
    return false
  }

  /** True for the first parameter below `input:`, if parameters can be sent one by one. */
  #beginsParameters(line: string, column: number): boolean {
    const { call } = this.#reader
    if (this.#form !== 'fields' || column <= this.#column || call === undefined) return false
    if (this.#problems.length > 0 || this.#fieldNames.has('input') || !isField(line)) return false
    if (!this.#body.isInput(this.#column)) return false
    this.#body = new BodyLines()
    this.#fieldNames.add('input')
    this.#hasParameters = true
    this.#parameters = new BlockInput(this.#reader, call, column, (problem, body) => this.#reportYaml(problem, body))
    return true
  }

  /** Parses the field that just ended, or the whole body. */
  #endField(): State | undefined {
    this.#parameters?.end()
    this.#parameters = undefined
    if (this.#body.isEmpty) return this.#advance()
    const body = this.#body
    this.#body = new BodyLines()
    const isEmptyInput = this.#form === 'fields' && body.isInput(this.#column)
    const hasFailed = this.#problems.length >= MAX_PROBLEMS
    const entries = isEmptyInput
      ? [{ key: 'input', node: null, at: this.#column }]
      : readField(body.text, hasFailed && this.#form === 'fields')
    if (Array.isArray(entries)) for (const entry of entries) this.#take({ ...entry, body })
    else this.#reportYaml(entries, body)
    return this.#advance()
  }

  #take(field: Field): void {
    const { key, body, at } = field
    if (this.#fieldNames.has(key)) {
      this.#report('SYNTAX_BAD_YAML', `The field \`${key.slice(0, 64)}\` is given twice.`, body.offsetAt(at))
      return
    }
    this.#fieldNames.add(key)
    if (this.#fieldNames.size > MAX_PARAMETERS) {
      if (this.#fieldNames.size > MAX_PARAMETERS + 1) return
      this.#report('SYNTAX_TOO_MANY_PARAMETERS', `There are more than ${MAX_PARAMETERS} fields.`, body.offsetAt(at))
      return
    }
    switch (fieldAliases.get(key) ?? key) {
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

  /** An error that isn't text is reported as JSON. `null` and an empty text mean there is no error. */
  #takeError(field: Field): void {
    const text = getScalarText(field.node)
    const value = text ?? this.#value(field)?.value ?? null
    if (value !== null && value !== '') this.#errorText ??= typeof value === 'string' ? value : JSON.stringify(value)
  }

  #takeExtra(field: Field): void {
    const result = this.#value(field)
    if (result === undefined) return
    this.#unsentExtra ??= Object.create(null) as Record<string, unknown>
    this.#extra[field.key] = this.#unsentExtra[field.key] = result.value
  }

  /** The field's text. Anything else than text or null is reported. */
  #word(field: Field): string | undefined {
    const text = getScalarText(field.node)
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

  /** Opens the call if its name is known, and sends its input if that is complete. */
  #advance(): State | undefined {
    if (this.#name === undefined || this.#id === undefined) return undefined
    const otherState = this.#open(this.#name)
    const { call } = this.#reader
    if (otherState !== undefined || call === undefined) return otherState
    if (this.#input !== undefined || (this.#hasParameters && this.#parameters === undefined)) this.#pass(call)
    const isReply = this.#state === 'output-available' || this.#state === 'output-error'
    if (isReply || this.#output !== undefined || this.#errorText !== undefined) this.#complete(call)
    return undefined
  }

  #open(fallback: string): State | undefined {
    if (this.#reader.call !== undefined) return undefined
    return this.#reader.open(this.#name ?? fallback, this.#id)
  }

  /** Does nothing if something is wrong. */
  #pass(call: OpenCall): void {
    if (this.#isInputPassed || this.#problems.length > 0) return
    this.#isInputPassed = true
    if (this.#input !== undefined) this.#passInput(call, this.#input)
    this.#isReady = this.#problems.length === 0
  }

  #complete(call: OpenCall): void {
    if (this.#isAvailable || !this.#isReady) return
    call.complete(this.#unsentExtra === undefined ? {} : { extra: this.#unsentExtra })
    this.#isAvailable = call.sound
    if (this.#isAvailable) this.#unsentExtra = undefined
  }

  #passInput(call: OpenCall, { node, body, at }: Field): void {
    if (isEmptyValue(node)) return
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
      const result = toValue(entry.node, call.getSchema(entry.key))
      if (!('value' in result)) {
        this.#reportYaml(result, body)
        return
      }
      call.value(entry.key, result.value, body.offsetAt(entry.at))
      if (call.broken) return
    }
  }

  /** Sends the block's result. With an error, the output is only a preview, so that the call ends as an error. */
  #reply(call: OpenCall): void {
    if (!this.#isAvailable) return
    const fails = this.#errorText !== undefined || this.#state === 'output-error'
    if (this.#output !== undefined || this.#state === 'output-available') {
      const output = this.#output === undefined ? null : this.#output.value
      call.reply(fails || !call.sound ? { output, preliminary: true } : { output }, this.#takeUnsentExtra())
    }
    if (fails && call.sound) call.reply({ errorText: this.#errorText ?? 'Tool failed' }, this.#takeUnsentExtra())
  }

  #impliedState(): BlockState {
    if (this.#errorText !== undefined) return 'output-error'
    return this.#output === undefined ? 'input-available' : 'output-available'
  }

  #takeUnsentExtra(): { extra?: Record<string, unknown> } {
    const extra = this.#unsentExtra
    this.#unsentExtra = undefined
    return extra === undefined ? {} : { extra }
  }

  #reportProblems(call: OpenCall): void {
    for (const { code, message, offset } of this.#problems) call.report(code, message, offset)
    this.#problems.length = 0
  }

  #reportYaml({ code, message, at }: YamlProblem, body: BodyLines): void {
    this.#report(code, message, body.offsetAt(at))
  }

  /** Only the first problems are shown, so a block of nothing but mistakes costs no more than a correct one. */
  #report(code: ErrorCode, message: string, offset: number): void {
    if (this.#problems.length >= MAX_PROBLEMS) return
    const { line, column } = this.#lineStarts.position(offset)
    this.#problems.push({ code, message: `Line ${line}, column ${column}: ${message}`, offset })
  }
}
