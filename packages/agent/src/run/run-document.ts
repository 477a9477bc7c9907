import { basename, dirname, resolve } from 'node:path'
import { type Chunk, type Diagnostic, getMessageText, type Message } from 'argot'
import type { Usage } from 'argot/ai-sdk'
import { type AgentRequest, type ChatDocument, type Expanded, printChatMd, type Resolver } from 'argot/chatmd'
import { realFile } from '../files/document-file.ts'
import { makeFolders } from '../files/make-folders.ts'
import type { CallOrigin } from '../loop/open-message.ts'
import { findConfigFolder } from '../settings/config-folder.ts'
import { folderStore } from '../store/folder/folder-store.ts'
import { usageOfEnd } from '../store/logged-spending.ts'
import type { Payloads, Store } from '../store/store.ts'
import type { OutputOf, StandardSchema } from '../tool/schema/standard-schema.ts'
import type { OuterRun, Tool } from '../tool/tool.ts'
import { openTranscript } from '../transcript/open-transcript.ts'
import type { ReplayedRun } from '../transcript/replay-run.ts'
import type { Transcript } from '../transcript/transcript.ts'
import type { UnfinishedRun } from '../transcript/unfinished-run.ts'
import { messageOf } from '../words/message-of.ts'
import { agentQuestion } from './agents/agent-question.ts'
import { createSubAgents, type SubRun } from './agents/sub-agents.ts'
import { type Continuation, findContinuation, hasOpenCalls, nothingToAnswer } from './continuation.ts'
import { ParamValues } from './document/param-values.ts'
import { type Prepared, type PrepareOptions, prepareDocument } from './document/prepare-document.ts'
import { inputMessage, refuseFiles } from './input-message.ts'
import { refineSource } from './meta-refine.ts'
import { openMemory } from './open-memory.ts'
import { openRun } from './open-run.ts'
import type { Notice, Run, RunOptions, RunResult } from './run-options.ts'
import { settleCalls } from './settle-calls.ts'
import { newRunId, type RunContext, startRun } from './start-run.ts'

/**
 * Runs a document: answers its last message and appends everything that is said to the file, so that running it again
 * continues where it stopped. A run that an earlier process left unfinished is continued. A parsed document is run in
 * memory, unless `output` says where it is kept. The run starts at once; a reader that leaves stops it.
 */
export function runDocument<Schema extends StandardSchema>(
  source: string | ChatDocument,
  options: RunOptions & { outputSchema: Schema },
): Run<OutputOf<Schema>>
export function runDocument<Output = unknown>(source: string | ChatDocument, options?: RunOptions): Run<Output>
export function runDocument(source: string | ChatDocument, options: RunOptions = {}): Run {
  const id = options.id ?? newRunId((options.now ?? Date.now)())
  return startRun(id, options, context =>
    typeof source === 'string' || options.output !== undefined
      ? runFile(source, options, context)
      : answer(source, undefined, options, context),
  )
}

/** Where a document is kept while it is run. */
interface Place {
  store: Store
  /** Of the transcript, in the store. */
  path: string
  /** The document that was named, and the transcript, as files. */
  source: string
  target: string
  /** The transcript is a copy that was just made. */
  isNew: boolean
}

async function runFile(document: string | ChatDocument, options: RunOptions, context: RunContext): Promise<RunResult> {
  const place = typeof document === 'string' ? findPlace(document, options) : createPlace(document, options)
  const { store, path, source, target, isNew } = await place
  const transcript = await openTranscript(store, path, {
    signal: context.signal,
    now: options.now,
    wait: options.waitForLock,
    isNew,
  })
  try {
    options.leave?.addEventListener('abort', () => transcript.leave(), { once: true })
    if (options.leave?.aborted === true) transcript.leave()
    const own = {
      ...options,
      protect: [source, target],
      ...(await openMemory({ store, path, source, isNew }, options)),
    }
    return await answer({ file: source, text: transcript.source }, { store, transcript }, own, context)
  } catch (error) {
    // A run that did not begin leaves no copy, so that the same command can be given again.
    if (isNew) await transcript.takeBack()
    throw error
  } finally {
    await transcript.close()
  }
}

/** Finds the store of a document; with `output` the transcript is a copy. */
async function findPlace(name: string, options: RunOptions): Promise<Place> {
  const { cwd = process.cwd(), output } = options
  if (options.store !== undefined && options.store.root === undefined)
    return placeWithoutFiles(options.store, name, options)
  const source = await realFile(resolve(options.store?.root ?? cwd, name))
  const target = output === undefined ? source : resolve(options.store?.root ?? cwd, output)
  if (target === source) {
    if (options.store !== undefined) return { store: options.store, path: name, source, target, isNew: false }
    return { store: folderOf(source, options), path: basename(source), source, target, isNew: false }
  }
  makeFolders(dirname(target))
  const store = options.store ?? folderOf(target, options)
  const { text } = await store.documents.read(source)
  const path = await store.documents.branch(source, text, target)
  return { store, path, source, target, isNew: true }
}

/** Keeps a parsed document as `output`. */
async function createPlace(document: ChatDocument, options: RunOptions): Promise<Place> {
  const { cwd = process.cwd(), output = '' } = options
  const target = resolve(options.store?.root ?? cwd, output)
  if (options.store === undefined) makeFolders(dirname(target))
  const store = options.store ?? folderOf(target, options)
  const name = store.root === undefined ? output : target
  const path = await store.documents.branch(name, printChatMd(document), name)
  return { store, path, source: target, target, isNew: true }
}

function folderOf(
  file: string,
  { env = process.env, now, configFolder = findConfigFolder({ env }) }: RunOptions,
): Store {
  return folderStore(dirname(file), { configFolder, env, now })
}

/** Of a document that is not a file: what it refers to is found from the folder in which the user is. */
async function placeWithoutFiles(store: Store, name: string, options: RunOptions): Promise<Place> {
  const { cwd = process.cwd(), output } = options
  const source = resolve(cwd, name)
  if (output === undefined || output === name) return { store, path: name, source, target: source, isNew: false }
  const { text } = await store.documents.read(name)
  const path = await store.documents.branch(name, text, output)
  return { store, path, source, target: resolve(cwd, path), isNew: true }
}

async function answer(
  source: ChatDocument | { file: string; text: string },
  kept: { store: Store; transcript: Transcript } | undefined,
  options: PrepareOptions & { parts?: AgentRequest['input']; isKept?: boolean },
  context: RunContext,
): Promise<RunResult> {
  const { notice = () => {} } = options
  const transcript = kept?.transcript
  if (kept === undefined) context.opened('none')
  for (const text of transcript?.notices ?? []) notice(text)
  const settings: PrepareOptions = {
    ...options,
    signal: context.signal,
    paramValues: new ParamValues({ ...options, signal: context.signal }, options.frozen),
    createSubAgents: (approve, strict) =>
      createSubAgents(sub => runInMemory(sub, { ...options, approve, strict }, context)),
  }
  let prepared = await prepareDocument(source, settings)
  const refined = 'text' in source ? await refineSource(source, prepared, settings) : undefined
  if (refined !== undefined && 'text' in source)
    prepared = await prepareDocument({ ...source, text: refined }, settings)
  const warnings = prepared.diagnostics.filter(isDoubt)
  if (warnings.length > 0) options.warn?.(warnings, prepared.expanded.sources)
  for (const text of prepared.notices) notice(text)
  options.chosen?.({ model: prepared.model.name, syntax: prepared.syntax.name })
  const toolbox = await prepared.openTools(notice)
  try {
    const turn = new Turn(context.id, prepared, toolbox.tools, transcript, options)
    turn.refuseAnswered()
    await turn.refuseInput(prepared.resolver, source.file)
    turn.expanded = await prepared.askAgents()
    if (kept !== undefined) await saveSources(options, notice)
    const question = options.isKept === true ? agentQuestion(prepared, turn.expanded, options.parts ?? []) : undefined
    const known = question === undefined ? undefined : await options.agentCache?.find(question)
    if (known !== undefined) return { status: 'done', message: answerMessage(context.id, known.text), text: known.text }
    const { history, continued } = await turn.find()
    const { resumed, messageId } = await turn.begin(continued, history)
    if (resumed !== undefined) context.id = turn.runId
    if (kept !== undefined) context.opened(kept.store)
    const setup = {
      ...prepared,
      expanded: turn.expanded,
      toolbox,
      history,
      messageId,
      continued: continued && { message: continued, origin: turn.originOf(continued) },
      kept: kept && { ...kept, resumed },
    }
    const result = await openRun(setup, { ...options, price: prepared.price }, context)
    if (question !== undefined && result.status === 'done') await options.agentCache?.keep(question, result.text)
    return result
  } finally {
    await toolbox.close()
  }
}

/** An answer that an agent gave before, as it is said again. */
function answerMessage(run: string, text: string): Message {
  const id = `msg-${run}`
  return { id, role: 'assistant', status: 'sent', parts: [{ type: 'text', id: `${id}:0`, text, state: 'done' }] }
}

/** A call without its response is no news to the run that settles it. */
function isDoubt({ severity, code }: Diagnostic): boolean {
  return severity === 'warning' && code !== 'CHATMD_CALL_WITHOUT_RESPONSE'
}

/** A disk that does not take what was sent does not stop the run; a later one then reads again. */
async function saveSources({ frozen }: PrepareOptions, notice: Notice): Promise<void> {
  try {
    await frozen?.save()
  } catch (error) {
    notice(`What the document brings in could not be kept: ${messageOf(error)}`)
  }
}

/** What a run of a document answers, and in which log. */
class Turn {
  /** Of the run: its own, or that of the unfinished run that is continued. */
  runId: string
  /** The document with the answers of its agents, once they are known. */
  expanded: Expanded
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #transcript: Transcript | undefined
  readonly #unfinished: UnfinishedRun | undefined
  readonly #input: Message | undefined
  readonly #inputDenies: boolean
  readonly #now: () => number

  constructor(
    id: string,
    prepared: Prepared,
    tools: ReadonlyMap<string, Tool>,
    transcript: Transcript | undefined,
    options: Pick<RunOptions, 'input' | 'inputDenies' | 'now'> & { parts?: AgentRequest['input'] },
  ) {
    this.runId = id
    this.expanded = prepared.expanded
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

  /** What is to be answered: the last message of the document, or the input, which is written there first. */
  async find(): Promise<Continuation> {
    const where = findContinuation(this.expanded.messages)
    if (this.#input !== undefined) return this.#addInput(this.#input, where)
    if (where !== undefined) return where
    throw nothingToAnswer(this.expanded.messages)
  }

  /** Throws where there is nothing to answer, before anything is asked that costs something. */
  refuseAnswered(): void {
    const { messages } = this.expanded
    if (this.#input === undefined && findContinuation(messages) === undefined) throw nothingToAnswer(messages)
  }

  /** Throws where the message that is given cannot be read back, before it is written. */
  async refuseInput(resolver: Resolver, document: string | undefined): Promise<void> {
    if (this.#input !== undefined) await refuseFiles(this.#input, resolver, document)
  }

  async #addInput(input: Message, where: Continuation | undefined): Promise<Continuation> {
    const { messages } = this.expanded
    const history = where?.history ?? messages.filter(one => one.sent).map(one => one.message)
    const continued = where?.continued
    const before = continued === undefined ? history : [...history, await this.#settled(continued, input)]
    await this.#transcript?.write(input)
    return { history: [...before, input] }
  }

  /** The message without open calls: nobody will answer them any more. */
  async #settled(message: Message, input: Message): Promise<Message> {
    if (!hasOpenCalls(message)) return message
    const transcript = this.#transcript
    const origin = this.originOf(message)
    const resumed = this.#resumable(message)?.replayed
    if (resumed !== undefined) await transcript?.resume()
    else await transcript?.begin({ id: `${this.runId}-settled`, message, payloads: this.#payloads })
    const denial = this.#inputDenies ? getMessageText(input) : undefined
    return settleCalls(message, { origin, transcript, resumed, now: this.#now, tools: this.#tools, denial })
  }

  /** Who vouches for the calls of a message: the log of the run that made it, if this user wrote that. */
  originOf(message: Message): CallOrigin {
    return this.#unfinished?.messageId === message.id ? this.#unfinished : 'nobody'
  }

  /** Begins the run in the log, or resumes the one that said this message. */
  async begin(
    continued: Message | undefined,
    history: readonly Message[],
  ): Promise<{ resumed: ReplayedRun | undefined; messageId: string }> {
    const transcript = this.#transcript
    const unfinished = this.#input === undefined ? this.#resumable(continued, history) : undefined
    if (transcript !== undefined && unfinished !== undefined) {
      this.runId = unfinished.runId
      await transcript.resume()
      return { resumed: unfinished.replayed, messageId: unfinished.messageId }
    }
    await transcript?.begin({ id: this.runId, payloads: this.#payloads, message: continued })
    return { resumed: undefined, messageId: continued?.id ?? `msg-${this.runId}` }
  }

  /** The unfinished run, if it is the one that said this message, or had to take back everything that it said. */
  #resumable(message: Message | undefined, history: readonly Message[] = []): UnfinishedRun | undefined {
    const unfinished = this.#transcript?.unfinished
    if (unfinished?.isBelieved !== true) return undefined
    if (message !== undefined) return unfinished.messageId === message.id ? unfinished : undefined
    return unfinished.isUnsaid(history) ? unfinished : undefined
  }
}

/** Runs the document of a sub-agent with the rights of the run that it is part of, and keeps nothing. */
async function runInMemory(sub: SubRun, options: PrepareOptions, around: RunContext): Promise<RunResult> {
  const { id: _, input: __, output: ___, signal: ____, chosen: _____, warn: ______, ...rest } = options
  const { outputSchema: _o, outputJsonSchema: _j, ...shared } = rest
  const { call, document } = sub
  const { file } = document
  const protect = [...(options.protect ?? []), ...(file === undefined || !sub.local ? [] : [file])]
  const own = {
    agents: sub.agents,
    remote: !sub.local,
    parts: sub.input,
    protect,
    isKept: call === undefined,
    params: sub.params,
    // Its caller gives the values, or nobody does.
    askParam: undefined,
  }
  const limits = { tokenBudget: call?.outer?.tokensLeft() ?? options.tokenBudget, ask: askFor(call?.name, options.ask) }
  const run = startRun(newRunId((options.now ?? Date.now)()), { signal: sub.signal, env: options.env }, context => {
    if (call !== undefined) around.inner.set(call.toolCallId, context)
    return answer(document, undefined, { ...shared, ...own, ...limits, frozen: undefined }, context)
  })
  try {
    if (call?.outer !== undefined) for await (const chunk of run) passOn(chunk, call.toolCallId, call.outer)
    return await run.result
  } finally {
    if (call !== undefined) around.inner.delete(call.toolCallId)
  }
}

/** Whoever is asked knows which agent asks. */
function askFor(name: string | undefined, ask: RunOptions['ask']): RunOptions['ask'] {
  if (name === undefined || typeof ask !== 'function') return ask
  return request => ask({ ...request, agents: [name, ...(request.agents ?? [])] })
}

/** Shows a chunk of an agent outside, and counts what its run has used in the end. */
function passOn(chunk: Chunk, toolCallId: string, outer: OuterRun): void {
  outer.chunk(fromInside(chunk, toolCallId))
  const usage = usageOfEnd(chunk) as Usage | undefined
  if (usage !== undefined) outer.spend(usage)
}

/** The questions of an agent, and of agents inside it, have the name of its call before their own. */
function fromInside(chunk: Chunk, toolCallId: string): Chunk {
  if (chunk.type === 'tool-approval-request' || chunk.type === 'tool-approval-response') {
    return { ...chunk, approvalId: `${toolCallId}/${chunk.approvalId ?? chunk.toolCallId}` }
  }
  if (chunk.type !== 'data-argot-sub' || !('data' in chunk)) return chunk
  const data = chunk.data as { chunk: Chunk }
  return { ...chunk, data: { ...data, chunk: fromInside(data.chunk, toolCallId) } }
}
