import { createInterface, type Interface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApprovalAnswer, ApprovalRequest, RunOptions } from '@argot/agent'
import type { ClientCall, ClientOutput, TrustQuestion } from '@argot/agent/internal'
import { visibleLine } from '@argot/core/stream/internal'
import { approvalHead, shortName } from '../ask/approval-words.ts'
import { describeCommand, trustWords } from '../ask/ask-trust.ts'
import { chooseParts, findParts, type PartQuestion } from '../ask/choose-parts.ts'
import { describeWhole, parameterSection } from '../ask/describe-call.ts'
import { readEditedInput, visibleJson } from '../ask/edit-input.ts'
import { wholeSections } from '../ask/fit-sections.ts'
import { readQuestion, toOutput } from '../ask/read-question.ts'
import { getColumns } from '../io/columns.ts'
import { type Io, print, wrapFor } from '../io/io.ts'
import { createPaint } from '../io/paint.ts'
import { safeText } from '../io/safe-text.ts'
import { ChatRunner, type RunEnding } from './chat-runner.ts'
import { listModels } from './complete-chat.ts'
import type { DocumentConversation } from './conversation.ts'
import { describeEnding } from './describe-ending.ts'
import { CALM_MS } from './panel.ts'
import { PlainView } from './plain-view.ts'
import { recentMessages, showMessages } from './show-messages.ts'
import { type CommandContext, readCommand, runCommand } from './slash-commands.ts'

export interface PlainChatOptions {
  io: Io
  conversation: DocumentConversation
  syntaxes: readonly string[]
}

const STOP_MS = 5000
const noPaint = createPaint(false)

/** A line-by-line conversation: nothing is redrawn, and every line is a complete sentence. */
export class PlainChat {
  readonly #io: Io
  readonly #conversation: DocumentConversation
  readonly #view: PlainView
  readonly #runner: ChatRunner
  readonly #commands: CommandContext
  #lines: Interface | undefined
  /** The previous lines of an unfinished message. Each ended with a backslash. */
  #messageStart: string[] = []
  #models: readonly string[] = ['demo']
  #answer: { take: (line: string | undefined) => void; askedAt: number } | undefined
  #questions: Promise<unknown> = Promise.resolve()
  #hasInterrupted = false
  #leave: (status: number) => void = () => {}

  constructor({ io, conversation, syntaxes }: PlainChatOptions) {
    this.#io = io
    this.#conversation = conversation
    this.#view = new PlainView(text => this.#print(text))
    this.#runner = new ChatRunner(conversation, {
      options: () => this.#runOptions(),
      begin: () => {},
      show: chunk => this.#view.push(chunk),
      end: ending => this.#end(ending),
    })
    const chat = this
    this.#commands = {
      conversation,
      get models() {
        return chat.#models
      },
      syntaxes,
      say: text => this.#print(text),
      put: text => this.#print(`Your message was: ${text}`),
      send: text => this.#runner.send(text === undefined ? undefined : { text, displayText: text }),
      show: async () => {},
      clear: () => {},
      leave: () => this.#leave(0),
    }
  }

  async run(): Promise<number> {
    const exitStatus = new Promise<number>(resolve => {
      this.#leave = resolve
    })
    const onEnd = (): void => this.#leave(143)
    const onInterrupt = (): void => this.#interrupt()
    process.on('SIGTERM', onEnd).on('SIGHUP', onEnd).on('SIGINT', onInterrupt)
    this.#lines = createInterface({ input: this.#io.stdin, terminal: false })
    this.#lines.on('line', line => this.#line(line)).on('close', () => this.#leave(0))
    try {
      await this.#open()
      const status = await exitStatus
      this.#runner.leave()
      this.#answer?.take(undefined)
      await Promise.race([this.#runner.idle, sleep(STOP_MS, undefined, { ref: false })])
      const { name } = this.#conversation
      if (name !== undefined) this.#print(`Continue with: argot chat ${name}`)
      return status
    } finally {
      process.off('SIGTERM', onEnd).off('SIGHUP', onEnd).off('SIGINT', onInterrupt)
      this.#lines.close()
    }
  }

  async #open(): Promise<void> {
    this.#print('Argot chat. Type a message and press Enter. /help lists commands. Ctrl D exits.')
    const { messages } = await this.#conversation.read()
    const { recent, earlier } = recentMessages(messages)
    if (earlier > 0) this.#print(`${earlier} earlier messages are in the document.`)
    await showMessages(recent, this.#view, Number.POSITIVE_INFINITY)
    await this.#view.end()
    void listModels(this.#conversation.env).then(models => {
      this.#models = models
    })
    if (!(await this.#conversation.isWaiting())) return
    this.#print('The last message has no complete answer yet. Continuing.')
    this.#runner.send(undefined)
  }

  #line(line: string): void {
    this.#hasInterrupted = false
    if (this.#answer !== undefined) {
      const { askedAt, take } = this.#answer
      if (performance.now() - askedAt < CALM_MS)
        this.#print('That came before you could read the question. Please answer again.')
      else take(line)
      return
    }
    if (line.endsWith('\\')) {
      this.#messageStart.push(line.slice(0, -1))
      return
    }
    const text = [...this.#messageStart.splice(0), line].join('\n')
    if (text.trim() === '') return
    if (readCommand(text) !== undefined) void runCommand(text, this.#commands, this.#runner.isRunning)
    else {
      if (this.#runner.isRunning) this.#print('Your message will be sent when this run ends.')
      this.#runner.send({ text, displayText: text })
    }
  }

  #interrupt(): void {
    if (this.#runner.isRunning && !this.#runner.isStopping) {
      this.#print('Stopping. Press Ctrl C again to exit.')
      this.#answer?.take(undefined)
      this.#runner.stop()
    } else if (this.#runner.isStopping || this.#hasInterrupted) this.#leave(130)
    else this.#print('Press Ctrl C again to exit.')
    this.#hasInterrupted = true
  }

  #runOptions(): RunOptions {
    return {
      ask: request => this.#inTurn(() => this.#approve(request)),
      runClientTool: call => this.#inTurn(() => this.#answerCall(call)),
      trust: question => this.#inTurn(() => this.#trust(question)),
      askParam: name => this.#inTurn(() => this.#ask(`What is ${visibleLine(name)}? Type it and press Enter.`)),
      notice: text => this.#view.notice(text),
      warn: (warnings, sources) => this.#view.warn(warnings, sources),
    }
  }

  async #end({ result, error, summary, queue }: RunEnding): Promise<void> {
    await this.#view.end()
    for (const row of describeEnding({ result, error, summary: `That took ${summary}` }, noPaint)) this.#print(row)
    if (queue.length > 0) this.#print('The queued messages were not sent.')
  }

  async #approve(request: ApprovalRequest): Promise<ApprovalAnswer | undefined> {
    const columns = getColumns(this.#io.stdout)
    const rows = [
      ...approvalHead(request, { columns, isSmall: false }),
      ...wholeSections(describeWhole(request), columns),
    ]
    this.#print(rows.join('\n'))
    const always = request.always === undefined ? '' : `; always, to allow ${visibleLine(request.always)} for this chat`
    const some = findParts(request) === undefined ? '' : '; some, to choose changes'
    const question = `Run ${shortName(request.toolName)}? Type yes or no${some}${always}; no and a reason, to tell the model why; edit, to change the input; or later.`
    for (let text = question; ; text = 'Please type yes, no, always, edit or later.') {
      const line = (await this.#ask(text))?.trim()
      if (line === undefined || line === 'later' || request.signal.aborted) return undefined
      if (line === 'yes' && request.problem === undefined) return { approved: true }
      if (line === 'always' && request.always !== undefined && request.problem === undefined) {
        this.#conversation.allow(request.always)
        return { approved: true, always: true }
      }
      const denial = /^no(?:[\s,.:]+([\s\S]+))?$/.exec(line)
      if (denial !== null) return { approved: false, ...(denial[1] !== undefined && { reason: denial[1] }) }
      if (line === 'some' && some !== '') {
        const answer = await chooseParts(request, columns, part => this.#keepPart(part))
        if (answer !== 'again') return answer
      }
      if (line !== 'edit') continue
      const edited = await this.#edit(request)
      if (edited !== undefined) return { approved: true, input: edited.input }
    }
  }

  async #keepPart({ title, rows }: PartQuestion): Promise<boolean | undefined> {
    this.#print(rows.join('\n'))
    for (;;) {
      const line = (await this.#ask(`${title} Type yes or no, or an empty line to go back.`))?.trim()
      if (line === undefined || line === '') return undefined
      if (line === 'yes' || line === 'no') return line === 'yes'
    }
  }

  async #edit(request: ApprovalRequest): Promise<{ input: unknown } | undefined> {
    this.#print(`The input is ${visibleJson(request.input)}`)
    for (let text = 'Type the new input as one line of JSON, or an empty line to go back.'; ; ) {
      const line = (await this.#ask(text))?.trim()
      if (line === undefined || line === '') return undefined
      const edited = await readEditedInput(line, request)
      if ('value' in edited) return { input: edited.value }
      text = `${edited.problem} Type it again, or an empty line to go back.`
    }
  }

  async #answerCall(call: ClientCall): Promise<ClientOutput | undefined> {
    const question = readQuestion(call)
    if (question === undefined) {
      this.#print(
        `The model called ${shortName(call.toolName)}, which runs elsewhere, with ${parameterSection('input', call.input).text}`,
      )
      const line = await this.#ask('What is its result? Type text or JSON and press Enter.')
      return line === undefined ? undefined : toOutput(call, line)
    }
    const options = question.options.map((option, index) => `${index + 1}: ${visibleLine(option)}`)
    const how = options.length === 0 ? 'Type your answer.' : `Type a number or your own answer. ${options.join('. ')}.`
    const line = (await this.#ask(`The model asks: ${visibleLine(question.question)} ${how}`))?.trim()
    if (line === undefined || line === '') return undefined
    return { output: question.options[Number(line) - 1] ?? line }
  }

  async #trust(question: TrustQuestion): Promise<boolean | 'once'> {
    const columns = getColumns(this.#io.stdout)
    const { whole, offer } = trustWords(question)
    const rows = wholeSections(describeCommand(question), columns)
    this.#print([`${visibleLine(question.file)} ${whole}`, ...rows].join('\n'))
    const always = question.identity === undefined ? '' : ', or always for this document'
    const line = (await this.#ask(`${offer} Type yes for this message${always}, or no.`))?.trim()
    if (line === 'always' && question.identity !== undefined) return true
    return line === 'yes' ? 'once' : false
  }

  #ask(text: string): Promise<string | undefined> {
    this.#print(text)
    const { signal } = this.#runner
    return new Promise(resolve => {
      const take = (line: string | undefined): void => {
        signal.removeEventListener('abort', onAbort)
        this.#answer = undefined
        resolve(line)
      }
      const onAbort = (): void => take(undefined)
      this.#answer = { take, askedAt: performance.now() }
      signal.addEventListener('abort', onAbort)
      if (signal.aborted) onAbort()
    })
  }

  #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const answer = this.#questions.then(() => this.#view.lend(ask))
    this.#questions = answer.catch(() => {})
    return answer
  }

  #print(text: string): void {
    void print(this.#io, wrapFor(this.#io.stdout, `${safeText(text)}\n`))
  }
}
