import { getMessageText, type Message } from '@argot/core'
import type { Resolver } from '@argot/core/chatmd'
import type { ExpandedDocument } from '@argot/core/chatmd/internal'
import type { CallOrigin } from '../loop/open-message.ts'
import type { Payloads } from '../store/store.ts'
import type { Tool } from '../tool/tool.ts'
import type { ReplayedRun } from '../transcript/replay-run.ts'
import type { Transcript } from '../transcript/transcript.ts'
import type { UnfinishedRun } from '../transcript/unfinished-run.ts'
import { noteUndone } from './changes/note-undone.ts'
import { type Continuation, findContinuation, hasOpenCalls, nothingToAnswer } from './continuation.ts'
import type { DocumentOptions } from './document/document-options.ts'
import type { DocumentPlan } from './document/plan-document.ts'
import { inputMessage, refuseUnreadableFiles } from './input-message.ts'
import { settleCalls } from './settle-calls.ts'

/** What a run of a document answers, and in which log. */
export class Turn {
  /** The run's own id, or that of the unfinished run that it continues. */
  runId: string
  /** The document with its agents' answers, once they are known. */
  expanded: ExpandedDocument
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #transcript: Transcript | undefined
  readonly #unfinished: UnfinishedRun | undefined
  readonly #input: Message | undefined
  readonly #inputDenies: boolean
  readonly #undone: DocumentPlan['undone']
  readonly #now: () => number

  constructor(
    id: string,
    { expanded, undone }: DocumentPlan,
    tools: ReadonlyMap<string, Tool>,
    transcript: Transcript | undefined,
    options: Pick<DocumentOptions, 'input' | 'inputDenies' | 'now' | 'parts'>,
  ) {
    this.runId = id
    this.expanded = expanded
    this.#undone = undone
    this.#tools = tools
    this.#transcript = transcript
    this.#unfinished = transcript?.unfinished
    this.#now = options.now ?? Date.now
    const input = inputMessage(id, options, this.#now())
    const isThere = this.expanded.messages.some(({ message }) => message.id === input?.id)
    this.#input = isThere ? undefined : input
    this.#inputDenies = options.inputDenies === true
  }

  get #payloads(): Payloads {
    return this.expanded.config?.showToolCall === true ? 'inline' : 'external'
  }

  /** Finds what to answer: the document's last message, or the input, which is written there first. */
  async findNext(): Promise<Continuation> {
    const continuation = this.#withOriginalId(findContinuation(this.expanded.messages))
    const next = this.#input === undefined ? continuation : await this.#addInput(this.#input, continuation)
    if (next === undefined) throw nothingToAnswer(this.expanded.messages)
    return { ...next, history: noteUndone(next.history, this.#undone) }
  }

  /** Restores the id of the unfinished run's message, whatever was done to its elements. */
  #withOriginalId(continuation: Continuation | undefined): Continuation | undefined {
    const { continued } = continuation ?? {}
    const unfinished = this.#unfinished
    if (continuation === undefined || continued === undefined || unfinished?.hasWritten(continued) !== true)
      return continuation
    return { ...continuation, continued: { ...continued, id: unfinished.messageId } }
  }

  /** Throws if there is nothing to answer, before anything that costs money. */
  refuseAnswered(): void {
    const { messages } = this.expanded
    if (this.#input === undefined && findContinuation(messages) === undefined) throw nothingToAnswer(messages)
  }

  /** Throws if the input message couldn't be read back, before it is written. */
  async refuseInput(resolver: Resolver, document: string | undefined): Promise<void> {
    if (this.#input !== undefined) await refuseUnreadableFiles(this.#input, resolver, document)
  }

  async #addInput(input: Message, continuation: Continuation | undefined): Promise<Continuation> {
    const { messages } = this.expanded
    const history = continuation?.history ?? messages.filter(one => one.sent).map(one => one.message)
    const continued = continuation?.continued
    const waiting = await this.#readWaiting()
    const before = continued === undefined ? history : [...history, await this.#settle(continued, input)]
    for (const message of [...waiting, input]) await this.#transcript?.write(message)
    return { history: [...before, ...waiting, input] }
  }

  /** Unread messages that were sent to the run that the input ends. A server answers those in separate runs. */
  async #readWaiting(): Promise<Message[]> {
    if (this.#inputDenies) return []
    const waiting = (await this.#transcript?.readWaiting()) ?? []
    return waiting.filter(({ id }) => !this.expanded.messages.some(({ message }) => message.id === id))
  }

  /** Settles a message's open calls, because no one will answer them any more. */
  async #settle(message: Message, input: Message): Promise<Message> {
    if (!hasOpenCalls(message)) return message
    const transcript = this.#transcript
    const origin = this.findOrigin(message)
    const resumed = this.#findResumable(message)?.replayed
    if (resumed !== undefined) await transcript?.resume()
    else await transcript?.begin({ id: `${this.runId}-settled`, message, payloads: this.#payloads })
    const denial = this.#inputDenies ? getMessageText(input) : undefined
    return settleCalls(message, {
      run: this.runId,
      origin,
      transcript,
      resumed,
      now: this.#now,
      tools: this.#tools,
      denial,
    })
  }

  /** What vouches for a message's calls: the log of the run that made it, if this user wrote that log. */
  findOrigin(message: Message): CallOrigin {
    return this.#unfinished?.messageId === message.id ? this.#unfinished : 'nobody'
  }

  /** Begins this run's log, or resumes that of the unfinished run that wrote this message. */
  async begin(
    continued: Message | undefined,
    history: readonly Message[],
  ): Promise<{ resumed: ReplayedRun | undefined; messageId: string }> {
    const transcript = this.#transcript
    const unfinished = this.#input === undefined ? this.#findResumable(continued, history) : undefined
    if (transcript !== undefined && unfinished !== undefined) {
      this.runId = unfinished.runId
      await transcript.resume()
      return { resumed: unfinished.replayed, messageId: unfinished.messageId }
    }
    await transcript?.begin({ id: this.runId, payloads: this.#payloads, message: continued })
    return { resumed: undefined, messageId: continued?.id ?? `msg-${this.runId}` }
  }

  /** The unfinished run, if it wrote this message or had to discard everything that it wrote. */
  #findResumable(message: Message | undefined, history: readonly Message[] = []): UnfinishedRun | undefined {
    const unfinished = this.#transcript?.unfinished
    if (unfinished?.isTrusted !== true) return undefined
    if (message !== undefined) return unfinished.messageId === message.id ? unfinished : undefined
    return unfinished.isUnwritten(history) ? unfinished : undefined
  }
}
