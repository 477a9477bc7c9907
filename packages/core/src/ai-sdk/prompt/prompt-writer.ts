import type { LanguageModelV3FunctionTool, LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider'
import { isCorrection } from '../../message/correction.ts'
import type { Message, MessagePart } from '../../message/message.ts'
import { isSummary } from '../../message/summary.ts'
import type { ToolDefinition } from '../../message/tool-definition.ts'
import { defined } from '../../source/defined.ts'
import type { Syntax } from '../../syntax/syntax.ts'
import { createLesson, type Lesson, type SystemText } from './lesson.ts'
import { isAnswer, stepsToSend } from './message-steps.ts'
import { NativeHistory } from './native-history.ts'
import { type PromptFileOptions, promptFile } from './prompt-file.ts'
import { providerOptions } from './provider-options.ts'
import { TextHistory } from './text-history.ts'
import { type PromptCut, readTurns } from './turns.ts'

export interface PromptOptions extends PromptFileOptions {
  syntax: Syntax
  tools: readonly ToolDefinition[]
  /** The tools in a text syntax's lesson; all tools by default. */
  taught?: readonly ToolDefinition[] | undefined
  /** The growing message is an answer that reached the token limit: the model is asked to continue it. */
  isCut?: boolean | undefined
  /** The required form of the final answer, in words: a separate system message. */
  format?: string | undefined
}

export interface ModelPrompt {
  prompt: LanguageModelV3Prompt
  /** The tools for a provider with native calls. A text syntax teaches them in the prompt. */
  tools?: LanguageModelV3FunctionTool[]
  /** The system message about tools that isn't in the document; it is the first one. */
  added: string | undefined
}

type UserContent = Extract<LanguageModelV3Message, { role: 'user' }>['content']

const continueRequest =
  'Your answer reached the token limit and was cut. Continue exactly where it ends. Do not repeat any of it, and do not comment on this.'

export class PromptWriter {
  readonly #options: PromptOptions
  readonly #lesson: Lesson
  readonly #history: NativeHistory | TextHistory
  readonly #isSystemFirst: boolean
  /** For providers that accept system messages only at the front. */
  readonly #system: LanguageModelV3Message[] = []
  readonly #rest: LanguageModelV3Message[] = []
  /**
   * The last step was an answer. If the same message has another step, it continues this answer, which reached the
   * token limit.
   */
  #isAnswered = false
  readonly #cut: PromptCut | undefined
  #turns = 0
  #endsWithSummary = false

  /**
   * If the system messages in `messages` have a placeholder for the tools, it is filled. The newest summary replaces
   * the turns that it covers.
   */
  constructor(messages: readonly Message[], options: PromptOptions) {
    const { syntax, tools, taught = tools } = options
    this.#options = options
    this.#cut = messages.some(hasSummary) ? readTurns(messages).cut : undefined
    this.#isSystemFirst = needsSystemFirst(options)
    this.#lesson = createLesson(syntax, taught, messages.filter(isSystem).flatMap(collectTexts))
    this.#history =
      syntax.kind === 'native'
        ? new NativeHistory(new Set(tools.map(tool => tool.name)), options)
        : new TextHistory(syntax, tools, options)
    if (this.#lesson.added !== undefined) this.#addSystem(this.#lesson.added)
    if (options.format !== undefined) this.#addSystem(options.format)
  }

  /** Without the messages at the front. */
  get length(): number {
    return this.#rest.length
  }

  get cut(): PromptCut | undefined {
    return this.#cut
  }

  async message(message: Message, isLast: boolean): Promise<void> {
    if (message.role === 'assistant') {
      for (const step of stepsToSend(message, isLast)) await this.step(step)
      this.#isAnswered = false
      return
    }
    const isLeftOut = this.#beginTurn()
    let { parts } = message
    if (isSystem(message)) {
      const systemText = this.#lesson.fill(collectTexts(message))
      if (systemText.trim() !== '') this.#addSystem(systemText)
      // A system message contains only text.
      parts = parts.filter(part => part.type === 'file')
    }
    const content = isLeftOut && !isSystem(message) ? [] : await userContent(parts, this.#options)
    if (content.length > 0) this.#addUser(content, this.#endsWithSummary)
    this.#endTurn()
  }

  async step(parts: readonly MessagePart[]): Promise<void> {
    if (this.#beginTurn()) {
      this.#isAnswered = false
      return this.#endTurn()
    }
    if (this.#isAnswered) this.askForRest()
    this.#isAnswered = isAnswer(parts)
    for (const message of await this.#history.step(parts)) this.#push(message)
    // Providers have no role for corrections, and accept text after an answer only from a user.
    for (const { data } of parts.filter(isCorrection)) this.#say(data.text)
    this.#endTurn()
  }

  askForRest(): void {
    this.#say(continueRequest)
  }

  #say(text: string): void {
    this.#addUser([{ type: 'text', text }], false)
  }

  #beginTurn(): boolean {
    this.#turns++
    return this.#cut !== undefined && this.#turns <= this.#cut.turns && this.#turns !== this.#cut.taskTurn
  }

  #endTurn(): void {
    if (this.#cut === undefined || this.#turns !== this.#cut.turns) return
    this.#addUser([{ type: 'text', text: this.#cut.text }], this.#rest.at(-1)?.role === 'user')
    this.#endsWithSummary = true
  }

  /** Many templates reject two user messages in a row, so a summary shares one with its neighbours. */
  #addUser(content: UserContent, isShared: boolean): void {
    const last = this.#rest.at(-1)
    if (!isShared || last?.role !== 'user') return this.#push({ role: 'user', content })
    this.#rest.pop()
    this.#push({ ...last, content: [...last.content, ...content] })
  }

  #push(message: LanguageModelV3Message): void {
    this.#endsWithSummary = false
    this.#rest.push(message)
  }

  /** The lists are new, but the messages are the same objects in every prompt. */
  prompt(): ModelPrompt {
    const { syntax, tools } = this.#options
    return {
      prompt: this.#system.concat(this.#rest),
      added: this.#lesson.added,
      ...defined({ tools: syntax.kind === 'native' && tools.length > 0 ? tools.map(toFunctionTool) : undefined }),
    }
  }

  #addSystem(content: string): void {
    const list = this.#isSystemFirst ? this.#system : this.#rest
    list.push({ role: 'system', content })
  }
}

function toFunctionTool({ name, description, inputSchema, strict }: ToolDefinition): LanguageModelV3FunctionTool {
  const schema = inputSchema as unknown as LanguageModelV3FunctionTool['inputSchema']
  return { type: 'function', name, inputSchema: schema, ...defined({ description, strict }) }
}

function hasSummary({ parts }: Message): boolean {
  return parts.some(isSummary)
}

function isSystem({ role }: Message): boolean {
  return role === 'system' || role === 'developer'
}

function collectTexts({ parts }: Message): SystemText[] {
  return parts.flatMap(part => (part.type === 'text' ? [part] : []))
}

async function userContent(parts: readonly MessagePart[], options: PromptOptions): Promise<UserContent> {
  const content: UserContent = []
  for (const part of parts) {
    if (part.type === 'file') content.push(await promptFile(part, options))
    else if (part.type === 'text' && part.text.trim() !== '') {
      content.push({ type: 'text', text: part.text, ...providerOptions(part.providerMetadata) })
    }
  }
  return content
}

/**
 * OpenAI accepts a system message anywhere. Others, and the templates of many open models, accept it only at the front.
 */
function needsSystemFirst({ language }: PromptOptions): boolean {
  return !/^(?:openai|azure)[.-](?!compatible)/.test(language.provider)
}
