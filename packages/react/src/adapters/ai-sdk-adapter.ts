import { decodeSse, isToolPart, toUIMessage } from '@argot/core'
import { waitsFor } from '@argot/core/stream'
import { announceHeader, appendOnly, defined } from '@argot/core/stream/internal'
import type { ChatMessage } from '@argot/core/types'
import type {
  ChatAdapter,
  ChatAddToolApproveResponseInput,
  ChatRegenerateInput,
  ChatSendMessageInput,
  ChatStream,
} from '../types/index.ts'
import { HeldStream } from './held-stream.ts'

export interface AiSdkAdapterOptions {
  /** The endpoint's address; `/api/chat` by default, as for `useChat`. */
  api?: string | undefined
  headers?: Record<string, string> | (() => Record<string, string>) | undefined
  credentials?: RequestCredentials | undefined
  body?: Record<string, unknown> | undefined
  fetch?: typeof globalThis.fetch | undefined
  /** The chat's id if no provider sets one. */
  id?: string | undefined
  /**
   * Whether the endpoint has `GET {api}/{id}/stream` with the active run, so that a page joins it after a reload or a
   * broken connection. False by default, as for `useChat`.
   */
  resume?: boolean | undefined
}

/** A response that is not a stream, with its status. 409 means that another client answered first. */
export class EndpointError extends Error {
  readonly status: number
  readonly approval: unknown

  constructor(status: number, message: string, approval: unknown) {
    super(message)
    this.name = 'EndpointError'
    this.status = status
    this.approval = approval
  }
}

/**
 * An adapter for the endpoints that the AI SDK's `useChat` (v6, v7) talks to. Approvals work as they do there: after
 * the last answer, the messages are sent again with all answers in them.
 */
export function aiSdkAdapter(options: AiSdkAdapterOptions = {}): ChatAdapter {
  const { api = '/api/chat', credentials, body, id = 'chat', resume = false } = options
  /** The run that an Argot server started for the last request: it continues even without a reader. */
  let run: string | undefined
  const send = options.fetch ?? ((input: RequestInfo | URL, init?: RequestInit) => fetch(input, init))
  const headers = (readsAnswers: boolean): Record<string, string> => ({
    [announceHeader]: readsAnswers ? '1' : appendOnly,
    ...(typeof options.headers === 'function' ? options.headers() : options.headers),
  })

  async function request(url: string, init: RequestInit): Promise<Response> {
    const response = await send(url, { ...init, ...defined({ credentials }) })
    if (!response.ok) throw await endpointError(response)
    run = response.headers.get('x-argot-run-id') ?? undefined
    return response
  }

  async function post(
    messages: readonly ChatMessage[],
    { chatId = id, ...fields }: { chatId?: string | undefined; trigger: string; messageId?: string },
    { signal, readsAnswers = false }: { signal?: AbortSignal | undefined; readsAnswers?: boolean | undefined },
  ): Promise<ChatStream> {
    const response = await request(api, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers(readsAnswers) },
      body: JSON.stringify({ ...body, id: chatId, messages: messages.map(toUIMessage), ...fields }),
      ...defined({ signal }),
    })
    return readChunks(response)
  }

  /** Undefined while something in the last message still waits for the person. */
  async function sendWhenAnswered(
    messages: readonly ChatMessage[] | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ChatStream | undefined> {
    const last = messages?.at(-1)
    if (messages === undefined || last === undefined || last.parts.some(isWaiting)) return undefined
    return post(messages, { trigger: 'submit-message', messageId: last.id }, { signal, readsAnswers: true })
  }

  /** The open answer and its chat, for a client that doesn't read the stream an approval returns. */
  let heldAnswer: { stream: HeldStream; chatId: string | undefined; signal: AbortSignal } | undefined

  async function sendAsOneStream(
    { messages, conversationId, readsAnswers = false, signal }: ChatSendMessageInput | ChatRegenerateInput,
    fields: { trigger: string; messageId?: string },
  ): Promise<ChatStream> {
    const stream = await post(messages, { ...fields, chatId: conversationId }, { signal, readsAnswers })
    if (readsAnswers) return stream
    heldAnswer = { stream: new HeldStream(messages, stream, signal), chatId: conversationId, signal }
    return heldAnswer.stream.stream
  }

  async function answerHeld({ id: approvalId, approved, reason }: ChatAddToolApproveResponseInput): Promise<void> {
    if (heldAnswer?.stream.asks(approvalId) !== true) {
      throw new EndpointError(410, 'No question waits for this answer anymore.', undefined)
    }
    const { stream, chatId, signal } = heldAnswer
    const messages = stream.answer(approvalId, { approved, reason })
    if (messages === undefined) return
    try {
      const last = messages.at(-1)!
      stream.continueWith(await post(messages, { trigger: 'submit-message', messageId: last.id, chatId }, { signal }))
    } catch (error) {
      stream.takeBack(approvalId)
      throw error
    }
  }

  return {
    sendMessage: input => sendAsOneStream(input, { trigger: 'submit-message' }),
    regenerate: input => sendAsOneStream(input, { trigger: 'regenerate-message', messageId: input.messageId }),
    addToolApprovalResponse: input =>
      input.messages === undefined ? answerHeld(input) : sendWhenAnswered(input.messages, input.signal),
    addToolOutput: ({ messages, signal }) => sendWhenAnswered(messages, signal),
    async reconnectToStream({ conversationId = id, signal, readsAnswers = false }) {
      // The stream begins with the message's start, but a component that only appends already has half of it.
      if (!readsAnswers) throw new Error('The connection was lost. Reload the conversation to see the whole answer.')
      if (!resume) return null
      const response = await request(`${api}/${encodeURIComponent(conversationId)}/stream`, {
        headers: headers(true),
        signal,
      })
      return response.status === 204 ? null : readChunks(response)
    },
    stop() {
      const stopped = run
      run = undefined
      if (stopped === undefined) return
      const url = `${api.replace(/\/chat$/, '')}/runs/${encodeURIComponent(stopped)}/stop`
      send(url, { method: 'POST', headers: headers(true), ...defined({ credentials }) }).catch(() => {})
    },
  }
}

function isWaiting(part: ChatMessage['parts'][number]): boolean {
  return isToolPart(part) && waitsFor(part.toolInvocation) !== undefined
}

async function endpointError(response: Response): Promise<EndpointError> {
  const text = await response.text().catch(() => '')
  const fields = jsonObject(text)
  const message = [fields.message, fields.error, text].find(one => typeof one === 'string' && one !== '') as
    | string
    | undefined
  return new EndpointError(
    response.status,
    message?.slice(0, 500) ?? `The server answered ${response.status}.`,
    fields.approval,
  )
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function readChunks(response: Response): ChatStream {
  const source = response.body
  if (source === null) return new ReadableStream({ start: controller => controller.close() })
  const reader = source.getReader()
  const decoder = decodeSse()
  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read()
        const events = done ? decoder.end() : decoder.push(value)
        for (const { chunk } of events) controller.enqueue(chunk)
        if (done) return controller.close()
        if (events.length > 0) return
      }
    },
    cancel: reason => reader.cancel(reason),
  })
}
