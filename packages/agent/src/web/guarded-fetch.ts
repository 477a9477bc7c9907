import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { defined } from 'argot'
import { SourceError } from '../files/source-error.ts'
import { quoted } from '../words/quoted.ts'
import type { AddressPolicy } from './address.ts'
import { checkedLookup, type Lookup } from './checked-lookup.ts'
import { checkAddress, literalAddress, parseWebAddress } from './web-address.ts'

export interface GuardedFetchOptions {
  policy: AddressPolicy
  lookup?: Lookup | undefined
}

/** As much of `fetch` as a client of an HTTP API needs. */
export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

const HEADER_BYTES = 64 * 1024
/** Statuses whose replies have no body, which a `Response` refuses to be given. */
const EMPTY: ReadonlySet<number> = new Set([101, 204, 205, 304])

/**
 * A `fetch` that connects only to addresses that the policy allows, checked when the connection is made, and follows no
 * redirect: what was meant for one host, a token above all, is not sent to another.
 */
export function createGuardedFetch({ policy, lookup }: GuardedFetchOptions): GuardedFetch {
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
      const message = `${quoted(url.href)} redirects to ${quoted(String(reply.headers.location))}, and no redirect is followed here.`
      throw new SourceError('CHATMD_BAD_REDIRECT', message, 'Use the address that it leads to, if you trust it.')
    }
    if (status < 200 || status > 599) {
      reply.destroy()
      throw new SourceError(
        'CHATMD_BAD_REPLY',
        `${quoted(url.href)} answered with the status ${status}.`,
        'Use another source.',
      )
    }
    return toResponse(reply, status)
  }
}

function toResponse(reply: IncomingMessage, status: number): Response {
  const headers = new Headers()
  for (let index = 0; index + 1 < reply.rawHeaders.length; index += 2) {
    headers.append(reply.rawHeaders[index]!, reply.rawHeaders[index + 1]!)
  }
  if (EMPTY.has(status)) {
    reply.resume()
    return new Response(null, { status, headers })
  }
  // An error in the middle of the body is the reader's to see, and not one of this process.
  reply.on('error', () => {})
  return new Response(Readable.toWeb(reply) as ReadableStream<Uint8Array>, { status, headers })
}
