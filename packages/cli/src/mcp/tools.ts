import { randomBytes } from 'node:crypto'
import { runDocument } from '@argot/agent'
import { checkInput, depthKey } from '@argot/agent/internal'
import { ArgotError } from '@argot/core'
import { defined, isRecord, nearestNames } from '@argot/core/stream/internal'
import { documentPath } from '@argot/server/internal'
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server'
import type { McpService } from './mcp-service.ts'
import { toUri } from './resources.ts'
import { type CallEnd, ServedCall } from './served-call.ts'
import type { ServedTool } from './served-folder.ts'

/** The maximum depth of runs that call each other, the same as for agents. */
const MOST_DEPTH = 8

export function describeTool({ name, path, card }: ServedTool): Tool {
  return {
    name,
    description: card.description ?? `Runs the document ${path}.`,
    inputSchema: card.input.inputSchema as Tool['inputSchema'],
    ...defined({ outputSchema: objectSchema(card.outputSchema) }),
  }
}

/** A typed answer is structured content if it is an object. Otherwise it is JSON in the text. */
function objectSchema(schema: object | undefined): Tool['outputSchema'] {
  return isRecord(schema) && schema.type === 'object' ? (schema as Tool['outputSchema']) : undefined
}

export interface CallStart {
  name: string
  input: Record<string, unknown>
  key: string
  canAsk: boolean
  context: ServerContext
}

export async function startCall(
  service: McpService,
  { name, input, key, canAsk, context }: CallStart,
): Promise<ServedCall | CallToolResult> {
  const { folder, calls, run, approvesCalls, notice } = service
  const depth = readDepth(context)
  if (depth > MOST_DEPTH) {
    return failure('CHATMD_AGENT_TOO_DEEP', `Runs that call each other are nested more than ${MOST_DEPTH} deep.`)
  }
  const tool = await folder.find(name).catch((error: unknown) => toFailure(error))
  if (tool === undefined) throw await unknownTool(service, name)
  if ('content' in tool) return tool
  const inputCheck = checkInput(tool.card.input.inputSchema, input)
  if (!inputCheck.ok) return failure('TOOL_BAD_INPUT', inputCheck.problem)
  const { message, params } = tool.card.input.read(input)
  const output = documentPath(folder.root, `chats/${name}-${timestamp()}-${randomBytes(3).toString('hex')}.chatmd`)
  // After the last await, so that two simultaneous calls can't both take the last place.
  if (calls.isFull) {
    return failure('SERVER_TOO_MANY', `There may be at most ${calls.maxCalls} calls at the same time. Try again later.`)
  }
  const call = new ServedCall(
    runOptions =>
      runDocument(tool.path, {
        ...run,
        ...runOptions,
        ...defined({ params, input: message }),
        store: folder.store,
        output,
        depth,
        notice: text => notice(`${name}: ${text}`),
      }),
    { key, document: output, canAsk, approvesCalls },
  )
  calls.add(call)
  return call
}

export function toResult(document: string, { result, refusals }: CallEnd): CallToolResult {
  const _meta = { 'argot/document': toUri(document) }
  const note = refusals.length === 0 ? [] : [textContent(describeRefusals(refusals))]
  if (result.status === 'done') {
    const structured = isRecord(result.output) ? { structuredContent: result.output } : {}
    return { content: [textContent(result.text), ...note], ...structured, _meta }
  }
  const { content } = failure(...describeEnd(result))
  return { content: [...content, ...note], isError: true, _meta }
}

function describeEnd(result: Exclude<CallEnd['result'], { status: 'done' }>): [string, string] {
  switch (result.status) {
    case 'failed':
      return [result.code, result.error]
    case 'stopped':
      return ['RUN_STOPPED', 'The run was stopped.']
    case 'parked':
      return ['RUN_PARKED', 'The run waits for an answer that no one can give here.']
  }
}

function describeRefusals(refusals: readonly string[]): string {
  const list = refusals.map(text => `- ${text}`).join('\n')
  return `Argot did not run these calls, because this server asks no one for approval. Whoever starts it can allow calls with --approve, or let the client approve them with --approve-by-client.\n${list}`
}

export function failure(code: string, message: string): CallToolResult {
  return { content: [textContent(`${code}: ${message}`)], isError: true }
}

function toFailure(error: unknown): CallToolResult {
  if (error instanceof ArgotError) return failure(error.code, error.message)
  throw error
}

function textContent(text: string): { type: 'text'; text: string } {
  return { type: 'text', text }
}

/** How many runs led to this call, as reported by the client. Only Argot reports it. */
function readDepth({ mcpReq }: ServerContext): number {
  const depth = mcpReq._meta?.[depthKey] ?? 0
  if (typeof depth === 'number' && Number.isSafeInteger(depth) && depth >= 0) return depth
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `\`${depthKey}\` in \`_meta\` must be a whole number.`)
}

async function unknownTool({ folder }: McpService, name: string): Promise<ProtocolError> {
  const [nearest] = nearestNames(name, await folder.toolNames(), 1)
  const cure = nearest === undefined ? 'List the tools again.' : `Did you mean \`${nearest}\`?`
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool \`${name.slice(0, 200)}\`. ${cure}`)
}

function timestamp(): string {
  return new Date().toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-')
}
