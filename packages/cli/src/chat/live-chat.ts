import { setTimeout as sleep } from 'node:timers/promises'
import type { RunOptions } from '@argot/agent'
import { type Chunk, type Message, type ToolInvocation, toolCalls, userMessage } from '@argot/core'
import { showAll } from '../ask/show-all.ts'
import { textColumns } from '../composer/draw-editor.ts'
import { Editor, type EditorAction } from '../composer/editor.ts'
import type { Key } from '../composer/key.ts'
import { MessageHistory } from '../composer/message-history.ts'
import type { Io } from '../io/io.ts'
import { createPaint, type Paint, wantsColours } from '../io/paint.ts'
import { safeText } from '../io/safe-text.ts'
import { wrapText } from '../io/wrap-rows.ts'
import { Screen } from '../view/screen.ts'
import { TerminalView } from '../view/terminal-view.ts'
import { CallPanel } from './call-panel.ts'
import { ChatQuestions, editText, type QuestionContext } from './chat-questions.ts'
import { ChatRunner, type OutgoingMessage, type RunEnding } from './chat-runner.ts'
import { ChatTerminal } from './chat-terminal.ts'
import { completeChat, listFiles, listModels } from './complete-chat.ts'
import type { DocumentConversation } from './conversation.ts'
import { CurrentQuestion } from './current-question.ts'
import { describeEnding } from './describe-ending.ts'
import { DocumentNews } from './document-news.ts'
import { drawFooter } from './draw-footer.ts'
import { HistoryFile } from './history-file.ts'
import { foldMessage, recentMessages, showMessages } from './show-messages.ts'
import { type CommandContext, readCommand, runCommand } from './slash-commands.ts'

const FRAME_MS = 100
/** How long a hint is shown. A second Ctrl-C within this time leaves the chat. */
const HINT_MS = 2000
/** How long a run may take to stop when the chat ends. */
const STOP_MS = 5000

export interface LiveChatOptions {
  io: Io
  conversation: DocumentConversation
  message?: string | undefined
  syntaxes: readonly string[]
}

/** A conversation on a terminal. The composer and the current run stay at the bottom; finished output scrolls away. */
export class LiveChat {
  readonly #io: Io
  readonly #conversation: DocumentConversation
  readonly #options: LiveChatOptions
  readonly #paint: Paint
  readonly #screen: Screen
  readonly #view: TerminalView
  readonly #terminal: ChatTerminal
  readonly #runner: ChatRunner
  readonly #questions: ChatQuestions
  readonly #historyFile: HistoryFile
  readonly #editor: Editor
  readonly #question: CurrentQuestion
  readonly #news: DocumentNews
  readonly #commands: CommandContext
  #calls: CallPanel | undefined
  #files: readonly string[] = []
  #models: readonly string[] = ['demo']
  #status: readonly string[] = []
  #model: string | undefined
  #hint: { text: string; until: number } | undefined
  #frame = 0
  #timer: NodeJS.Timeout | undefined
  #isLent = false
  #leave: (status: number) => void = () => {}

  constructor(options: LiveChatOptions) {
    const { io, conversation } = options
    this.#io = io
    this.#options = options
    this.#conversation = conversation
    const colours = wantsColours(io, io.stdout)
    this.#paint = createPaint(colours)
    this.#screen = new Screen(io.stdout, true, io.env.TERM_PROGRAM === 'vscode')
    this.#view = new TerminalView({ out: io.stdout, errors: io.stdout, colours, screen: this.#screen })
    this.#terminal = new ChatTerminal(
      io,
      keys => this.#take(keys),
      () => this.#leave(0),
    )
    this.#runner = new ChatRunner(conversation, {
      options: () => this.#runOptions(),
      begin: message => this.#begin(message),
      show: chunk => this.#show(chunk),
      end: ending => this.#end(ending),
    })
    this.#news = new DocumentNews({
      conversation,
      isRunning: () => this.#runner.isRunning,
      show: messages => this.#showNews(messages),
    })
    this.#question = new CurrentQuestion({
      isDraft: () => !this.#editor.composer.isEmpty,
      onNewQuestion: () => {
        this.#calls = undefined
        this.#terminal.ring()
      },
      onRefused: () => this.#showHint('That was more than one key, so it was ignored.'),
      onChange: () => this.#draw(),
    })
    this.#questions = new ChatQuestions(this.#questionContext(), () => this.#runner.signal)
    this.#historyFile = new HistoryFile(io.env)
    this.#commands = this.#commandContext()
    this.#editor = new Editor({
      history: new MessageHistory(this.#historyFile.read()),
      complete: completeChat(this.#commands, () => this.#files),
    })
  }

  /** Runs until the user leaves. Returns the exit status. */
  async run(): Promise<number> {
    const exitStatus = new Promise<number>(resolve => {
      this.#leave = resolve
    })
    const onEnd = (): void => this.#leave(143)
    const onHangUp = (): void => this.#leave(129)
    const onInterrupt = (): void => this.#act('interrupt')
    const onResize = (): void => this.#draw()
    this.#terminal.start()
    process.on('SIGTERM', onEnd).on('SIGHUP', onHangUp).on('SIGINT', onInterrupt)
    this.#io.stdout.on('resize', onResize)
    try {
      await this.#open()
      const status = await exitStatus
      await this.#shutDown()
      // A tool that doesn't stop can't delay the exit. Its run resumes as after a crash.
      setTimeout(() => process.exit(status), STOP_MS).unref()
      return status
    } finally {
      clearInterval(this.#timer)
      this.#screen.showFooter({ lines: [] })
      this.#terminal.stop()
      process.off('SIGTERM', onEnd).off('SIGHUP', onHangUp).off('SIGINT', onInterrupt)
      this.#io.stdout.off('resize', onResize)
    }
  }

  async #open(): Promise<void> {
    const greeting = 'Argot chat. /help lists commands and keys; Ctrl D exits.'
    this.#view.print(
      wrapText(greeting, this.#screen.columns)
        .split('\n')
        .map(row => this.#paint(row, 'dim')),
    )
    await this.#showDocument()
    await this.#refreshStatus()
    this.#timer = setInterval(() => this.#tick(), FRAME_MS)
    this.#draw()
    void this.#loadNames()
    if (await this.#conversation.isWaiting()) {
      this.#notice('The last message has no complete answer yet. Continuing.')
      this.#runner.send(undefined)
    }
    const { message } = this.#options
    if (message !== undefined) this.#submit({ text: message, displayText: message })
  }

  async #showDocument(): Promise<void> {
    const { messages } = await this.#conversation.read()
    this.#news.markShown(messages)
    const { recent, earlier } = recentMessages(messages)
    if (earlier > 0)
      this.#view.print([this.#paint(`… ${earlier} earlier messages in ${this.#conversation.name}`, 'dim')])
    await showMessages(recent, this.#view, this.#screen.rows)
    await this.#view.end()
  }

  async #showNews(messages: readonly Message[]): Promise<void> {
    await showMessages(messages, this.#view, this.#screen.rows)
    await this.#view.end()
    this.#draw()
  }

  async #shutDown(): Promise<void> {
    this.#news.close()
    const wasRunning = this.#runner.isRunning
    this.#runner.leave()
    this.#question.end()
    await Promise.race([this.#runner.idle, sleep(STOP_MS, undefined, { ref: false })])
    await Promise.race([this.#view.end(), sleep(STOP_MS, undefined, { ref: false })])
    const { name } = this.#conversation
    const words = [
      wasRunning ? 'The run is unfinished. The next start continues it.' : '',
      name === undefined ? '' : `Continue with: argot chat ${name}`,
    ].filter(one => one !== '')
    this.#screen.showFooter({ lines: [] })
    if (words.length > 0) this.#screen.append(`\n${this.#paint(safeText(words.join('\n')), 'dim')}\n`)
  }

  #runOptions(): RunOptions {
    const { approve, answer, trust, param } = this.#questions
    return {
      ask: approve,
      runClientTool: answer,
      trust,
      askParam: param,
      notice: text => this.#notice(text),
      warn: (warnings, sources) => this.#view.warn(warnings, sources),
      chosen: about => {
        this.#model = about.model
      },
    }
  }

  #begin(message: OutgoingMessage | undefined): void {
    this.#calls = undefined
    if (message !== undefined) {
      this.#view.quote(userMessage(foldMessage(message.displayText, this.#screen.rows)))
    }
    this.#draw()
  }

  #show(chunk: Chunk): Promise<void> | undefined {
    const slow = this.#view.push(chunk)
    if (chunk.type === 'tool-input-available') this.#question.noteShown(chunk.toolCallId)
    if (chunk.type === 'tool-approval-request') this.#question.noteShown(chunk.approvalId ?? chunk.toolCallId)
    return slow
  }

  async #end({ result, error, summary, queue }: RunEnding): Promise<void> {
    await this.#view.end()
    const rows = describeEnding({ result, error, summary }, this.#paint)
    this.#print(rows.flatMap(row => wrapText(row, this.#screen.columns).split('\n')))
    if (queue.length > 0) {
      const draft = this.#editor.composer.value
      this.#editor.put([...queue.map(({ text }) => text), draft].filter(text => text !== '').join('\n\n'))
    }
    this.#news.markShown((await this.#conversation.read().catch(() => this.#news)).messages)
    await this.#refreshStatus()
    this.#draw()
  }

  async #refreshStatus(): Promise<void> {
    try {
      const { model, syntax, approve } = await this.#conversation.settings()
      this.#status = [model === '' ? 'no model' : model, syntax, `approve ${approve}`]
      this.#model = model
    } catch (error) {
      this.#status = [(error as Error).message]
    }
  }

  async #loadNames(): Promise<void> {
    const { cwd, env } = this.#conversation
    const models = listModels(env)
    this.#files = await listFiles(cwd)
    this.#editor.refresh()
    this.#draw()
    this.#models = await models
    this.#editor.refresh()
    this.#draw()
  }

  // Keys

  #take(keys: readonly Key[]): void {
    for (const key of keys) this.#key(key, keys.length)
    this.#draw()
  }

  #key(key: Key, count: number): void {
    if (this.#question.key(key, count)) return
    if (this.#calls !== undefined) {
      const isTaken = this.#calls.key(key)
      if (isTaken !== true) this.#calls = undefined
      if (isTaken !== false) return
    }
    if (key.name === 'up' && this.#editor.composer.isEmpty && this.#runner.queue.length > 0) return this.#takeBack()
    const action = this.#editor.key(key, textColumns(this.#screen.columns))
    if (action !== undefined) this.#act(action)
  }

  #act(action: EditorAction): void {
    switch (action) {
      case 'submit':
        return this.#submitDraft()
      case 'steer':
        return this.#submitDraft(true)
      case 'interrupt':
        return this.#interrupt()
      case 'leave':
        return this.#leave(0)
      case 'escape':
        return this.#runner.stop()
      case 'clear-screen':
        return this.#screen.clear()
      case 'open-editor':
        return void this.#openEditor()
      case 'open-call':
      case 'next-call':
        return this.#openCalls(action)
      case 'suspend':
        return void this.#suspend()
    }
  }

  #submitDraft(isSteering = false): void {
    const draft = this.#editor.composer.displayText
    const text = this.#editor.take()
    if (text === undefined) return
    if (this.#editor.history.add(text)) this.#historyFile.add(text)
    if (readCommand(text) === undefined) this.#submit({ text, displayText: draft }, isSteering)
    else {
      this.#print([this.#paint(`> ${safeText(text.trim())}`, 'cyan')])
      void runCommand(text, this.#commands, this.#runner.isRunning).then(async () => {
        await this.#refreshStatus()
        this.#draw()
      })
    }
  }

  #submit(message: OutgoingMessage, isSteering = false): void {
    if (this.#runner.isRunning && isSteering) this.#runner.steer(message)
    else if (this.#runner.isRunning) this.#runner.send(message)
    else
      void this.#news
        .catchUp()
        .catch(() => {})
        .then(() => this.#runner.send(message))
  }

  #interrupt(): void {
    const now = performance.now()
    if (this.#runner.isStopping) this.#leave(130)
    else if (this.#runner.isRunning) {
      this.#runner.stop()
      this.#showHint('Stopping. Press Ctrl C again to exit.')
    } else if (this.#hint !== undefined && now < this.#hint.until) this.#leave(0)
    else this.#showHint('Press Ctrl C again to exit.')
  }

  #takeBack(): void {
    const queued = this.#runner.takeBack()
    if (queued !== undefined) this.#editor.put(queued.text)
  }

  #openCalls(action: 'open-call' | 'next-call'): void {
    if (this.#listCalls().length > 0) this.#calls = new CallPanel(() => this.#listCalls())
    else if (action === 'open-call') this.#showHint('There are no calls yet.')
  }

  #listCalls(): ToolInvocation[] {
    const current = this.#runner.message
    const earlier = this.#news.messages.filter(({ id }) => id !== current?.id)
    return [...earlier, ...(current === undefined ? [] : [current])].flatMap(message => toolCalls(message))
  }

  async #openEditor(): Promise<void> {
    const editor = this.#io.env.VISUAL || this.#io.env.EDITOR || 'vi'
    const text = await this.#lend(onKilled =>
      editText(editor, { name: 'message.md', text: this.#editor.composer.value }, onKilled),
    ).catch((error: Error) => {
      this.#notice(`The editor ${editor} failed: ${error.message}`)
      return undefined
    })
    if (text !== undefined) this.#editor.put(text.replace(/\n$/, ''))
    this.#draw()
  }

  /** Lends the terminal to another program. Output from a run appears afterwards. */
  async #lend<T>(work: (onKilled: () => void) => Promise<T>): Promise<T> {
    return this.#view.lend(async () => {
      this.#isLent = true
      try {
        return await this.#terminal.lend(work)
      } finally {
        this.#isLent = false
      }
    })
  }

  async #suspend(): Promise<void> {
    await this.#view.lend(async () => {
      this.#isLent = true
      await this.#terminal.suspend()
      this.#isLent = false
    })
    this.#draw()
  }

  // Questions and commands

  #questionContext(): QuestionContext {
    return {
      output: this.#io.stdout,
      paint: this.#paint,
      env: this.#io.env,
      print: rows => this.#print(rows),
      ask: (create, signal, isFollowUp) => this.#question.ask(create, signal, isFollowUp),
      page: (rows, signal) => this.#lend(() => this.#page(rows, signal)),
      lend: work => this.#lend(work),
      untilShown: id => this.#question.untilShown(id),
      allow: rule => this.#conversation.allow(rule),
    }
  }

  #page(rows: readonly string[], signal: AbortSignal): Promise<boolean> {
    return showAll(rows, { input: this.#io.stdin, output: this.#io.stdout, env: this.#io.env }, signal)
  }

  #commandContext(): CommandContext {
    const chat = this
    return {
      conversation: this.#conversation,
      get models() {
        return chat.#models
      },
      syntaxes: this.#options.syntaxes,
      say: text => this.#print(wrapText(safeText(text), this.#screen.columns).split('\n')),
      put: text => this.#editor.put(text),
      send: text => this.#runner.send(text === undefined ? undefined : { text, displayText: text }),
      show: () => this.#showDocument(),
      clear: () => this.#screen.clear(),
      leave: () => this.#leave(0),
    }
  }

  // The screen

  #print(rows: readonly string[]): void {
    if (rows.length > 0) this.#view.print(rows)
    this.#draw()
  }

  #notice(text: string): void {
    this.#view.notice(text)
    this.#draw()
  }

  #showHint(text: string): void {
    this.#hint = { text, until: performance.now() + HINT_MS }
  }

  #tick(): void {
    if (!this.#runner.isRunning && this.#hint === undefined && this.#question.panel === undefined) return
    this.#frame++
    if (this.#hint !== undefined && performance.now() > this.#hint.until) this.#hint = undefined
    this.#draw()
  }

  #draw(): void {
    if (this.#isLent || this.#timer === undefined) return
    const { columns, rows } = this.#screen
    const running = this.#runner.isRunning
      ? { words: this.#statusText(), milliseconds: Date.now() - this.#runner.startedAt }
      : undefined
    this.#screen.showFooter(
      drawFooter({
        columns,
        rows,
        paint: this.#paint,
        editor: this.#editor,
        panel: this.#question.panel,
        isPanelOpen: this.#question.isOpen,
        calls: this.#calls,
        running,
        frame: this.#frame,
        queue: [
          ...this.#runner.joining.map(({ displayText }) => `joins: ${displayText}`),
          ...this.#runner.queue.map(({ displayText }) => `next: ${displayText}`),
        ],
        hint: this.#hint?.text,
        status: this.#status,
        document: this.#conversation.name ?? 'new chat',
      }),
    )
  }

  #statusText(): string {
    if (this.#runner.isStopping) return 'Stopping'
    const name = this.#model?.slice(this.#model.indexOf(':') + 1)
    return name === undefined || name === '' ? 'Working' : `${name} is working`
  }
}
