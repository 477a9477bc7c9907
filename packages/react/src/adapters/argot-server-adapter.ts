import { announceHeader, type ChatMessage, type Chunk, decodeSse, defined, toUIMessage } from 'argot'
import type { ChatAdapter, ChatStream } from '../types/index.ts'
import { EndpointError } from './ai-sdk-adapter.ts'

export interface ArgotServerAdapterOptions {
  /** The document that is talked to: its path in the folder that is served. */
  document: string
  /** Where the server is; the page's own by default. */
  url?: string | undefined
  /** Sent with each request; `authorization`, for example. */
  headers?: Record<string, string> | (() => Record<string, string>) | undefined
  /** What each run is started with. */
  run?: { model?: string | undefined; syntax?: string | undefined } | undefined
  fetch?: typeof globalThis.fetch | undefined
}

/** What the adapter reads of a run. */
interface RunResource {
  id: string
  state: string
  offset: number
  pending: { approvalId: string; inputHash: string }[]
}

interface AnswerResult {
  status: number
  answer?: { approved: boolean; reason?: string; by?: string }
  message?: string
}

const over: ReadonlySet<string> = new Set(['done', 'failed', 'stopped'])

/**
 * An adapter for `argot serve`. The server has the document and the runs: a page that is loaded again, or another one,
 * shows the same. A stream stays open while a call waits for an answer, and is resumed where it broke off.
 */
export function argotServerAdapter(options: ArgotServerAdapterOptions): ChatAdapter {
  const { document, url = '', run: wanted } = options
  const send = options.fetch ?? ((input: RequestInfo | URL, init?: RequestInit) => fetch(input, init))
  let current: string | undefined

  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const own = typeof options.headers === 'function' ? options.headers() : options.headers
    const isPost = init.body !== undefined
    const response = await send(`${url}api/${path}`, {
      ...init,
      headers: {
        [announceHeader]: '1',
        ...(isPost && { 'content-type': 'application/json' }),
        ...own,
        ...init.headers,
      },
    })
    if (response.ok) return response
    const said = (await response.json().catch(() => ({}))) as { message?: string }
    throw new EndpointError(response.status, said.message ?? `The server answered ${response.status}.`, undefined)
  }

  const post = (path: string, body: unknown, init: RequestInit = {}): Promise<Response> =>
    ask(path, { ...init, method: 'POST', body: JSON.stringify(body) })

  const readRun = async (id: string): Promise<RunResource> =>
    (await (await ask(`runs/${encodeURIComponent(id)}`)).json()) as RunResource

  /** The run of the document that is not over. */
  async function findRun(): Promise<RunResource | undefined> {
    const answer = await ask(`runs?limit=5&document=${encodeURIComponent(document)}`)
    const { runs } = (await answer.json()) as { runs: RunResource[] }
    return runs.find(({ state }) => !over.has(state))
  }

  async function open(run: string, signal: AbortSignal): Promise<ChatStream> {
    current = run
    const response = await ask(`runs/${encodeURIComponent(run)}/stream`, { signal })
    return chunksOf(response)
  }

  async function start(message: ChatMessage, signal: AbortSignal): Promise<ChatStream> {
    const body = { document, input: toUIMessage(message), ...defined({ ...wanted }) }
    const answer = await post('runs', body, { signal, headers: { 'idempotency-key': message.id } })
    const { id } = (await answer.json()) as RunResource
    return open(id, signal)
  }

  return {
    sendMessage: ({ message, signal }) => start(message, signal),
    async reconnectToStream({ signal }) {
      const run = (await findRun())?.id ?? current
      return run === undefined ? null : open(run, signal)
    },
    async listMessages({ cursor }) {
      const before = cursor === undefined ? '' : `&before=${encodeURIComponent(cursor)}`
      const answer = await ask(`documents/${encodePath(document)}/messages?live=1&limit=200${before}`)
      const { messages, before: next } = (await answer.json()) as { messages: ChatMessage[]; before?: string }
      return { messages, hasMore: next !== undefined, ...defined({ cursor: next }) }
    },
    async addToolApprovalResponse({ id: approvalId, approved, reason, input, always }) {
      const run = await runOf()
      const { pending } = await readRun(run)
      const inputHash = pending.find(one => one.approvalId === approvalId)?.inputHash ?? 'unknown'
      const answers = [{ approvalId, inputHash, approved, ...defined({ reason, input, always }) }]
      const answer = await post(`runs/${encodeURIComponent(run)}/approvals`, { answers })
      const [result] = ((await answer.json()) as { results: AnswerResult[] }).results
      if (result !== undefined && result.status !== 200) {
        throw new EndpointError(result.status, result.message ?? 'The answer was not taken.', result.answer)
      }
    },
    async addToolOutput({ toolCallId, output }) {
      await post(`runs/${encodeURIComponent(await runOf())}/outputs`, { toolCallId, output })
    },
    stop() {
      const run = current
      if (run !== undefined) void post(`runs/${encodeURIComponent(run)}/stop`, {}).catch(() => {})
    },
  }

  async function runOf(): Promise<string> {
    const run = current ?? (await findRun())?.id
    if (run === undefined) throw new EndpointError(410, 'The run is over.', undefined)
    return run
  }
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** The chunks of a stream as one message, without the places at which the run was parked and continued. */
function chunksOf(response: Response): ChatStream {
  const reader = response.body!.getReader()
  const decoder = decodeSse()
  let hasStarted = false
  const isSeam = (chunk: Chunk): boolean => {
    const isAgain = chunk.type === 'start' && hasStarted
    hasStarted ||= chunk.type === 'start'
    return isAgain || (chunk.type === 'finish' && chunk.finishReason === 'tool-calls')
  }
  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read()
        const events = done ? decoder.end() : decoder.push(value)
        const shown = events.filter(({ chunk }) => !isSeam(chunk as Chunk))
        for (const { chunk } of shown) controller.enqueue(chunk)
        // A server that leaves ends its streams without saying that the run is over.
        if (done && !decoder.done) return controller.error(new Error('The connection was lost.'))
        if (done) return controller.close()
        if (shown.length > 0) return
      }
    },
    cancel: reason => reader.cancel(reason),
  })
}
