import type { Chunk, Diagnostic, Message } from '@argot/core'
import { isSettled } from '@argot/core/stream'
import { formatExcerpts } from '../io/report.ts'
import { safeText } from '../io/safe-text.ts'
import { type CallWords, toCallWords } from '../view/call-line.ts'
import { Calls } from '../view/calls.ts'
import { joinText, toUserMessage, type View } from '../view/view.ts'

/** Shows a run as complete sentences, each printed once, for screen readers. */
export class PlainView implements View {
  readonly #print: (text: string) => void
  readonly #calls = new Calls(Date.now)
  #pendingText = ''
  #hasText = false

  constructor(print: (text: string) => void) {
    this.#print = print
  }

  push(chunk: Chunk): undefined {
    for (const shownCall of this.#calls.push(chunk)) {
      if (!isSettled(shownCall.call)) continue
      this.#endText()
      this.#print(`Tool: ${callSentence(toCallWords(shownCall, Date.now()))}`)
    }
    if (chunk.type === 'user-message') {
      this.#endText()
      this.quote(toUserMessage(chunk))
    } else if (chunk.type === 'text-delta') this.#addText(chunk.delta)
    else if (chunk.type === 'text-end' || chunk.type === 'finish-step' || chunk.type === 'reset-step') this.#endText()
  }

  quote(message: Message): void {
    this.#print(`${message.role === 'user' ? 'You' : message.role}: ${safeText(joinText(message)).trim()}`)
  }

  notice(text: string): void {
    this.#endText()
    this.#print(`Note: ${safeText(text)}`)
  }

  warn(warnings: readonly Diagnostic[], sources: ReadonlyMap<string | undefined, string>): void {
    this.notice(formatExcerpts(warnings, sources).join('\n\n'))
  }

  lend<T>(question: () => Promise<T>): Promise<T> {
    this.#endText()
    return question()
  }

  async end(): Promise<void> {
    this.#endText()
  }

  /** Prints each paragraph when it is complete. */
  #addText(delta: string): void {
    this.#pendingText += delta
    const at = this.#pendingText.lastIndexOf('\n\n')
    if (at === -1 || this.#pendingText.slice(0, at).trim() === '') return
    this.#printText(this.#pendingText.slice(0, at))
    this.#pendingText = this.#pendingText.slice(at + 2)
  }

  #endText(): void {
    const text = this.#pendingText
    this.#pendingText = ''
    if (text.trim() !== '') this.#printText(text)
    this.#hasText = false
  }

  #printText(text: string): void {
    const visible = safeText(text).replace(/^\n+|\s+$/g, '')
    this.#print(this.#hasText ? `\n${visible}` : `Model: ${visible}`)
    this.#hasText = true
  }
}

/** For example "Listed the folder src. 12 entries." */
function callSentence({ verb, subject, result, below, state }: CallWords): string {
  const head = `${verb}${subject === undefined ? '' : ` ${subject}`}.`
  const reason = state === 'done' ? '' : ` ${below.join(' ')}`
  return `${head}${result === undefined ? '' : ` ${result}.`}${reason}`.replace(/\.\.$/, '.')
}
