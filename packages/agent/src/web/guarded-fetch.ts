import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { defined } from '@argot/core/stream/internal'
import { SourceError } from '../files/source-error.ts'
import { quoted } from '../words/quoted.ts'
import type { AddressPolicy } from './address-policy.ts'
import { checkedLookup, type Lookup } from './checked-lookup.ts'
import { checkAddress, literalAddress, parseWebAddress } from './web-address.ts'

export interface GuardedFetchOptions {
  policy: AddressPolicy
  lookup?: Lookup | undefined
  /** The limit on one message: a complete response, or one event of an event stream. */
  messageBytes?: number | undefined
}

/** The part of `fetch` that an HTTP API client needs. */
export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

const HEADER_BYTES = 64 * 1024
/** Statuses without a body; `Response` throws if it gets one. */
const BODILESS: ReadonlySet<number> = new Set([101, 204, 205, 304])

/**
 * A `fetch` that connects only to addresses that the policy allows, checked when the connection is made. It follows no
 * redirects, so that data meant for one host, above all a token, is not sent to another.
 */
export function createGuardedFetch({ policy, lookup, messageBytes }: GuardedFetchOptions): GuardedFetch {
  return async (address, init = {}) => {
    const url = parseWebAddress(String(address))
    const literal = literalAddress(url)
    if (literal !== undefined) checkAddress(url, literal, policy)
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
        agent: false,
        method: init.method ?? 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        lookup: checkedLookup(url, policy, lookup),
        maxHeaderSize: HEADER_BYTES,
        ...defined({ signal: init.signal ?? undefined }),
      })
      request.on('response', resolve)
      request.on('error', reject)
      request.end(typeof init.body === 'string' ? init.body : undefined)
    })
    const status = reply.statusCode ?? 0
    if (status >= 300 && status < 400 && reply.headers.location !== undefined) {
      reply.destroy()
      const message = `${quoted(url.href)} redirects to ${quoted(String(reply.headers.location))}, but redirects are not followed here.`
      throw new SourceError('CHATMD_BAD_REDIRECT', message, 'If you trust the target, use its address.')
    }
    if (status < 200 || status > 599) {
      reply.destroy()
      throw new SourceError(
        'CHATMD_BAD_REPLY',
        `${quoted(url.href)} responded with status ${status}.`,
        'Use another source.',
      )
    }
    return toResponse(reply, status, messageBytes ?? Number.POSITIVE_INFINITY)
  }
}

function toResponse(reply: IncomingMessage, status: number, messageBytes: number): Response {
  const headers = new Headers()
  for (let index = 0; index + 1 < reply.rawHeaders.length; index += 2) {
    headers.append(reply.rawHeaders[index]!, reply.rawHeaders[index + 1]!)
  }
  if (BODILESS.has(status)) {
    reply.resume()
    return new Response(null, { status, headers })
  }
  // An error in the middle of the body is for its reader, and must not crash this process.
  reply.on('error', () => {})
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const body = (Readable.toWeb(reply) as ReadableStream<Uint8Array>).pipeThrough(limitMessages(messageBytes, isStream))
  return new Response(body, { status, headers })
}

/** Fails a response if one of its messages is too long. Events end at an empty line. */
function limitMessages(messageBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let length = 0
  let before: Uint8Array = new Uint8Array()
  return new TransformStream({
    transform(piece, controller) {
      const end = isStream ? findEventEnd(before, piece) : 0
      before = joinEnds(before, piece)
      length = end > 0 ? piece.length - end : length + piece.length
      if (length > messageBytes) controller.error(new Error(`it sent a message larger than ${messageBytes >> 20} MB`))
      else controller.enqueue(piece)
    },
  })
}

const EDGE_BYTES = 2

/** The last bytes of the stream so far, in which an event's end may have begun. */
function joinEnds(before: Uint8Array, piece: Uint8Array): Uint8Array {
  return Buffer.concat([before, piece.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES)
}

/** The end of the last event that ends in this piece; 0 if none does. */
function findEventEnd(before: Uint8Array, piece: Uint8Array): number {
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
  const end = lastEmptyLine(bytes)
  if (end > 0) return end
  const edge = Buffer.concat([before, piece.subarray(0, EDGE_BYTES)])
  return Math.max(0, lastEmptyLine(edge) - before.length)
}

function lastEmptyLine(bytes: Buffer): number {
  const [plain, dos] = [bytes.lastIndexOf('\n\n'), bytes.lastIndexOf('\n\r\n')]
  return Math.max(plain < 0 ? 0 : plain + 2, dos < 0 ? 0 : dos + 3)
}
