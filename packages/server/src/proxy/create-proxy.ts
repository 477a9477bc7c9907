import { createHash, timingSafeEqual } from 'node:crypto'
import { isRecord } from '@argot/core/stream/internal'
import { auto, type Syntax, syntaxes } from '@argot/core/syntax'
import { addSecurityHeaders } from '../guard/add-security-headers.ts'
import { checkHostAndOrigin } from '../guard/host-origin.ts'
import { defaultLimits } from '../guard/limits.ts'
import { OpenStreams } from '../guard/open-streams.ts'
import { Problem } from '../guard/problem.ts'
import { readBytes, readJson } from '../guard/read-body.ts'
import { requestPath } from '../guard/request-path.ts'
import { servePage } from '../page/serve-page.ts'
import { DebugLog, type DebugRecord, redact, toAttempt } from './debug/debug-log.ts'
import { serveDebug } from './debug/serve-debug.ts'
import { describeRecord } from './describe-record.ts'
import { Exchange } from './exchange.ts'
import { toResponse, upstreamPath } from './pass-through.ts'
import { toAnthropicModels } from './protocol/anthropic-models.ts'
import { estimateTokens } from './protocol/estimate-tokens.ts'
import type { CompletionRequest, Protocol } from './protocol/protocol.ts'
import { chatCompletions, messages, responses } from './protocol/protocols.ts'
import { defaultProxyLimits, type ProxyLimits } from './proxy-limits.ts'
import { pushStream, type Write } from './push-stream.ts'
import { TaughtModels } from './taught-models.ts'
import { readSecrets, toUpstreamHeaders } from './upstream/headers.ts'
import { readText, Upstream } from './upstream/upstream.ts'

export interface ProxyOptions {
  /** The base address of a server with OpenAI's protocol, for example `http://localhost:11434/v1`. */
  upstream: string
  /**
   * How the model writes calls into its text, by name or as an object; `auto` by default, which reads every dialect.
   */
  syntax?: string | Syntax | undefined
  /** Teach every model its tools as text. By default only models whose server refuses tools are taught. */
  teach?: boolean | undefined
  /**
   * How often to request a reply again if all of its calls are broken; 1 by default. Arguments are then held until they
   * are checked. With 0 they are streamed as the model writes them.
   */
  retries?: number | undefined
  /** Also read calls at the end of unclosed reasoning. By default they stay reasoning. */
  reasoningCalls?: boolean | undefined
  /** Required in the `x-argot-token` header of every request. None by default. */
  token?: string | undefined
  /** Host names of the proxy, besides those of this machine. `*`: any. */
  hosts?: readonly string[] | undefined
  /** Other origins whose pages may use the proxy. */
  origins?: readonly string[] | undefined
  limits?: Partial<ProxyLimits> | undefined
  /** The folder of Argot's page. Its playground is at `/playground`, and the debug page links to it. */
  page?: string | undefined
  /** Called with one line per request, never with a key. */
  log?: ((line: string) => void) | undefined
}

export interface ArgotProxy {
  fetch(request: Request): Promise<Response>
  close(): void
}

/** The proxy's own token needs its own header: `Authorization` belongs to the upstream. */
const tokenHeader = 'x-argot-token'

function isPlayground(path: string, { method }: Request): boolean {
  return ['GET', 'HEAD'].includes(method) && (path === '/playground' || path.startsWith('/playground/'))
}

/**
 * An endpoint for any client of OpenAI's or Anthropic's protocols. It turns calls that a local model writes as text
 * into tool calls. Requests go to the upstream and nowhere else.
 */
export function createProxy(options: ProxyOptions): ArgotProxy {
  const limits: ProxyLimits = { ...defaultProxyLimits, ...options.limits }
  const { syntax = auto, retries = 1, log = () => {} } = options
  const upstream = new Upstream(options.upstream)
  const chosenSyntax = typeof syntax === 'string' ? syntaxes.get(syntax) : syntax
  const taught = new TaughtModels()
  const debug = new DebugLog(limits.debugRecords)
  const openStreams = new OpenStreams({ ...defaultLimits, streams: limits.streams, streamsPerClient: limits.streams })

  async function handle(request: Request): Promise<Response> {
    const path = requestPath(request.url)
    checkHostAndOrigin(request, path, options)
    if (path === '/' || path === '/debug' || path.startsWith('/debug/')) {
      const hasPlayground = options.page !== undefined
      return serveDebug(path, request, { log: debug, hasPlayground }, () => checkToken(request, options.token))
    }
    if (options.page !== undefined && isPlayground(path, request)) return servePage(options.page, path, request)
    checkToken(request, options.token)
    const upstreamTarget = upstreamPath(request.url)
    if (request.method !== 'POST') return pass(request, upstreamTarget)
    switch (path) {
      case '/v1/chat/completions':
        return translate(request, chatCompletions)
      case '/v1/messages':
        return translate(request, messages)
      case '/v1/responses':
        return translate(request, responses)
      case '/v1/messages/count_tokens':
        return Response.json({ input_tokens: estimateTokens(await readJson(request, limits.bodyBytes)) })
      default:
        return pass(request, upstreamTarget)
    }
  }

  async function translate(request: Request, protocol: Protocol): Promise<Response> {
    const startedAt = performance.now()
    const secrets = readSecrets(request.headers)
    const release = openStreams.open('proxy')
    const record = debug.begin(describe(request))
    const finish = (status: number, error?: Problem): void => {
      release()
      if (record.ms !== undefined) return
      record.status = status
      record.ms = Math.round(performance.now() - startedAt)
      if (error !== undefined) record.error = redact(error.message, secrets).slice(0, 4000)
      log(describeRecord(record))
    }
    try {
      const body = await readJson(request, limits.bodyBytes)
      if (!isRecord(body)) throw new Problem(400, 'SERVER_BAD_BODY', 'The request body is not a JSON object.')
      if (typeof body.model === 'string') record.model = redact(body.model, secrets).slice(0, 200)
      const chat = protocol.read(body)
      record.tools = chat.tools.slice(0, 200).map(({ name }) => name.slice(0, 128))
      return await answer(request, protocol, chat, record, secrets, finish)
    } catch (error) {
      const problem = error instanceof Problem ? error : toInternalProblem(error)
      finish(problem.status, problem)
      if (request.signal.aborted) return new Response(null, { status: 499 })
      return Response.json(protocol.error(problem), { status: problem.status, headers: problem.headers })
    }
  }

  async function answer(
    request: Request,
    protocol: Protocol,
    chat: CompletionRequest,
    record: DebugRecord,
    secrets: readonly string[],
    finish: (status: number, error?: Problem) => void,
  ): Promise<Response> {
    const abort = new AbortController()
    const leave = (): void => abort.abort()
    request.signal.addEventListener('abort', leave, { once: true })
    const onEnd = (isComplete: boolean): void => {
      request.signal.removeEventListener('abort', leave)
      if (!isComplete) abort.abort()
      finish(200)
    }
    const headers = toUpstreamHeaders(request.headers)
    const isTaught = options.teach === true || taught.has(chat.model)
    // A reply that can't have calls isn't parsed: it is passed on byte for byte.
    if (protocol === chatCompletions && !isTaught && (chat.tools.length === 0 || chat.choice === 'none')) {
      const body = JSON.stringify(chat.body)
      const response = await upstream.send({
        method: 'POST',
        path: '/chat/completions',
        headers,
        body,
        signal: abort.signal,
      })
      return toResponse(response, onEnd)
    }
    const exchange = new Exchange(
      {
        upstream,
        syntax: chosenSyntax,
        taught,
        teaches: options.teach === true,
        retries,
        readsReasoning: options.reasoningCalls === true,
        replyBytes: limits.replyBytes,
        headers,
        signal: abort.signal,
        onReply(reply, remarks) {
          const { written, reasoning, desk, finishReason } = reply
          record.mode = exchange.isTaught ? 'teach' : 'read'
          record.attempts.push(toAttempt({ written, reasoning, calls: desk.calls, remarks, finishReason }, secrets))
        },
      },
      protocol,
      chat,
    )
    if (!chat.isStream) {
      const body = await exchange.body()
      finish(200)
      return Response.json(body)
    }
    const events = await exchange.events()
    const write = async (to: Write): Promise<void> => {
      await events(to).catch((error: unknown) =>
        finish(200, error instanceof Problem ? error : toInternalProblem(error)),
      )
    }
    const stream = pushStream(write, onEnd)
    return new Response(stream, { headers: streamHeaders })
  }

  async function pass(request: Request, path: string): Promise<Response> {
    const release = openStreams.open('proxy')
    const abort = new AbortController()
    const leave = (): void => abort.abort()
    request.signal.addEventListener('abort', leave, { once: true })
    try {
      const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
      const body = hasBody ? await readBytes(request, limits.bodyBytes) : undefined
      const isAnthropic = path.split('?')[0] === '/models' && request.headers.has('anthropic-version')
      const response = await upstream.send({
        method: request.method,
        path,
        headers: toUpstreamHeaders(request.headers),
        body,
        signal: abort.signal,
      })
      if (isAnthropic && response.status === 200) {
        const models = toAnthropicModels(await readText(response.body, limits.replyBytes))
        release()
        return Response.json(models)
      }
      return toResponse(response, isComplete => {
        release()
        request.signal.removeEventListener('abort', leave)
        if (!isComplete) abort.abort()
      })
    } catch (error) {
      release()
      throw error
    }
  }

  return {
    async fetch(request) {
      try {
        return addSecurityHeaders(await handle(request))
      } catch (error) {
        const problem = error instanceof Problem ? error : toInternalProblem(error)
        if (!(error instanceof Problem))
          log(`A bug in Argot: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
        const isAnthropic = request.headers.has('anthropic-version')
        const body = (isAnthropic ? messages : chatCompletions).error(problem)
        return addSecurityHeaders(Response.json(body, { status: problem.status, headers: problem.headers }))
      }
    },
    close: () => upstream.close(),
  }
}

const streamHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

function toInternalProblem(error: unknown): Problem {
  const problem = new Problem(500, 'SERVER_FAILED', 'The proxy could not do this. Its output says why.')
  problem.cause = error
  return problem
}

function describe(request: Request): Parameters<DebugLog['begin']>[0] {
  const { pathname } = new URL(request.url)
  return {
    at: new Date().toISOString(),
    method: request.method,
    path: pathname,
    model: undefined,
    client: (request.headers.get('user-agent') ?? '').slice(0, 100),
    mode: 'pass',
    tools: [],
  }
}

/** Takes the same time for any mismatch. */
function checkToken(request: Request, token: string | undefined): void {
  if (token === undefined) return
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  if (timingSafeEqual(hash(request.headers.get(tokenHeader) ?? ''), hash(token))) return
  throw new Problem(401, 'SERVER_NO_TOKEN', `This proxy needs its token, in the header \`${tokenHeader}\`.`)
}
