import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { type ApprovalPolicy, folderStore, type Run, type RunOptions, type RunResult, runDocument } from '@argot/agent'
import {
  compactDocument,
  documentSettings,
  findConfigFolder,
  makeFolders,
  rewriteDocument,
  TitleWriter,
} from '@argot/agent/internal'
import { branchDocument } from '@argot/agent/workshop'
import { ArgotError, getMessageText, type Message, toolCalls } from '@argot/core'
import { isSettled } from '@argot/core/stream'
import { defined } from '@argot/core/stream/internal'
import { type ConversationText, declaredTools, readChat } from '../documents/read-chat.ts'

export interface ConversationOptions {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  /** The document. Without it, a new one is created in `chats`. */
  file?: string | undefined
  template: string
  options: RunOptions
  run?: ((file: string, options: RunOptions) => Run) | undefined
  now?: (() => number) | undefined
}

export interface Spending {
  runs: number
  input: number
  output: number
  cost: number | undefined
  isEstimate: boolean
}

/** A document that the user talks to: its settings for the next message, and the operations on it. */
export class DocumentConversation {
  model: string | undefined
  syntax: string | undefined
  approve: ApprovalPolicy | undefined
  readonly spending: Spending = { runs: 0, input: 0, output: 0, cost: undefined, isEstimate: false }
  readonly #options: ConversationOptions
  readonly #rules: string[] = []
  readonly #titles = new TitleWriter()
  #template: string
  #file: string | undefined

  constructor(options: ConversationOptions) {
    this.#options = options
    this.#template = options.template
    this.#file = options.file === undefined ? undefined : resolve(options.cwd, options.file)
    const { model, syntax, approve } = options.options
    this.model = typeof model === 'string' ? model : undefined
    this.syntax = syntax
    this.approve = approve
  }

  get cwd(): string {
    return this.#options.cwd
  }

  get env(): ConversationOptions['env'] {
    return this.#options.env
  }

  /** Undefined until the first message. */
  get file(): string | undefined {
    return this.#file
  }

  /** Relative to the current folder, or absolute if the document is outside it. */
  get name(): string | undefined {
    if (this.#file === undefined) return undefined
    const name = relative(this.cwd, this.#file)
    return name.startsWith('..') || isAbsolute(name) ? this.#file : name
  }

  allow(rule: string): void {
    if (!this.#rules.includes(rule)) this.#rules.push(rule)
  }

  async start(input: string | undefined, more: RunOptions): Promise<Run> {
    this.#titles.begin(await this.create())
    return this.begin({ ...this.runOptions(input), ...more })
  }

  runOptions(input?: string): RunOptions {
    const { options, cwd, env } = this.#options
    const { allow = [], ...rules } = options.rules ?? {}
    return {
      ...options,
      ...defined({ model: this.model ?? options.model, syntax: this.syntax, approve: this.approve, input }),
      rules: { ...rules, allow: [...allow, ...this.#rules] },
      waitForLock: true,
      cwd,
      env,
    }
  }

  begin(options: RunOptions): Run {
    const { run = runDocument } = this.#options
    return run(this.#file!, options)
  }

  end(result: RunResult): void {
    const { usage, cost } = result
    const { spending } = this
    spending.runs++
    spending.input += usage?.inputTokens ?? 0
    spending.output += usage?.outputTokens ?? 0
    if (cost !== undefined) spending.cost = (spending.cost ?? 0) + cost
    if (usage?.estimated === true) spending.isEstimate = true
    if (this.#file !== undefined) void this.#titles.end(this.#file, this.runOptions(), result)
  }

  leave(): void {
    void this.#titles.close()
  }

  /** The document's content, empty before the first message. */
  async read(): Promise<ConversationText> {
    if (this.#file === undefined || !existsSync(this.#file)) return { messages: [], tools: [], text: this.#template }
    return readChat(this.#file)
  }

  async toolNames(): Promise<string[]> {
    const { text, tools } = await this.read()
    return this.#file === undefined ? declaredTools(text) : tools
  }

  /** The next message's model, syntax and approvals. `problem` says why it can't be sent. */
  async settings(): Promise<{ model: string; syntax: string; approve: string; problem?: string }> {
    const { cwd, env, options } = this.#options
    const { text } = await this.read()
    const file = this.#file ?? join(cwd, 'chats', 'new.chatmd')
    const currentOptions = { ...options, ...defined({ model: this.model, syntax: this.syntax, approve: this.approve }) }
    return documentSettings({ file, text }, { ...currentOptions, cwd, env })
  }

  /** The document ends with something the model has to answer: a message, or a run that was cut off. */
  async isWaiting(): Promise<boolean> {
    const { messages } = await this.read()
    const last = messages.at(-1)
    if (last === undefined) return false
    if (last.role === 'user') return true
    if (toolCalls(last).some(call => !isSettled(call))) return true
    const runs = await folderStore(dirname(this.#file!), this.#storeOptions).logs.list({ path: this.#path })
    return runs.some(({ state }) => state === 'interrupted' || state === 'waiting')
  }

  async isBusy(): Promise<boolean> {
    if (this.#file === undefined) return false
    const runs = await folderStore(dirname(this.#file), this.#storeOptions).logs.list({ path: this.#path })
    return runs.some(({ state }) => state === 'running')
  }

  /** Yields when the document changes, until the signal aborts. The document must exist. */
  async *changes(signal: AbortSignal): AsyncGenerator<void, void, undefined> {
    const { documents } = folderStore(dirname(this.#file!), this.#storeOptions)
    for await (const path of documents.watch(signal)) if (path === this.#path) yield
  }

  /** Switches to a new document with the history before the last user message. Returns that message. */
  async takeBack(): Promise<string | undefined> {
    const { messages } = await this.read()
    const last = messages.findLast(({ role }) => role === 'user')
    if (last === undefined || this.#file === undefined) return undefined
    this.#file = await branchDocument(this.#file, last.id)
    return getMessageText(last)
  }

  async branch(message?: Message): Promise<string | undefined> {
    const { messages } = await this.read()
    const last = message ?? messages.at(-1)
    if (last === undefined || this.#file === undefined) return undefined
    this.#file = await branchDocument(this.#file, last.id, { including: true })
    return this.name
  }

  /**
   * Replaces older turns by a summary in the model's input; the document keeps them. Undefined if there are too few.
   */
  async compact(): Promise<{ replaces: number; tokens: number } | undefined> {
    if (this.#file === undefined) return undefined
    const { summary, usage } = await compactDocument(this.#file, this.runOptions())
    return summary && { replaces: summary.replaces, tokens: usage.totalTokens }
  }

  async rename(name: string): Promise<string> {
    const target = resolve(this.cwd, name.endsWith('.chatmd') ? name : `${name}.chatmd`)
    if (this.#file === undefined) {
      if (existsSync(target)) throw new ArgotError('RUN_OUTPUT_EXISTS', `\`${name}\` already exists.`)
      this.#file = target
      return this.name!
    }
    const root = this.cwd
    const [from, to] = [relative(root, this.#file), relative(root, target)]
    if ([from, to].some(path => path.startsWith('..') || isAbsolute(path)))
      throw new ArgotError('RUN_NO_FOLDER', `The chat can only be saved in ${root}.`)
    const store = folderStore(root, this.#storeOptions)
    makeFolders(dirname(target))
    const lease = await store.leases.take(from)
    try {
      await store.documents.rename(from, to, lease)
    } finally {
      await lease.release()
    }
    this.#file = target
    return this.name!
  }

  async changeTools(add: readonly string[], remove: readonly string[]): Promise<void> {
    const change = (text: string): string => {
      let changedText = text
      for (const name of remove)
        changedText = changedText.replaceAll(new RegExp(`^[ \\t]*<tool name="${name}"/>[ \\t]*\\n`, 'gm'), '')
      const missing = add.filter(name => !changedText.includes(`<tool name="${name}"/>`))
      return missing.map(name => `<tool name="${name}"/>\n`).join('') + changedText
    }
    if (this.#file === undefined || !existsSync(this.#file)) this.#template = change(this.#template)
    else await rewriteDocument(this.#file, change)
  }

  get #path(): string {
    return this.#file!.slice(dirname(this.#file!).length + 1)
  }

  get #storeOptions(): { configFolder: string; env: ConversationOptions['env'] } {
    const { env } = this.#options
    return { configFolder: findConfigFolder({ env }), env }
  }

  /** Creates the document if it doesn't exist. */
  async create(): Promise<string> {
    if (this.#file !== undefined && existsSync(this.#file)) return this.#file
    const { cwd, now = Date.now } = this.#options
    const stamp = new Date(now()).toISOString().slice(0, 19).replaceAll(/[T:]/g, '-')
    for (let number = 1; ; number++) {
      const file = this.#file ?? join(cwd, 'chats', `${stamp}${number === 1 ? '' : `-${number}`}.chatmd`)
      makeFolders(dirname(file))
      const store = folderStore(dirname(file), this.#storeOptions)
      try {
        await store.documents.write(file.slice(dirname(file).length + 1), this.#template, {})
        this.#file = file
        return file
      } catch (error) {
        const isTaken = error instanceof ArgotError && error.code === 'RUN_FILE_CHANGED'
        if (!isTaken || this.#file !== undefined || number > 99) throw error
      }
    }
  }
}
