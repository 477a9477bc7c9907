import { defined, isRecord } from '@argot/core/stream/internal'
import { type Client, SdkError, SdkErrorCode, type Tool as ServerTool } from '@modelcontextprotocol/client'

export interface ListLimits {
  /** For the whole list, however many pages it has. */
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/** An entry in a server's list: a tool, or something unusable with the reason. */
export type ServerListing = { tool: ServerTool } | { name: string; objection: string }

interface ToolPage {
  entries: readonly unknown[]
  next: string | undefined
}

/** A longer list probably never ends. */
const MAX_PAGES = 256
const MAX_ENTRIES = 20_000
const SCHEMA_CHARACTERS = 64 * 1024

/**
 * All tools of a server, over all pages of its list. An unusable one is returned with the reason, without affecting the
 * others: the protocol client would reject the whole list.
 */
export async function listServerTools(client: Client, { timeoutMs, signal }: ListLimits): Promise<ServerListing[]> {
  // Without the capability, the client writes a line to this process's standard output.
  if (client.getServerCapabilities()?.tools === undefined) return []
  const until = performance.now() + timeoutMs
  const listings: ServerListing[] = []
  const cursors = new Set<string>()
  for (let pages = 0, cursor: string | undefined; ; pages++) {
    const timeout = Math.max(1, until - performance.now())
    const params = cursor === undefined ? {} : { params: { cursor } }
    const page = await client.request({ method: 'tools/list', ...params }, anyPage, { timeout, ...defined({ signal }) })
    const { entries, next } = page as ToolPage
    for (const entry of entries) listings.push(readTool(entry))
    if (next === undefined) return listings
    if (cursors.has(next) || pages >= MAX_PAGES || listings.length > MAX_ENTRIES) {
      throw new SdkError(SdkErrorCode.ListPaginationExceeded, 'its list never ends')
    }
    cursors.add(next)
    cursor = next
  }
}

const anyPage = {
  '~standard': {
    version: 1,
    vendor: 'argot',
    validate(value: unknown): { value: ToolPage } | { issues: { message: string }[] } {
      const { tools, nextCursor } = (value ?? {}) as { tools?: unknown; nextCursor?: unknown }
      if (!Array.isArray(tools)) return { issues: [{ message: 'there is no list in it' }] }
      return { value: { entries: tools, next: typeof nextCursor === 'string' ? nextCursor : undefined } }
    },
  },
} as const

function readTool(entry: unknown): ServerListing {
  if (!isRecord(entry)) return { name: '', objection: 'it is not an object' }
  const { name, title, description, inputSchema, outputSchema, annotations } = entry
  if (typeof name !== 'string' || name === '') return { name: '', objection: 'it has no name' }
  if (!isRecord(inputSchema)) return { name, objection: 'it has no input schema' }
  if (inputSchema.type !== undefined && inputSchema.type !== 'object') {
    return { name, objection: 'its input schema is not for an object' }
  }
  if (measureSchema(inputSchema) > SCHEMA_CHARACTERS) return { name, objection: 'its schema is too long' }
  const isChecked = isRecord(outputSchema) && measureSchema(outputSchema) <= SCHEMA_CHARACTERS
  const tool = {
    name,
    inputSchema: { ...inputSchema, type: 'object' },
    ...defined({
      title: typeof title === 'string' ? title : titleIn(annotations),
      description: typeof description === 'string' ? description : undefined,
      outputSchema: isChecked ? outputSchema : undefined,
    }),
  }
  return { tool: tool as ServerTool }
}

function titleIn(annotations: unknown): string | undefined {
  return isRecord(annotations) && typeof annotations.title === 'string' ? annotations.title : undefined
}

/** Infinity for a schema that is nested too deeply to be written. */
function measureSchema(schema: unknown): number {
  try {
    return JSON.stringify(schema).length
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
