import type { Diagnostic } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import type { RunWishes } from '@argot/react'
import type { ChatMessage } from '@argot/react/types'
import type {
  Api,
  DocumentEntry,
  DocumentPreview,
  DocumentSettings,
  MessagePage,
  RunResource,
  ServerProblem,
} from '@argot/server/api'

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
  let response = await fetch(`${base}api/${path}`, init)
  // A server that was too busy to read a request has not done it: it may be sent again.
  if (response.status === 408) response = await fetch(`${base}api/${path}`, init)
  if (response.ok) return response
  const said = (await response.json().catch(() => ({}))) as Partial<ServerProblem>
  throw new ServerError(response.status, said.message ?? `The server answered ${response.status}.`)
}

export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

type Posted = 'branchDocument' | 'openSession' | 'stopRun' | 'startRelaxation'

function post<Id extends Posted>(path: string, body: Api[Id]['body']): Promise<Response> {
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
    return ((await (await ask('runs?limit=100')).json()) as Api['listRuns']['answer']).runs
  },
  async models(): Promise<Api['listModels']['answer']> {
    return (await (await ask('models')).json()) as Api['listModels']['answer']
  },
  async settings(path: string): Promise<DocumentSettings> {
    return (await (await ask(`documents/${encodePath(path)}/settings`)).json()) as DocumentSettings
  },
  async runs(document: string): Promise<RunResource[]> {
    const answer = await ask(`runs?limit=50&document=${encodeURIComponent(document)}`)
    return ((await answer.json()) as Api['listRuns']['answer']).runs
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
    return ((await answer.json()) as Api['checkDocument']['answer']).diagnostics
  },
  /** What would be wrong with the document if it had this text. */
  async checkDraft(path: string, text: string, signal: AbortSignal): Promise<Diagnostic[]> {
    const answer = await ask(`documents/${encodePath(path)}/check`, { method: 'POST', body: text, signal })
    return ((await answer.json()) as Api['checkDraft']['answer']).diagnostics
  },
  async preview(path: string, { model, syntax }: RunWishes = {}): Promise<DocumentPreview> {
    const query = new URLSearchParams(defined({ model, syntax }))
    return (await (await ask(`documents/${encodePath(path)}/preview?${query}`)).json()) as DocumentPreview
  },
  async branch(path: string, at: string, including: boolean): Promise<string> {
    const answer = await post<'branchDocument'>(`documents/${encodePath(path)}/branch`, { at, including })
    return ((await answer.json()) as Api['branchDocument']['answer']).path
  },
  /** The messages of a document in pages, the newest page first, each oldest first. */
  async *messages(path: string): AsyncGenerator<ChatMessage[]> {
    for (let before = ''; ; ) {
      const answer = await ask(`documents/${encodePath(path)}/messages?limit=500${before}`)
      const page = (await answer.json()) as MessagePage
      yield page.messages
      if (page.before === undefined) return
      before = `&before=${encodeURIComponent(page.before)}`
    }
  },
  async stop(run: string): Promise<void> {
    await post<'stopRun'>(`runs/${encodeURIComponent(run)}/stop`, {})
  },
  async search(words: string, signal: AbortSignal): Promise<Api['searchDocuments']['answer']> {
    const answer = await ask(`search?limit=10&q=${encodeURIComponent(words.slice(0, 1000))}`, { signal })
    return (await answer.json()) as Api['searchDocuments']['answer']
  },
  async relaxations(document: string): Promise<Api['readRelaxations']['answer']> {
    const answer = await ask(`relax?document=${encodeURIComponent(document)}`)
    return (await answer.json()) as Api['readRelaxations']['answer']
  },
  async startRelaxation(request: Api['startRelaxation']['body']): Promise<void> {
    await post<'startRelaxation'>('relax', request)
  },
  async endRelaxation(folder: string): Promise<void> {
    await ask(`relax?folder=${encodeURIComponent(folder)}`, { method: 'DELETE' })
  },
  /** Swaps the token for a cookie. */
  async openSession(token: string): Promise<void> {
    await post<'openSession'>('session', { token })
  },
}
