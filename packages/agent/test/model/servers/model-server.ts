import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a fake model answers to one request: reasoning first, then text, then calls. */
export interface ScriptedReply {
  text?: string
  reasoning?: ScriptedReasoning
  calls?: readonly ScriptedCall[]
  usage?: ScriptedUsage
  /** Why the reply ends: what its content suggests by default. */
  finish?: 'stop' | 'length' | 'tool-calls'
  /** An error status; `body` then says why. */
  status?: number
  headers?: Readonly<Record<string, string>>
  /** The body of an error, or with status 200 a whole body in place of the events. */
  body?: unknown
  /** An event in the middle of the stream that is an error in the API's own form, after this many events. */
  failAfter?: number
  /** Send this many whole events and half of the next one, and nothing more. */
  cutAfter?: number
  /** How a cut reply ends: the body is ended properly, the connection is closed under it, or nothing happens any more. */
  cutBy?: 'end' | 'reset' | 'silence'
}

export interface ScriptedReasoning {
  text: string
  /** The signature or the encrypted content. */
  signature?: string
}

export interface ScriptedCall {
  id?: string
  name: string
  input: unknown
}

export interface ScriptedUsage {
  input: number
  output: number
  reasoning?: number
  cached?: number
}

/** A request as it came. */
export interface RecordedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** The JSON of it; empty where there was none. */
  body: Record<string, unknown>
}

/** A server that speaks the API of a provider and answers what its script says. */
export interface ModelServer {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  url: string
  /** The variables with which `chooseModel` finds this server. */
  env: Record<string, string>
  requests: RecordedRequest[]
  close(): Promise<void>
}

/** How one API writes its replies. */
export interface WireFormat {
  /** The events of a whole reply, each as it stands in the body. */
  events(reply: ScriptedReply, number: number): string[]
  /** An error in the middle of a stream. */
  failure: string
  env(url: string): Record<string, string>
}

/** Replies one after the other, or the reply to each request. */
export type ServerScript = readonly ScriptedReply[] | ((request: RecordedRequest) => ScriptedReply)

/** Starts a server on a free port that gives the replies of the script, and a status of 400 when they are used up. */
export async function startModelServer(script: ServerScript, format: WireFormat): Promise<ModelServer> {
  const requests: RecordedRequest[] = []
  const server = createServer((request, response) => {
    response.on('error', () => {})
    let text = ''
    request.setEncoding('utf8')
    request.on('data', piece => {
      text += piece
    })
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      const recorded = { method, path, headers, body: text === '' ? {} : JSON.parse(text) }
      requests.push(recorded)
      const next = typeof script === 'function' ? script(recorded) : script[requests.length - 1]
      const reply = next ?? { status: 400, body: { error: { message: 'The script is over.' } } }
      answer(response, reply, reply.body === undefined ? format.events(reply, requests.length) : [], format)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    env: format.env(url),
    requests,
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answer(response: ServerResponse, reply: ScriptedReply, events: string[], format: WireFormat): void {
  if (reply.body !== undefined) {
    const isText = typeof reply.body === 'string'
    response.writeHead(reply.status ?? 200, {
      'content-type': isText ? 'text/html; charset=utf-8' : 'application/json',
      ...reply.headers,
    })
    response.end(isText ? reply.body : JSON.stringify(reply.body))
    return
  }
  response.writeHead(reply.status ?? 200, { 'content-type': 'text/event-stream', ...reply.headers })
  if (reply.failAfter !== undefined) events.splice(reply.failAfter, events.length, format.failure)
  const { cutAfter } = reply
  if (cutAfter === undefined || cutAfter >= events.length) {
    response.end(events.join(''))
    return
  }
  const next = events[cutAfter]!
  const whole = events.slice(0, cutAfter).join('')
  const sent = whole + next.slice(0, Math.ceil(next.length / 2))
  if (reply.cutBy === 'reset') response.write(sent, () => setImmediate(() => response.destroy()))
  else if (reply.cutBy === 'silence') response.write(sent)
  else response.end(sent)
}

/** The text in pieces, as models write it. */
export function cutIntoPieces(text: string, length = 7): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += length) pieces.push(text.slice(at, at + length))
  return pieces
}

/** One server-sent event. */
export function sse(data: unknown, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

/** What a call is as JSON text; a string stands for itself, so that a script can say what is not JSON. */
export function printInput(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input)
}
