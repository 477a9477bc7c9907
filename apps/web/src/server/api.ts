import type { ChatMessage, RunWishes } from '@argot/react'
import type { UIMessage } from 'argot'
import { defined } from 'argot/stream'

/** A document in the list of the server. */
export interface DocumentEntry {
  path: string
  title: string
  state: 'idle' | 'running' | 'waiting' | 'interrupted' | 'gone'
  updatedAt: string
  run?: string
}

export interface RunResource {
  id: string
  document: string
  state: 'queued' | 'running' | 'waiting' | 'stopping' | 'done' | 'failed' | 'stopped'
  offset: number
  steps: number
  usage: { inputTokens: number; outputTokens: number; totalTokens: number; estimated?: true }
  startedAt: string
  endedAt?: string
  error?: string
  pending: { approvalId: string; toolName: string; input: unknown }[]
  /** Questions to the person that a tool of the page asks. */
  outputs?: { toolCallId: string; toolName: string }[]
}

/** A model that can be named. */
export interface ListedModel {
  name: string
  provider: string
  title: string
  isReady: boolean
  needs?: string
}

/** What a run of a document uses that asks for nothing else. */
export interface DocumentSettings {
  model: string
  syntax: string
  approve: 'all' | 'ask' | 'readonly' | 'none'
  /** Why it would not run as it is. */
  problem?: string
}

export interface Diagnostic {
  severity: 'error' | 'warning' | 'info'
  code: string
  message: string
  cure?: string
  /** The file that it is in; of another file than the document itself too. */
  file?: string
  range?: { start: Place; end: Place }
}

export interface Place {
  offset: number
  line: number
  column: number
}

export interface Preview {
  model: string
  syntax: string
  tokens?: number
  messages: {
    role: string
    sent: boolean
    pieces: { text: string; origin: string; added?: boolean; tokens?: number }[]
  }[]
  tools: { name: string; description?: string }[]
  diagnostics: Diagnostic[]
  notices: string[]
}

/** Why the server did not do something, in its own words. */
export class ServerError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Where the server is: beside the page, whatever path that is served at. */
export const base: string = new URL('.', document.baseURI).href.replace(/[#?].*$/, '')

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(`${base}api/${path}`, init)
  if (response.ok) return response
  const said = (await response.json().catch(() => ({}))) as { message?: string }
  throw new ServerError(response.status, said.message ?? `The server answered ${response.status}.`)
}

export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

function post(path: string, body: unknown): Promise<Response> {
  return ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
}

/** What the page asks of the server. */
export const api = {
  async documents(): Promise<{ folder: string; documents: DocumentEntry[] }> {
    const answer = await ask('documents')
    const folder = decodeURIComponent(answer.headers.get('x-argot-folder') ?? '')
    return { folder, documents: (await answer.json()) as DocumentEntry[] }
  },
  /** The newest runs of all documents. */
  async recentRuns(): Promise<RunResource[]> {
    return ((await (await ask('runs?limit=100')).json()) as { runs: RunResource[] }).runs
  },
  async models(): Promise<{ models: ListedModel[]; syntaxes: string[] }> {
    return (await (await ask('models')).json()) as { models: ListedModel[]; syntaxes: string[] }
  },
  async settings(path: string): Promise<DocumentSettings> {
    return (await (await ask(`documents/${encodePath(path)}/settings`)).json()) as DocumentSettings
  },
  async runs(document: string): Promise<RunResource[]> {
    const answer = await ask(`runs?limit=50&document=${encodeURIComponent(document)}`)
    return ((await answer.json()) as { runs: RunResource[] }).runs
  },
  async text(path: string): Promise<{ text: string; version: string }> {
    const answer = await ask(`documents/${encodePath(path)}`)
    return { text: await answer.text(), version: answer.headers.get('etag') ?? '' }
  },
  /** Resolves with the version that the document has then. */
  async write(path: string, text: string, version?: string): Promise<string> {
    const headers = version === undefined ? {} : { 'if-match': version }
    const answer = await ask(`documents/${encodePath(path)}`, { method: 'PUT', headers, body: text })
    return answer.headers.get('etag') ?? ''
  },
  async check(path: string): Promise<Diagnostic[]> {
    const answer = await ask(`documents/${encodePath(path)}/check`)
    return ((await answer.json()) as { diagnostics: Diagnostic[] }).diagnostics
  },
  async preview(path: string, { model, syntax }: RunWishes = {}): Promise<Preview> {
    const query = new URLSearchParams(defined({ model, syntax }))
    return (await (await ask(`documents/${encodePath(path)}/preview?${query}`)).json()) as Preview
  },
  async branch(path: string, at: string, including: boolean): Promise<string> {
    const answer = await post(`documents/${encodePath(path)}/branch`, { at, including })
    return ((await answer.json()) as { path: string }).path
  },
  /** The messages of a document in pages, the newest page first, each oldest first. */
  async *messages(path: string): AsyncGenerator<ChatMessage[]> {
    for (let before = ''; ; ) {
      const answer = await ask(`documents/${encodePath(path)}/messages?limit=500${before}`)
      const page = (await answer.json()) as { messages: ChatMessage[]; before?: string }
      yield page.messages
      if (page.before === undefined) return
      before = `&before=${encodeURIComponent(page.before)}`
    }
  },
  /** Has a document run: its last message is answered, or the one that is given. */
  async run(path: string, input?: UIMessage, wishes: RunWishes = {}): Promise<RunResource> {
    return (await (await post('runs', { document: path, input, ...wishes })).json()) as RunResource
  },
  /** Swaps the token for a cookie. */
  async openSession(token: string): Promise<void> {
    await post('session', { token })
  },
}
