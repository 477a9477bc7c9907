import type { LanguageModelV3FilePart, LanguageModelV3Message } from '@ai-sdk/provider'
import { contentText } from '../../message/content-output.ts'
import { readContentForModel } from '../../message/read-content.ts'
import type { ToolDefinition } from '../../message/tool-definition.ts'
import { isSettled, type ToolInvocation } from '../../message/tool-invocation.ts'
import type { Syntax } from '../../syntax/syntax.ts'
import {
  type AssistantContent,
  deniedText,
  getCallPictures,
  getProviderCallId,
  isDenied,
  missingResultText,
} from './native-history.ts'
import { StepWriter } from './step-writer.ts'

const droppedNote =
  'Only the calls answered above were run. Everything you wrote after the last of them was over the limit of calls in one message and was dropped. Write it again if you still need it.'

/** One step of an assistant in a text syntax: its text with the calls in place, then the results of these calls. */
export class TextStep {
  readonly #syntax: Syntax
  readonly #tools: ReadonlyMap<string, ToolDefinition>
  readonly #content: AssistantContent = []
  readonly #results: string[] = []
  readonly #files: LanguageModelV3FilePart[] = []
  #writer: StepWriter
  readonly #lacksVision: boolean
  #hasRemainder = false

  constructor(syntax: Syntax, tools: ReadonlyMap<string, ToolDefinition>, lacksVision = false) {
    this.#syntax = syntax
    this.#lacksVision = lacksVision
    this.#tools = tools
    this.#writer = new StepWriter(syntax, tools)
  }

  addText(text: string): void {
    this.#writer.addText(text)
  }

  /** A call without a result is written as one that was not run. */
  addCall(invocation: ToolInvocation): void {
    const call = { ...invocation, toolCallId: getProviderCallId(invocation) ?? invocation.toolCallId }
    this.#writer.addCall(call)
    this.#results.push(this.#syntax.formatResult(toSettledCall(call, this.#files.length, this.#lacksVision)))
    this.#files.push(...getCallPictures(call, this.#lacksVision))
  }

  addPart(part: AssistantContent[number]): void {
    this.#endText()
    this.#content.push(part)
  }

  addFile(file: LanguageModelV3FilePart): void {
    this.#files.push(file)
  }

  /** The model wrote beyond the limit: the prompt says that this text was dropped. */
  noteRemainder(): void {
    this.#hasRemainder = true
  }

  messages(): LanguageModelV3Message[] {
    this.#endText()
    const messages: LanguageModelV3Message[] = []
    if (this.#content.length > 0) messages.push({ role: 'assistant', content: this.#content })
    const results = this.#hasRemainder ? [...this.#results, droppedNote] : this.#results
    if (results.length > 0) {
      messages.push({ role: 'user', content: [{ type: 'text', text: results.join('\n\n') }, ...this.#files] })
    }
    return messages
  }

  /** The provider's metadata is not sent back: it is about a text without calls, and here they are in it. */
  #endText(): void {
    const { text } = this.#writer
    if (text.trim() !== '') this.#content.push({ type: 'text', text })
    this.#writer = new StepWriter(this.#syntax, this.#tools)
  }
}

/** Every call has a result here, and a denial names the user. `filesBefore` counts the files of earlier calls. */
function toSettledCall(call: ToolInvocation, filesBefore: number, lacksVision: boolean): ToolInvocation {
  if (isDenied(call) && call.approval !== undefined) {
    return { ...call, state: 'output-denied', approval: { ...call.approval, reason: deniedText(call) } }
  }
  if (!isSettled(call)) return { ...call, state: 'output-error', errorText: missingResultText }
  const content = call.state === 'output-available' ? readContentForModel(call.output) : undefined
  return content === undefined ? call : { ...call, output: contentText(content, filesBefore, lacksVision) }
}
