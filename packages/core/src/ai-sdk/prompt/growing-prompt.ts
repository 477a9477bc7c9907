import type { LanguageModelV3Message } from '@ai-sdk/provider'
import { asksForMore } from '../../message/correction.ts'
import { isToolPart, type Message, type MessagePart } from '../../message/message.ts'
import { isSummary } from '../../message/summary.ts'
import { isSettled } from '../../message/tool-invocation.ts'
import type { Accumulator } from '../../stream/accumulate.ts'
import type { MessageChange } from '../../stream/reader/message-change.ts'
import type { MessageReader } from '../../stream/reader/message-reader.ts'
import { isAnswer, isCutShort, stepsToSend } from './message-steps.ts'
import { type ModelPrompt, type PromptOptions, PromptWriter } from './prompt-writer.ts'

/**
 * The prompt of a conversation whose last message is still growing, equal to the result of `buildPrompt`. Text that was
 * sent to a model is written once: each further prompt costs only the new text, plus a list of the messages.
 *
 * Messages are shared between the prompts. Those that middleware often modifies are copied each time: the system
 * messages at the front, the last message before the growing one, and the messages of its last step.
 */
export class GrowingPrompt {
  readonly #messages: readonly Message[]
  readonly #fold: Pick<Accumulator, 'reader'>
  readonly #options: Omit<PromptOptions, 'language'>
  #written: WrittenPrompt | undefined

  /** `fold` builds the message that follows `messages`. */
  constructor(
    messages: readonly Message[],
    fold: Pick<Accumulator, 'reader'>,
    options: Omit<PromptOptions, 'language'>,
  ) {
    this.#messages = messages
    this.#fold = fold
    this.#options = options
  }

  /** Rejects like `buildPrompt`, and can be called again after that. */
  async build(language: PromptOptions['language']): Promise<ModelPrompt> {
    const previous = this.#written
    this.#written = undefined
    const current =
      (previous?.isFor(language) === true && previous.read() ? previous : undefined) ??
      new WrittenPrompt(this.#messages, this.#fold.reader(), { ...this.#options, language })
    const prompt = await current.prompt()
    if (current.isReusable) this.#written = current
    return prompt
  }
}

class WrittenPrompt {
  readonly #messages: readonly Message[]
  readonly #reader: MessageReader
  readonly #provider: string
  readonly #writer: PromptWriter
  readonly #isCut: boolean
  #status: Message['status'] | undefined
  #unwrittenParts: MessagePart[] = []
  #writtenCount = 0
  /** The last written step has no call, so it is settled only while something follows it. */
  #needsMore = false
  #hasBegun = false
  /** A summary that comes after the first read needs a new prompt. */
  #isRead = false
  #hasSummary = false
  #growingStart = 0
  #lastStepStart = 0
  isReusable = true

  constructor(messages: readonly Message[], reader: MessageReader, options: PromptOptions) {
    this.#messages = messages
    this.#reader = reader
    this.#provider = options.language.provider
    this.#isCut = options.isCut === true
    this.read()
    this.#isRead = true
    this.#hasSummary = this.#unwrittenParts.some(isSummary)
    const growing = {
      id: '',
      role: 'assistant',
      status: this.#status ?? 'streaming',
      parts: this.#unwrittenParts,
    } as const
    this.#writer = new PromptWriter(this.#hasSummary ? [...messages, growing] : messages, options)
    if (this.#hasSummary && this.#writer.cut?.isClamped !== false) this.isReusable = false
  }

  isFor({ provider }: PromptOptions['language']): boolean {
    return provider === this.#provider
  }

  /** False if something already written has changed. */
  read(): boolean {
    return this.#reader.changes().every(change => this.#take(change))
  }

  async prompt(): Promise<ModelPrompt> {
    if (!this.#hasBegun) await this.#begin()
    await this.#writeSettled()
    await this.#writeOpen()
    const modelPrompt = this.#writer.prompt()
    const { prompt } = modelPrompt
    const front = prompt.length - this.#writer.length
    for (let index = 0; index < front; index++) prompt[index] = copyMessage(prompt[index]!)
    for (let index = front + this.#lastStepStart; index < prompt.length; index++)
      prompt[index] = copyMessage(prompt[index]!)
    const last = front + this.#growingStart - 1
    if (last >= front && this.#growingStart <= this.#lastStepStart) prompt[last] = copyMessage(prompt[last]!)
    return modelPrompt
  }

  #take(change: MessageChange): boolean {
    switch (change.type) {
      case 'message': {
        const { status } = change.message
        // Text before a summary may now be a turn.
        const isSummaryStale = this.#hasSummary && status !== this.#status
        this.#status = status
        return !(change.begins && this.#hasBegun) && !isSummaryStale
      }
      case 'added':
        this.#unwrittenParts.push(change.part)
        return !this.#isRead || !isSummary(change.part)
      case 'removed':
        if (
          change.from < this.#writtenCount ||
          this.#unwrittenParts.slice(change.from - this.#writtenCount).some(isSummary)
        )
          return false
        this.#unwrittenParts.length = change.from - this.#writtenCount
        return !this.#needsMore || this.#unwrittenParts.some(isContent)
      default:
        return this.#change(change)
    }
  }

  #change(change: Extract<MessageChange, { type: 'appended' | 'changed' }>): boolean {
    const index = change.index - this.#writtenCount
    if (change.type === 'changed') {
      if (index >= 0) this.#unwrittenParts[index] = change.part
      return index >= 0 || !isSent(change.part)
    }
    const part = this.#unwrittenParts[index]
    if (part?.type !== 'text' && part?.type !== 'reasoning') return false
    this.#unwrittenParts[index] = { ...part, text: part.text + change.text }
    return true
  }

  async #begin(): Promise<void> {
    this.#hasBegun = true
    const last = this.#status === undefined ? this.#messages.length - 1 : -1
    for (const [index, message] of this.#messages.entries()) await this.#writer.message(message, index === last)
    this.#growingStart = this.#writer.length
    this.#lastStepStart = this.#growingStart
  }

  /** Writes the steps that another one follows and in which nothing is open. */
  async #writeSettled(): Promise<void> {
    const parts = this.#unwrittenParts
    const last = parts.findLastIndex(isContent)
    let from = 0
    for (let end = nextStart(parts, 0); end < parts.length; end = nextStart(parts, from)) {
      const step = parts.slice(from, end).filter(isContent)
      // A step without a call is settled only when more follows: until then it may have broken off.
      if (step.some(isOpen) || (step.length > 0 && end > last && !step.some(asksForMore))) break
      from = end + 1
      if (step.length > 0) this.#needsMore = !step.some(asksForMore)
      if (step.length === 0 || isCutShort(step)) continue
      this.#lastStepStart = this.#writer.length
      await this.#writer.step(step)
    }
    this.#unwrittenParts = parts.slice(from)
    this.#writtenCount += from
  }

  /** Writes steps that may still change. The next prompt then starts over. */
  async #writeOpen(): Promise<void> {
    if (this.#status === undefined) return
    const steps = stepsToSend({ status: this.#status, parts: this.#unwrittenParts }, true, this.#isCut)
    if (steps.length === 0) return
    this.isReusable = false
    this.#lastStepStart = this.#writer.length
    for (const step of steps) await this.#writer.step(step)
    if (this.#isCut && isAnswer(steps.at(-1))) this.#writer.askForRest()
  }
}

function nextStart(parts: readonly MessagePart[], from: number): number {
  let index = from
  while (index < parts.length && parts[index]!.type !== 'step-start') index++
  return index
}

function isContent(part: MessagePart): boolean {
  return part.type !== 'step-start' && !isSummary(part)
}

function isOpen(part: MessagePart): boolean {
  if (isToolPart(part)) return !isSettled(part.toolInvocation)
  return (part.type === 'text' || part.type === 'reasoning') && part.state === 'streaming'
}

function isSent(part: MessagePart): boolean {
  return asksForMore(part) || part.type === 'text' || part.type === 'reasoning' || part.type === 'file'
}

function copyMessage(message: LanguageModelV3Message): LanguageModelV3Message {
  if (message.role === 'system') return { ...message }
  return { ...message, content: message.content.map(part => ({ ...part })) } as LanguageModelV3Message
}
