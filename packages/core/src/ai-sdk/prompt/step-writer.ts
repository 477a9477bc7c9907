import type { ToolDefinition } from '../../message/tool-definition.ts'
import type { ToolInvocation } from '../../message/tool-invocation.ts'
import { ArgotError } from '../../source/error.ts'
import { native } from '../../syntax/native.ts'
import { parse } from '../../syntax/parse.ts'
import type { Syntax } from '../../syntax/syntax.ts'

/**
 * Builds a step's text in a text syntax, from texts and calls. Texts stay exactly unchanged. Only if a call would touch
 * a text, or a quotation before it, line breaks are added so that it can be read.
 */
export class StepWriter {
  readonly #syntax: Syntax
  readonly #tools: ReadonlyMap<string, ToolDefinition>
  readonly #upToLastCall: string[] = []
  #textAfterCalls = ''

  constructor(syntax: Syntax, tools: ReadonlyMap<string, ToolDefinition>) {
    this.#syntax = syntax
    this.#tools = tools
  }

  get text(): string {
    return this.#upToLastCall.join('') + this.#textAfterCalls
  }

  addText(text: string): void {
    if (text === '') return
    if (this.#textAfterCalls === '' && this.#upToLastCall.length > 0 && !text.startsWith('\n'))
      this.#textAfterCalls = '\n\n'
    this.#textAfterCalls += text
  }

  addCall(call: ToolInvocation): void {
    const tail = this.#textAfterCalls
    this.#textAfterCalls = ''
    if (tail !== '') this.#upToLastCall.push(tail)
    this.#upToLastCall.push(breakAfter(tail, this.#upToLastCall.length > 0), this.#write(call))
  }

  #write(call: ToolInvocation): string {
    const { input, rawInput } = call
    if (input === undefined && typeof rawInput === 'string' && this.#isCall(rawInput)) return rawInput
    const writableCall = { ...call, input: input ?? (typeof rawInput === 'string' ? undefined : rawInput) ?? {} }
    try {
      return this.#syntax.format(writableCall, this.#tools.get(call.toolName))
    } catch (error) {
      if (!(error instanceof ArgotError) || error.code !== 'SYNTAX_CANNOT_WRITE') throw error
      return fenceJson(native.format(writableCall))
    }
  }

  /** True for a call in this syntax that could not be read. It is sent unchanged: the model sees what it got wrong. */
  #isCall(source: string): boolean {
    const [first] = parse(this.#syntax, source, { tools: [...this.#tools.values()] })
    return first?.type === 'tool-input-start'
  }
}

/** The line breaks that a call needs after this text. Immediately after a quotation it would be part of it. */
function breakAfter(text: string, hasPieces: boolean): string {
  if (!hasPieces) return ''
  if (!text.endsWith('\n')) return '\n\n'
  const lastLine = text.slice(text.lastIndexOf('\n', text.length - 2) + 1)
  return /^[ \t]*>/.test(lastLine) ? '\n' : ''
}

function fenceJson(json: string): string {
  const longest = (json.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}json\n${json}\n${fence}`
}
