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
  TrashEntry,
} from '@argot/server/api'

/** Why the server refused, in its own words. */
export class ServerError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The server is at the page's own address, whatever path that is. */
export const base: string = new URL('.', document.baseURI).href.replace(/[#?].*$/, '')

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  let response = await fetch(`${base}api/${path}`, init)
  // A server that was too busy to read a request has not acted on it, so sending it again is safe.
  if (response.status === 408) response = await fetch(`${base}api/${path}`, init)
  if (response.ok) return response
  const problem = (await response.json().catch(() => ({}))) as Partial<ServerProblem>
  throw new ServerError(response.status, problem.message ?? `The server answered ${response.status}.`)
}

async function readJson<Value>(path: string): Promise<{ value: Value; headers: Headers }> {
  const answer = await ask(path)
  return { value: (await answer.json()) as Value, headers: answer.headers }
}

export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

type PageOperation =
  | 'branchDocument'
  | 'startRun'
  | 'openSession'
  | 'renameDocument'
  | 'copyDocument'
  | 'nameDocument'
  | 'storeKey'
  | 'stopRun'
  | 'startRelaxation'

function post<Id extends PageOperation>(path: string, body: Api[Id]['body'], method = 'POST'): Promise<Response> {
  return ask(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
}

export interface DocumentPage {
  folder: string
  documents: DocumentEntry[]
  total: number
  /** The cursor for the next page; undefined on the last one. */
  next: string | undefined
}

/** The most runs that `recentRuns` returns. */
export const RECENT_RUNS = 100

export const api = {
  async documents(limit: number, after?: string): Promise<DocumentPage> {
    const query = new URLSearchParams(defined({ limit: String(limit), after }))
    const { headers, ...answer } = await readJson<DocumentEntry[]>(`documents?${query}`)
    const folder = decodeURIComponent(headers.get('x-argot-folder') ?? '')
    const total = Number(headers.get('x-argot-total') ?? answer.value.length)
    return { folder, total, documents: answer.value, next: headers.get('x-argot-next') ?? undefined }
  },
  /** Resolves with the new path. */
  async rename(path: string, to: string): Promise<string> {
    const answer = await post<'renameDocument'>(`documents/${encodePath(path)}/rename`, { to })
    return ((await answer.json()) as Api['renameDocument']['answer']).path
  },
  async copy(path: string): Promise<string> {
    const answer = await post<'copyDocument'>(`documents/${encodePath(path)}/copy`, {})
    return ((await answer.json()) as Api['copyDocument']['answer']).path
  },
  /** An empty title restores the document's own. */
  async title(path: string, title: string): Promise<void> {
    await post<'nameDocument'>(`documents/${encodePath(path)}/title`, { title }, 'PUT')
  },
  async remove(path: string): Promise<TrashEntry> {
    return (await (await ask(`documents/${encodePath(path)}`, { method: 'DELETE' })).json()) as TrashEntry
  },
  async restore({ path, id }: Pick<TrashEntry, 'path' | 'id'>): Promise<void> {
    await ask(`documents/${encodePath(path)}/restore?id=${encodeURIComponent(id)}`, { method: 'POST' })
  },
  async trash(): Promise<TrashEntry[]> {
    return (await readJson<TrashEntry[]>('trash')).value
  },
  /** The documents with these words, best match first. */
  async search(words: string, signal: AbortSignal): Promise<Api['searchDocuments']['answer']> {
    const answer = await ask(`search?limit=20&q=${encodeURIComponent(words.slice(0, 1000))}`, { signal })
    return (await answer.json()) as Api['searchDocuments']['answer']
  },
  /** No request returns the key. */
  async storeKey(provider: string, key: string): Promise<Api['storeKey']['answer']> {
    const answer = await post<'storeKey'>(`keys/${encodeURIComponent(provider)}`, { key }, 'PUT')
    return (await answer.json()) as Api['storeKey']['answer']
  },
  /** Newest first, which is also the order of their ids. */
  async recentRuns(): Promise<RunResource[]> {
    return ((await (await ask(`runs?limit=${RECENT_RUNS}`)).json()) as Api['listRuns']['answer']).runs
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
  /** Resolves with the document's new version. */
  async write(path: string, text: string, version?: string): Promise<string> {
    const headers = version === undefined ? {} : { 'if-match': version }
    const answer = await ask(`documents/${encodePath(path)}`, { method: 'PUT', headers, body: text })
    return answer.headers.get('etag') ?? ''
  },
  async check(path: string): Promise<Diagnostic[]> {
    const answer = await ask(`documents/${encodePath(path)}/check`)
    return ((await answer.json()) as Api['checkDocument']['answer']).diagnostics
  },
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
  /** A document's messages in pages. The newest page comes first; each page is oldest first. */
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
  /** Exchanges the token for a cookie. */
  async openSession(token: string): Promise<void> {
    await post<'openSession'>('session', { token })
  },
}
