import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a fake server of models was asked. */
export interface Asked {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Record<string, unknown>
}

/** What it answers: chunks of a stream, a message, an error, or whatever it likes. */
export type Answer =
  | { chunks: readonly unknown[]; done?: boolean; hangs?: boolean }
  | { message: Record<string, unknown>; finish?: string | null; usage?: unknown }
  | { status: number; error: unknown; headers?: Record<string, string> }
  | { text: string; type?: string; status?: number; headers?: Record<string, string> }
  | { breaksAfter: readonly unknown[] }
  | ((response: ServerResponse, asked: Asked) => void)

export interface FakeUpstream {
  url: string
  asked: Asked[]
  /** The answers in their order; the last one is given again and again. */
  answers: Answer[]
  /** Where the bytes of a stream are cut; undefined sends each event for itself. */
  cut: number | 'bytes' | undefined
  close(): Promise<void>
}

/** A server of OpenAI's protocol that says what it is told to say, cut wherever a test likes. */
export async function startUpstream(...answers: Answer[]): Promise<FakeUpstream> {
  const asked: Asked[] = []
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString()
      const body = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
      const one: Asked = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
      asked.push(one)
      const answer = fake.answers.length > 1 ? fake.answers.shift()! : fake.answers[0]!
      give(answer, one, response, fake.cut)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const fake: FakeUpstream = {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    answers,
    cut: undefined,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return fake
}

const head = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'fake', system_fingerprint: 'fp' }

function give(answer: Answer, asked: Asked, response: ServerResponse, cut: FakeUpstream['cut']): void {
  if (typeof answer === 'function') answer(response, asked)
  else if ('status' in answer && 'error' in answer) {
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    response.end(typeof answer.error === 'string' ? answer.error : JSON.stringify({ error: answer.error }))
  } else if ('text' in answer) {
    response.writeHead(answer.status ?? 200, { 'content-type': answer.type ?? 'application/json', ...answer.headers })
    response.end(answer.text)
  } else if ('message' in answer) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(toCompletion(answer)))
  } else if ('breaksAfter' in answer) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(answer.breaksAfter.map(toEvent).join(''), () => response.destroy())
  } else if (asked.body.stream === true) void stream(answer, response, cut)
  else {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(gather(answer.chunks)))
  }
}

async function stream(
  { chunks, done = true, hangs = false }: Extract<Answer, { chunks: readonly unknown[] }>,
  response: ServerResponse,
  cut: FakeUpstream['cut'],
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const bytes = Buffer.from(chunks.map(toEvent).join('') + (done ? 'data: [DONE]\n\n' : ''))
  const size = cut === 'bytes' ? 1 : undefined
  if (typeof cut === 'number') await write(response, [bytes.subarray(0, cut), bytes.subarray(cut)])
  else if (size !== undefined)
    await write(
      response,
      Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1)),
    )
  else response.write(bytes)
  if (!hangs) response.end()
}

/** Each piece is a write of its own that the reader gets before the next. */
async function write(response: ServerResponse, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    if (piece.length === 0) continue
    await new Promise<void>(resolve => response.write(piece, () => setImmediate(resolve)))
  }
}

/** A delta, or a whole chunk where it has choices, an error or usage of its own. */
function toEvent(chunk: unknown): string {
  if (typeof chunk === 'string') return chunk
  const fields = chunk as Record<string, unknown>
  const isChunk = 'choices' in fields || 'error' in fields || 'usage' in fields
  const value = isChunk ? { ...head, object: 'chat.completion.chunk', ...fields } : toChunk(fields)
  return `data: ${JSON.stringify(value)}\n\n`
}

function toChunk({ finish = null, index = 0, ...delta }: Record<string, unknown>): unknown {
  return { ...head, object: 'chat.completion.chunk', choices: [{ index, delta, finish_reason: finish }] }
}

function toCompletion({ message, finish = 'stop', usage }: Extract<Answer, { message: object }>): unknown {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }]
  return { ...head, object: 'chat.completion', choices, ...(usage === undefined ? {} : { usage }) }
}

/** The same reply for a client that doesn't stream. */
function gather(chunks: readonly unknown[]): unknown {
  const message: Record<string, unknown> = { role: 'assistant', content: '' }
  let finish: unknown = null
  for (const chunk of chunks) {
    const fields = chunk as Record<string, unknown>
    if (typeof fields.content === 'string') message.content = String(message.content) + fields.content
    if (typeof fields.reasoning_content === 'string') {
      message.reasoning_content = String(message.reasoning_content ?? '') + fields.reasoning_content
    }
    if (Array.isArray(fields.tool_calls)) {
      message.tool_calls = [...((message.tool_calls as unknown[] | undefined) ?? []), ...fields.tool_calls]
    }
    finish = fields.finish ?? finish
  }
  return { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }] }
}

/** The text of a reply in deltas of so many characters, with its end. */
export function textChunks(text: string, size = 4, finish = 'stop'): unknown[] {
  const pieces: unknown[] = [{ role: 'assistant', content: '' }]
  for (let at = 0; at < text.length; at += size) pieces.push({ content: text.slice(at, at + size) })
  return [...pieces, { finish }]
}
