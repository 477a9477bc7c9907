import { type Chunk, decodeSse, isToolPart, toUIMessage } from '@argot/core'
import { messageToChunks, SeamFilter, toEnding } from '@argot/core/stream'
import { announceHeader, appendOnly, defined, type Envelope, pickDecision } from '@argot/core/stream/internal'
import type { ChatMessage } from '@argot/core/types'
import type { Api, MessagePage, RunRequest, RunResource, ServerProblem } from '@argot/server/api'
import type { ChatAdapter, ChatSendMessageInput, ChatStream } from '../types/index.ts'
import { EndpointError } from './ai-sdk-adapter.ts'
import type { SharedEvents } from './shared-events.ts'
import { canShareEvents, sharedServerEvents } from './shared-server-events.ts'

/** Overrides for a run, instead of its document's settings. */
export interface RunWishes {
  model?: string | undefined
  syntax?: string | undefined
  /** Which calls run without a question; it can only be stricter than what the server allows. */
  approve?: 'ask' | 'readonly' | 'none' | undefined
}

export interface ArgotServerAdapterOptions {
  /** The document's path in the served folder. */
  document: string
  /** The server's address; the page's own by default. */
  url?: string | undefined
  headers?: Record<string, string> | (() => Record<string, string>) | undefined
  /** The overrides for each run, or a function that is called at each start. */
  run?: RunWishes | (() => RunWishes) | undefined
  fetch?: typeof globalThis.fetch | undefined
  /**
   * Shared by the tabs of a browser, so that any number of them needs one connection; made by `sharedServerEvents`. A
   * page has it by default. With false, each run is read over its own connection.
   */
  events?: SharedEvents | false | undefined
}

type ChatOperation = 'startRun' | 'stopRun' | 'answerApprovals' | 'giveOutput' | 'branchDocument'

/**
 * An adapter for `argot serve`. The server has the document and the runs, so a page shows the same after a reload, and
 * so does another page. A stream stays open while a call waits for an answer, and resumes where it broke off.
 */
export function argotServerAdapter(options: ArgotServerAdapterOptions): ChatAdapter {
  const { url = '' } = options
  let { document } = options
  const wishes = (): Pick<RunRequest, keyof RunWishes> =>
    defined({ ...(typeof options.run === 'function' ? options.run() : options.run) })
  const send = options.fetch ?? ((input: RequestInfo | URL, init?: RequestInit) => fetch(input, init))
  const events =
    options.events ?? (canShareEvents() && options.fetch === undefined ? sharedServerEvents(options) : false)
  let position: RunPosition | undefined
  /** The run whose message was left out of the history: its stream has it, even if the run is over by now. */
  let omittedRun: string | undefined

  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const extraHeaders = typeof options.headers === 'function' ? options.headers() : options.headers
    const isPost = init.body !== undefined
    const headers = {
      [announceHeader]: '1',
      ...(isPost && { 'content-type': 'application/json' }),
      ...extraHeaders,
      ...init.headers,
    }
    const response = await send(`${url}api/${path}`, { ...init, headers }).catch(error => throwPlain(error, isPost))
    if (response.ok) return response
    const problem = (await response.json().catch(() => ({}))) as Partial<ServerProblem>
    throw new EndpointError(response.status, problem.message ?? `The server answered ${response.status}.`, undefined)
  }

  const post = <Id extends ChatOperation>(
    path: string,
    body: Api[Id]['body'],
    init: RequestInit = {},
  ): Promise<Response> => ask(path, { ...init, method: 'POST', body: JSON.stringify(body) })

  const readRun = async (id: string): Promise<RunResource> =>
    (await (await ask(`runs/${encodeURIComponent(id)}`)).json()) as RunResource

  /** The document's unfinished run; if there are several, the one that the others wait for. */
  async function findRun(): Promise<RunResource | undefined> {
    const answer = await ask(`runs?state=open&document=${encodeURIComponent(document)}`)
    const { runs } = (await answer.json()) as Api['listRuns']['answer']
    return runs.findLast(({ state }) => state !== 'queued') ?? runs.at(-1)
  }

  /** Undefined if it was removed with its document. */
  async function findAgain(id: string): Promise<string | undefined> {
    try {
      return (await readRun(id)).id
    } catch (error) {
      if (error instanceof EndpointError && error.status === 404) return undefined
      throw error
    }
  }

  /** Reads a run from its beginning, or from where the same reader was when the connection broke. */
  async function open(run: string, reader: StreamReader, isAgain = false): Promise<ChatStream> {
    const { signal, readsAnswers = false } = reader
    const at = isAgain && position?.isBroken === true && position.run === run ? position : new RunPosition(run)
    position = at
    // A reader that can't take parts back needs a stream without the parts that were taken back.
    if (events !== false && readsAnswers) return sharedStream(events, at)
    const headers = readsAnswers ? {} : { [announceHeader]: appendOnly }
    const response = await ask(`runs/${encodeURIComponent(run)}/stream?from=${at.nextOffset}`, { signal, headers })
    return ownStream(response, at)
  }

  /** Returns the run's id. If `signal` was aborted meanwhile, the run is stopped immediately. */
  async function start(signal: AbortSignal, input?: ChatMessage): Promise<string> {
    const body = { document, ...defined({ input: input && toUIMessage(input) }), ...wishes() }
    const answer = await post<'startRun'>('runs', body, input && { headers: { 'idempotency-key': input.id } })
    const { id } = (await answer.json()) as RunResource
    if (signal.aborted) stop(id)
    signal.throwIfAborted()
    return id
  }

  function stop(run: string): void {
    void post<'stopRun'>(`runs/${encodeURIComponent(run)}/stop`, {}).catch(() => {})
  }

  return {
    sendMessage: async input => open(await start(input.signal, input.message), input),
    /** Continues an answer that failed or was stopped: the document already has its question. */
    async regenerate({ messageId, ...reader }) {
      const before = (await readMessages('limit=1')).messages.at(-1)
      const rest = await open(await start(reader.signal), reader)
      return before?.id === messageId ? afterMessage(before, rest) : rest
    },
    async reconnectToStream(reader) {
      // A server that is away must fail here, not in the middle of the stream.
      const run = position?.isBroken === true ? await findAgain(position.run) : (omittedRun ?? (await findRun())?.id)
      omittedRun = undefined
      // If this page has started a run meanwhile, it reads that one. A run read to its end has nothing to add.
      if (run === undefined || reader.signal.aborted || (position?.run === run && position.isOver)) return null
      return open(run, reader, true)
    },
    async listMessages({ cursor }) {
      const before = cursor === undefined ? '' : `&before=${encodeURIComponent(cursor)}`
      const { messages, before: next, run } = await readMessages(`live=1&limit=40${before}`)
      if (cursor === undefined) omittedRun = run
      return { messages, hasMore: next !== undefined, ...defined({ cursor: next }) }
    },
    async addToolApprovalResponse({ id: approvalId, toolCallId, messages = [], ...decision }) {
      const run = await requireRun()
      const question = (await readRun(run)).pending.find(one => one.approvalId === approvalId)
      const visibleInput = getVisibleInput(messages, toolCallId)
      if (
        question !== undefined &&
        visibleInput !== undefined &&
        JSON.stringify(question.input) !== JSON.stringify(visibleInput)
      ) {
        throw new EndpointError(412, "The call's input is no longer the one you saw.", undefined)
      }
      const inputHash = question?.inputHash ?? 'gone'
      const answers = [{ approvalId, inputHash, ...pickDecision(decision) }]
      const answer = await post<'answerApprovals'>(`runs/${encodeURIComponent(run)}/approvals`, { answers })
      const [result] = ((await answer.json()) as Api['answerApprovals']['answer']).results
      if (result === undefined || result.status === 200) return
      // If the question is still there, it is about a different input than the one shown: it can be answered again.
      const isOpen =
        result.answer === undefined && (await readRun(run)).pending.some(one => one.approvalId === approvalId)
      throw new EndpointError(
        isOpen ? 412 : result.status,
        result.message ?? 'The answer was not accepted.',
        result.answer,
      )
    },
    async checkApproval({ id, signal }) {
      const path = `runs/${encodeURIComponent(await requireRun())}/approvals/${encodeURIComponent(id)}/check`
      const answer = await ask(path, defined({ signal }))
      const { at, ...check } = (await answer.json()) as Api['checkApproval']['answer']
      return { ...check, at: Date.parse(at) }
    },
    async addToolOutput({ toolCallId, output }) {
      await post<'giveOutput'>(`runs/${encodeURIComponent(await requireRun())}/outputs`, { toolCallId, output })
    },
    async readChanges({ messageId, signal }) {
      try {
        const answer = await ask(`${turnPath(messageId)}/changes`, defined({ signal }))
        return (await answer.json()) as Api['readChanges']['answer']
      } catch (error) {
        // Its log was pruned, or another program wrote the message.
        if (error instanceof EndpointError && error.status === 404) return undefined
        throw error
      }
    },
    async undoTurn({ messageId }) {
      return (await (await ask(`${turnPath(messageId)}/undo`, { method: 'POST' })).json()) as Api['undoTurn']['answer']
    },
    steer({ message }) {
      const body = { document, input: toUIMessage(message), mode: 'steer' as const, ...wishes() }
      return post<'startRun'>('runs', body, { headers: { 'idempotency-key': message.id } })
    },
    stop() {
      if (position !== undefined) stop(position.run)
    },
    async branch({ before, message, messages, model, syntax }) {
      const at = before.role === 'user' ? await findUserMessage(before.id, messages) : before.id
      const newBranch = await post<'branchDocument'>(`documents/${encodePath(document)}/branch`, { at })
      const { path } = (await newBranch.json()) as Api['branchDocument']['answer']
      const input = defined({ input: message && toUIMessage(message) })
      await post<'startRun'>('runs', { document: path, ...input, ...wishes(), ...defined({ model, syntax }) })
      return path
    },
    async listBranches() {
      const answer = await ask(`documents/${encodePath(document)}/branches`)
      const { points } = (await answer.json()) as Api['listBranches']['answer']
      return points.map(({ message, documents, current }) => {
        return { ...defined({ messageId: message }), conversations: documents, current }
      })
    },
    openBranch(path) {
      document = path
      position = undefined
      omittedRun = undefined
    },
    async listModels() {
      const { models, syntaxes } = (await (await ask('models')).json()) as Api['listModels']['answer']
      return { models: models.filter(({ isReady }) => isReady), syntaxes }
    },
    giveFeedback({ message, value, reason }) {
      const body: Api['giveFeedback']['body'] = { message: message.id, value, ...defined({ reason }) }
      return ask(`documents/${encodePath(document)}/feedback`, { method: 'PUT', body: JSON.stringify(body) })
    },
  }

  /**
   * The document's id for a user message. A message sent from this page has a different id here: it is at the same
   * position, counted from the end.
   */
  async function findUserMessage(id: string, messages: readonly ChatMessage[]): Promise<string> {
    const here = messages.filter(({ role }) => role === 'user')
    const fromEnd = here.length - here.findIndex(one => one.id === id)
    const userMessages: ChatMessage[] = []
    for (let before: string | undefined = ''; before !== undefined; ) {
      const page: MessagePage = await readMessages(`limit=500${before && `&before=${encodeURIComponent(before)}`}`)
      if (page.messages.some(one => one.id === id)) return id
      userMessages.unshift(...page.messages.filter(({ role }) => role === 'user'))
      if (userMessages.length >= fromEnd) return userMessages.at(-fromEnd)!.id
      before = page.before
    }
    throw new EndpointError(404, 'The document no longer has this message. Reload the page.', undefined)
  }

  async function readMessages(query: string): Promise<MessagePage> {
    const answer = await ask(`documents/${encodePath(document)}/messages?${query}`)
    return (await answer.json()) as MessagePage
  }

  function turnPath(messageId: string): string {
    return `documents/${encodePath(document)}/turns/${encodeURIComponent(messageId)}`
  }

  async function requireRun(): Promise<string> {
    const run = position?.run ?? (await findRun())?.id
    if (run === undefined) throw new EndpointError(410, 'The run has ended.', undefined)
    return run
  }
}

/** The reader of a stream: Argot's store, which takes back interrupted parts, or a component that only appends. */
type StreamReader = Pick<ChatSendMessageInput, 'signal' | 'readsAnswers'>

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** A reader's position in a run. Chunks are numbered without gaps, so a reader that reconnects gets nothing twice. */
class RunPosition {
  readonly run: string
  nextOffset = 0
  isBroken = false
  /** The reader has the whole run. */
  isOver = false
  #sequence = 0
  readonly #seams: SeamFilter = new SeamFilter()

  constructor(run: string) {
    this.run = run
  }

  /** The chunk for the reader, who sees the whole run as one message; undefined at a seam. */
  take(offset: number, chunk: Chunk): Envelope | undefined {
    this.nextOffset = offset + 1
    this.isOver ||= toEnding(chunk) === 'ended'
    return this.#seams.keeps(chunk) ? { sequence: this.#sequence++, chunk } : undefined
  }
}

/** A message's existing parts, followed by what a run adds. */
function afterMessage(message: ChatMessage, rest: ChatStream): ChatStream {
  const chunks = messageToChunks(message).filter(
    ({ type }) => type !== 'finish' && type !== 'abort' && type !== 'error',
  )
  const reader = rest.getReader()
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
    },
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: reason => reader.cancel(reason),
  })
}

function sharedStream(events: SharedEvents, position: RunPosition): ChatStream {
  let leave = (): void => {}
  return new ReadableStream({
    start(controller) {
      position.isBroken = false
      leave = events.follow(
        position.run,
        position.nextOffset,
        ({ o, chunk }) => {
          const item = position.take(o, chunk)
          if (item !== undefined) controller.enqueue(item)
          if (!position.isOver) return
          leave()
          controller.close()
        },
        error => {
          position.isBroken = true
          controller.error(error)
        },
      )
    },
    cancel: () => leave(),
  })
}

function ownStream(response: Response, position: RunPosition): ChatStream {
  const reader = response.body!.getReader()
  const decoder = decodeSse()
  position.isBroken = false
  const lose = (controller: ReadableStreamDefaultController<unknown>, error: unknown): void => {
    position.isBroken = true
    controller.error(error)
  }
  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        let count = 0
        try {
          const { done, value } = await reader.read()
          for (const { id, chunk } of done ? decoder.end() : decoder.push(value)) {
            const item = position.take(Number(id ?? position.nextOffset), chunk as Chunk)
            if (item === undefined) continue
            controller.enqueue(item)
            count++
          }
          // A server that shuts down ends its streams without saying that the run is over.
          if (done && !decoder.done) return lose(controller, new Error('The connection was lost.'))
          if (done) return controller.close()
        } catch (error) {
          return lose(controller, error)
        }
        if (count > 0) return
      }
    },
    cancel: reason => reader.cancel(reason),
  })
}

/** The input shown to the person, as the model wrote it. */
function getVisibleInput(messages: readonly ChatMessage[], toolCallId: string | undefined): unknown {
  for (const { parts } of messages.toReversed()) {
    for (const part of parts) {
      if (!isToolPart(part) || part.toolInvocation.toolCallId !== toolCallId) continue
      const { approval, input, rawInput } = part.toolInvocation
      return approval !== undefined && rawInput !== undefined ? rawInput : input
    }
  }
  return undefined
}

/** Replaces "Failed to fetch", "Load failed" or "NetworkError", which tell users nothing useful. */
function throwPlain(error: unknown, isPost: boolean): never {
  if (!(error instanceof TypeError)) throw error
  throw new Error(isPost ? 'Not sent: the server is not answering.' : 'The server is not answering.', { cause: error })
}
