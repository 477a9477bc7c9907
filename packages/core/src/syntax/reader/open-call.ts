import type { ToolDefinition } from '../../message/tool-definition.ts'
import { defined } from '../../source/defined.ts'
import type { ErrorCode } from '../../source/error.ts'
import type { ArgotMetadata } from '../../stream/chunk.ts'
import { MAX_CALL, MAX_NAME, MAX_PARAMETERS } from '../limits.ts'
import type { ParserOptions } from '../syntax.ts'
import { plainName } from '../tool-names.ts'
import { findKeyProblem, type InputShape, inputShape, type ValueShape } from '../value/input-shape.ts'
import { escapeJson } from '../value/json-text.ts'
import { fits, type RootedSchema } from '../value/schema.ts'
import {
  integerTooLarge,
  parseOrKeep,
  type TypedResult,
  typeAsString,
  typeList,
  typeText,
  typeValue,
  valueProblem,
  type WrittenValue,
} from '../value/typed-value.ts'
import { type CallProblem, CallReport, toProviderMetadata } from './call-report.ts'
import type { Output } from './output.ts'

interface OpenParameter {
  key: string
  offset: number
  shape: ValueShape | undefined
  /** Its characters are sent as they arrive. */
  isStreamed: boolean
  /** The value's type according to the syntax, if the schema leaves it open. */
  hint?: 'string' | 'json' | undefined
}

/**
 * A call that is being read. The syntax reports what it sees (`begin`, `write`, `end`, `list`; or `value`; or
 * `writeJson`, `endJson`; and `fail`). The call types the values, streams its input as JSON, and at `settle` becomes an
 * input or an error.
 */
export class OpenCall extends CallReport {
  readonly #tool: ToolDefinition | undefined
  readonly #shape: InputShape | undefined
  /** By parameter, in order of first appearance. */
  readonly #values = new Map<string, unknown>()
  /** Parameters whose values are assembled when the call ends. */
  readonly #lateValues = new Map<string, { values: WrittenValue[]; shape: ValueShape; offset: number }>()
  #parameter: OpenParameter | undefined
  #size = 0
  #bareInput: { value: unknown } | undefined
  /** The input came as JSON and has been sent completely. */
  #hasJsonInput = false
  #completed = false
  /** How much of the input's JSON has been sent. `ended`: no more will follow. */
  #sentState: 'nothing' | 'some' | 'ended' = 'nothing'

  constructor(
    output: Output,
    id: string,
    name: string,
    offset: number,
    tool: ToolDefinition | undefined,
    options: Pick<ParserOptions, 'repair' | 'integers'> = {},
  ) {
    super(output, id, name.slice(0, MAX_NAME), offset, options)
    this.#tool = tool
    this.#shape = tool === undefined ? undefined : inputShape(tool)
    output.tool(defined({ type: 'tool-input-start' as const, toolCallId: id, toolName: this.name, title: tool?.title }))
    if (name.length > MAX_NAME) {
      this.fail('SYNTAX_NAME_TOO_LONG', `The tool's name has more than ${MAX_NAME} characters.`, offset)
    }
  }

  get tool(): ToolDefinition | undefined {
    return this.#tool
  }

  getSchema(name: string): RootedSchema | undefined {
    const key = this.#shape?.singulars.get(name) ?? name
    return (this.#shape?.properties.get(key) ?? this.#shape?.others)?.schema
  }

  /** Nothing is known about its parameters. */
  get isUnknown(): boolean {
    return this.#shape === undefined || this.#shape.properties.size === 0
  }

  /** True for a parameter that is in the schema but not yet in the call. */
  lacks(name: string): boolean {
    return this.#shape?.properties.has(name) === true && !this.#values.has(name) && this.#parameter?.key !== name
  }

  /** True if `name` is the open parameter and takes a list but no text. */
  repeats(name: string): boolean {
    const parameter = this.#parameter
    const types = parameter?.shape?.types
    return parameter?.key === name && types?.has('array') === true && !types.has('string')
  }

  streams(name: string): boolean {
    const key = this.#shape?.singulars.get(name) ?? name
    const shape = this.#shape?.properties.get(key) ?? this.#shape?.others
    return shape === undefined || shape.arrival === 'stream'
  }

  /** The parameter `name` begins at `offset`. `hint` is its type if the schema leaves it open. */
  begin(name: string, offset: number, hint?: 'string' | 'json'): void {
    this.#open(name, offset)
    const parameter = this.#parameter
    if (parameter === undefined) return
    parameter.hint = hint
    if (hint === 'json' && parameter.shape === undefined) parameter.isStreamed = false
    if (parameter.isStreamed) this.#send(`${this.#head(parameter.key)}"`)
  }

  /** The parameter `name` begins at `offset`. The syntax provides its value when it has ended. */
  beginLate(name: string, offset: number): void {
    this.#open(name, offset)
    if (this.#parameter !== undefined) this.#parameter.isStreamed = false
  }

  /** The parameter of `beginLate` has ended: with a text to be typed, or a value that the syntax has read. */
  endLate(result: { value: unknown } | { text: string } | { problem: string }): void {
    const parameter = this.#parameter
    if (parameter === undefined) return
    if ('text' in result) {
      if (parameter.shape === undefined || parameter.shape.arrival === 'stream') {
        this.#send(`${this.#head(parameter.key)}"${escapeJson(result.text)}`)
        parameter.isStreamed = true
      }
      this.end(result.text)
      return
    }
    this.#parameter = undefined
    const { key, offset, shape } = parameter
    if ('problem' in result) this.#take(key, offset, result)
    else if (shape === undefined) this.#take(key, offset, { ...result, json: JSON.stringify(result.value) })
    else this.#take(key, offset, typeValue(result.value, shape, this.options))
  }

  #open(name: string, offset: number): void {
    if (this.isBroken) return
    const key = this.#findKey(name, offset)
    const shape = this.#shape?.properties.get(key) ?? this.#shape?.others
    if (this.isBroken) return
    if (this.#values.has(key)) {
      if (shape === undefined) this.#sentState = 'ended'
      else if (shape.arrival !== 'late') {
        const message = `Parameter \`${key}\` of \`${this.name}\` is given twice and takes one value.`
        this.report('SYNTAX_DUPLICATE_PARAMETER', message, offset)
      }
    }
    const streams = shape === undefined || shape.arrival === 'stream'
    this.#parameter = { key, offset, shape, isStreamed: streams && this.#sentState !== 'ended' }
  }

  /**
   * More of the open parameter's value, as the model wrote it: `text` from `start` to `end`. It is streamed if
   * possible, and not kept.
   */
  write(text: string, start = 0, end: number = text.length): void {
    const parameter = this.#parameter
    if (parameter === undefined) return
    this.#size += end - start
    const over = this.#size - MAX_CALL
    if (parameter.isStreamed) this.output.input(this.id, escapeJson(text, start, over > 0 ? end - over : end))
    if (over > 0) this.#failTooLong()
  }

  /** The open parameter has ended. `text` is all of its value. `inline`: it was on one line with its name. */
  end(text: string, inline = false): void {
    const parameter = this.#parameter
    this.#parameter = undefined
    if (parameter === undefined) return
    const { key, offset, shape, hint } = parameter
    if (shape === undefined) {
      if (hint === 'json') this.#take(key, offset, parseOrKeep(text))
      else this.#add(key, text)
      if (parameter.isStreamed) this.#send('"')
    } else if (hint === 'string' && shape.arrival !== 'stream' && fits(text, shape.schema)) {
      this.#take(key, offset, typeAsString(text))
    } else if (shape.arrival === 'stream') {
      this.#values.set(key, text)
      this.#send('"')
    } else if (shape.arrival === 'late') this.#addLate(parameter, shape, { text, inline })
    else this.#take(key, offset, typeText(text, shape, this.options))
  }

  list(name: string, items: readonly string[], offset: number): void {
    this.#open(name, offset)
    const parameter = this.#parameter
    this.#parameter = undefined
    if (parameter === undefined) return
    for (const item of items) this.#size += item.length
    if (this.#size > MAX_CALL) {
      this.#failTooLong()
      return
    }
    const { key, shape } = parameter
    if (shape === undefined) {
      this.#add(key, [...items])
      this.#send(`${this.#head(key)}${JSON.stringify(items)}`)
    } else if (shape.arrival === 'late') this.#addLate(parameter, shape, { items })
    else this.#take(key, offset, typeList([{ items }], shape, this.options))
  }

  /** More of the input, as strict JSON. It is passed on and not kept. */
  writeJson(json: string): void {
    if (this.isBroken) return
    this.#size += json.length
    if (this.#size > MAX_CALL) this.#failTooLong()
    else this.#send(json)
  }

  /** The input is complete. `json` is all of it, with `members` keys, including repeated ones. */
  endJson(json: string, members: number, offset: number, largeIntegers = false): void {
    if (this.isBroken) return
    const input = JSON.parse(json) as object
    for (const [key, value] of Object.entries(input)) {
      this.#findKey(key, offset, false)
      const wrongKey = findKeyProblem(key, this.#shape)
      if (wrongKey !== undefined) this.report('SYNTAX_BAD_VALUE', `${wrongKey} in \`${this.name}\`.`, offset)
      if (this.isBroken) return
      this.#values.set(key, value)
      const shape = this.#shape?.properties.get(key) ?? this.#shape?.others
      const problem = shape === undefined ? undefined : valueProblem(value, shape, largeIntegers)
      if (problem !== undefined) {
        const code = problem === integerTooLarge ? 'SYNTAX_INTEGER_TOO_LARGE' : 'SYNTAX_BAD_VALUE'
        this.report(code, `Parameter \`${key}\` of \`${this.name}\` ${problem}.`, offset)
      }
    }
    if (members > this.#values.size) {
      this.report('SYNTAX_DUPLICATE_PARAMETER', `A parameter of \`${this.name}\` is given twice.`, offset)
    }
    this.#hasJsonInput = true
  }

  /** The parameter `name` has a value that the syntax has read itself. */
  value(name: string, value: unknown, offset: number): void {
    if (this.isBroken) return
    const key = this.#findKey(name, offset)
    if (this.isBroken) return
    if (this.#values.has(key)) {
      const message = `Parameter \`${key}\` of \`${this.name}\` is given twice.`
      this.report('SYNTAX_DUPLICATE_PARAMETER', message, offset)
      return
    }
    const shape = this.#shape?.properties.get(key) ?? this.#shape?.others
    this.#take(
      key,
      offset,
      shape === undefined ? { value, json: JSON.stringify(value) } : typeValue(value, shape, this.options),
    )
  }

  /** The input is this value, which isn't an object of parameters. */
  bareInput(value: unknown, offset: number): void {
    if (this.#shape === undefined) {
      this.#bareInput = { value }
      this.#send(JSON.stringify(value))
    } else this.report('SYNTAX_BAD_VALUE', `The input of \`${this.name}\` must be an object.`, offset)
  }

  /**
   * All of the input has been read, possibly before the call's text ends. If nothing is wrong, it is sent. Later
   * problems are errors of the result.
   */
  complete(metadata: ArgotMetadata = {}): void {
    if (this.#completed || this.isBroken) return
    this.#completed = true
    this.#finishInput()
    if (this.problems.length > 0) return
    const input: Record<string, unknown> = Object.create(null)
    for (const [key, value] of this.#values) input[key] = value
    this.isAvailable = true
    this.output.tool({
      type: 'tool-input-available',
      toolCallId: this.id,
      toolName: this.name,
      input: this.#bareInput === undefined ? input : this.#bareInput.value,
      ...toProviderMetadata({ ...this.getMetadata(), ...metadata }),
    })
  }

  override report(code: ErrorCode, message: string, offset: number): void {
    super.report(code, message, offset)
    this.#sentState = 'ended'
  }

  override fail(code: ErrorCode, message: string, offset: number): void {
    super.fail(code, message, offset)
    this.#parameter = undefined
  }

  /** The call has ended: sends its input, or returns the problem to explain. */
  settle(): CallProblem | undefined {
    this.complete()
    return this.problems[0]
  }

  #finishInput(): void {
    for (const [key, { values, shape, offset }] of this.#lateValues) {
      this.#take(key, offset, typeList(values, shape, this.options))
    }
    for (const key of this.#shape?.required ?? []) {
      if (this.#values.has(key)) continue
      const message = `Parameter \`${key}\` of \`${this.name}\` is required and missing.`
      this.report('SYNTAX_MISSING_PARAMETER', message, this.offset)
    }
    if (this.#bareInput === undefined && !this.#hasJsonInput && this.#sentState !== 'ended')
      this.#send(this.#sentState === 'nothing' ? '{}' : '}')
  }

  /** The parameter that `name` refers to: itself, or the plural that the schema has instead. */
  #findKey(name: string, offset: number, mayGuess = true): string {
    if (name.length > MAX_NAME) {
      const message = `A parameter's name in \`${this.name}\` has more than ${MAX_NAME} characters.`
      this.fail('SYNTAX_NAME_TOO_LONG', message, offset)
    }
    const key = this.#shape?.singulars.get(name) ?? (mayGuess ? this.#likelyName(name) : undefined) ?? name
    if (!this.#values.has(key) && this.#values.size >= MAX_PARAMETERS) {
      const message = `\`${this.name}\` is given more than ${MAX_PARAMETERS} parameters.`
      this.fail('SYNTAX_TOO_MANY_PARAMETERS', message, offset)
    }
    return key
  }

  /** The only missing parameter that differs from `name` just in case and dashes. This is a guess. */
  #likelyName(name: string): string | undefined {
    if (this.options.repair !== 'all' || this.#shape === undefined || this.#shape.properties.has(name)) return undefined
    const alike = [...this.#shape.properties.keys()].filter(
      key => plainName(key) === plainName(name) && this.lacks(key),
    )
    return alike.length === 1 && this.repair('parameter-name') ? alike[0] : undefined
  }

  /** A value the schema doesn't describe. If repeated, it becomes an array. */
  #add(key: string, value: string | string[]): void {
    if (!this.#values.has(key)) {
      this.#values.set(key, value)
      return
    }
    const before = this.#values.get(key)
    const list: unknown[] = Array.isArray(before) ? before : [before]
    if (typeof value === 'string') list.push(value)
    else for (const item of value) list.push(item)
    this.#values.set(key, list)
  }

  #addLate({ key, offset }: OpenParameter, shape: ValueShape, values: WrittenValue): void {
    const lateValue = this.#lateValues.get(key)
    if (lateValue !== undefined) {
      lateValue.values.push(values)
      return
    }
    this.#values.set(key, undefined)
    this.#lateValues.set(key, { values: [values], shape, offset })
  }

  #take(key: string, offset: number, result: TypedResult): void {
    if ('problem' in result) {
      this.#values.set(key, undefined)
      this.report(
        result.code ?? 'SYNTAX_BAD_VALUE',
        `Parameter \`${key}\` of \`${this.name}\` ${result.problem}.`,
        offset,
      )
    } else {
      for (const name of result.repaired ?? []) this.repairOrFail(name, offset)
      this.#values.set(key, result.value)
      this.#send(`${this.#head(key)}${result.json}`)
    }
  }

  #failTooLong(): void {
    const message = `The call is longer than ${MAX_CALL} characters; write it in several calls.`
    this.fail('SYNTAX_CALL_TOO_LONG', message, this.offset)
  }

  #head(key: string): string {
    return `${this.#sentState === 'nothing' ? '{' : ','}${JSON.stringify(key)}:`
  }

  #send(json: string): void {
    if (this.#sentState === 'ended') return
    this.#sentState = 'some'
    this.output.input(this.id, json)
  }
}
