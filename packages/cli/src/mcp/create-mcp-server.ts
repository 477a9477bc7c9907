import { randomBytes } from 'node:crypto'
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { McpService } from './mcp-service.ts'
import { getPrompt, listPrompts } from './prompts.ts'
import { listResources, listTemplates, readResource } from './resources.ts'
import type { ServedCall } from './served-call.ts'
import { describeTool, startCall, toResult } from './tools.ts'

/** Identifies the call that a client's answers belong to. Signed, for this connection. */
interface ResumeState {
  call: string
}

/** Progress is reported at least this often, so that waiting clients don't give up. */
const HEARTBEAT_MS = 15_000
/** A call may ask many times. Clients can cancel it. */
const MOST_ROUNDS = 1000
const STATE_SECONDS = 15 * 60

/** Creates the server of one connection or one request. They all share the calls. */
export function mcpServerFactory(service: McpService): () => Server {
  const states = createRequestStateCodec<ResumeState>({
    key: randomBytes(32),
    ttlSeconds: STATE_SECONDS,
    bind: context => context.sessionId ?? '',
  })
  return () => createMcpServer(service, states)
}

function createMcpServer(service: McpService, states: RequestStateCodec<ResumeState>): Server {
  const { folder } = service
  const listChanged = true
  const server = new Server(
    { name: 'argot', version: service.version },
    {
      capabilities: { tools: { listChanged }, prompts: { listChanged }, resources: { listChanged } },
      instructions:
        'Each tool runs a document in a new conversation. Resources are documents and earlier conversations.',
      inputRequired: { maxRounds: MOST_ROUNDS },
      requestState: { verify: states.verify },
    },
  )
  server.setRequestHandler('tools/list', async () => ({ tools: (await folder.tools()).map(describeTool) }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name, arguments: input = {} } = params
    const state = context.mcpReq.requestState<ResumeState>()
    const canAsk = canShowForms(server, context)
    if (state !== undefined) return resume(service, states, context, { id: state.call, key: toKey(name, input) })
    const startedCall = await startCall(service, { name, input, key: toKey(name, input), canAsk, context })
    return 'content' in startedCall ? startedCall : attend(service, states, context, startedCall)
  })
  server.setRequestHandler('resources/list', ({ params }) => listResources(folder, params?.cursor))
  server.setRequestHandler('resources/templates/list', () => listTemplates())
  server.setRequestHandler('resources/read', ({ params }) => readResource(folder, params.uri))
  server.setRequestHandler('prompts/list', () => listPrompts(folder))
  server.setRequestHandler('prompts/get', ({ params }) => getPrompt(service, params.name, params.arguments ?? {}))
  return server
}

function toKey(name: string, input: unknown): string {
  return JSON.stringify([name, input])
}

async function resume(
  service: McpService,
  states: RequestStateCodec<ResumeState>,
  context: ServerContext,
  { id, key }: { id: string; key: string },
): Promise<CallToolResult | InputRequiredResult> {
  const call = service.calls.find(id, key)
  if (call === undefined) {
    const message = 'No call waits for these answers: it is over, or they belong to another call.'
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
  }
  call.answer(context.mcpReq.inputResponses ?? {})
  return attend(service, states, context, call)
}

/** Waits until a call ends or asks something. Stops the run if the client cancels. */
async function attend(
  { calls }: McpService,
  states: RequestStateCodec<ResumeState>,
  context: ServerContext,
  call: ServedCall,
): Promise<CallToolResult | InputRequiredResult> {
  const { signal, envelope } = context.mcpReq
  const cancel = (): void => call.stop('The client cancelled the call.')
  calls.cancelTimeout(call)
  call.isAttended = true
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel, { once: true })
  const endReports = reportProgress(call, context)
  try {
    const forms = await call.next()
    if (forms === undefined) return toResult(call.options.document, await call.ended)
    calls.startTimeout(call)
    const requests = Object.entries(forms).map(([id, form]) => [id, inputRequired.elicit(form)] as const)
    const requestState = await states.mint({ call: call.id }, context)
    return inputRequired({ inputRequests: Object.fromEntries(requests), requestState })
  } finally {
    call.isAttended = false
    endReports()
    // Before 2026-07-28, the request stays open while the client answers, and may still be cancelled.
    if (envelope !== undefined) signal.removeEventListener('abort', cancel)
  }
}

function reportProgress(call: ServedCall, { mcpReq }: ServerContext): () => void {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return () => {}
  const report = (message: string): void => {
    const params = { progressToken, progress: call.countReport(), message }
    // A disconnected client needs no report.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
  }
  call.onProgress = report
  const heartbeat = setInterval(() => report('Still running.'), HEARTBEAT_MS).unref()
  return () => {
    clearInterval(heartbeat)
    call.onProgress = () => {}
  }
}

/** Since 2026-07-28 each request lists the client's capabilities. Before, the handshake did. */
function canShowForms(server: Server, { mcpReq }: ServerContext): boolean {
  const envelope: Readonly<Record<string, unknown>> | undefined = mcpReq.envelope
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()
  const elicitation = (capabilities as { elicitation?: { form?: object; url?: object } } | undefined)?.elicitation
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}
