import { useEffect, useState } from 'react'

/** What the page shows: a document and its side panes, or every waiting call. */
export interface PageRoute {
  document: string | undefined
  run: string | undefined
  /** The moment of the run: one of its calls, or its state after this many chunks. The end if left out. */
  moment: Moment
  isInbox: boolean
}

export interface Moment {
  call?: string | undefined
  chunk?: number | undefined
}

/** Documents end with `.chatmd`, so none has this address. */
export const inboxHref = '#/needs-you'

/**
 *   #/notes/plan.chatmd
 *   #/notes/plan.chatmd@RUN
 *   #/notes/plan.chatmd@RUN?call=ID
 *   #/notes/plan.chatmd@RUN?chunk=12
 *   #/needs-you
 */
function readRoute(hash: string): PageRoute {
  if (hash === inboxHref) return { document: undefined, run: undefined, moment: {}, isInbox: true }
  const [address = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  const text = decode(address)
  const at = text.lastIndexOf('.chatmd@')
  if (at === -1) return { document: text === '' ? undefined : text, run: undefined, moment: {}, isInbox: false }
  return { document: text.slice(0, at + 7), run: text.slice(at + 8), moment: readMoment(query), isInbox: false }
}

function readMoment(query: string): Moment {
  const params = new URLSearchParams(query)
  const chunk = params.get('chunk')
  return { call: params.get('call') ?? undefined, chunk: /^\d{1,9}$/.test(chunk ?? '') ? Number(chunk) : undefined }
}

/** A malformed address is shown unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The token in an address's fragment. If it can't be decoded, it is returned unchanged, and the server refuses it. */
export function readToken(hash: string): string | undefined {
  const token = /^#token=(.+)$/s.exec(hash)?.[1]
  return token === undefined ? undefined : decode(token)
}

export function toHref(document: string, run?: string): string {
  const path = document.toWellFormed().split('/').map(encodeURIComponent).join('/')
  return `#/${path}${run === undefined ? '' : `@${encodeURIComponent(run.toWellFormed())}`}`
}

export function momentHref(document: string, run: string, { call, chunk }: Moment): string {
  const query = new URLSearchParams()
  if (call !== undefined) query.set('call', call.toWellFormed())
  if (chunk !== undefined) query.set('chunk', String(chunk))
  return `${toHref(document, run)}?${query}`
}

export function goTo(document: string, run?: string): void {
  location.hash = toHref(document, run)
}

export function useRoute(): PageRoute {
  const [route, setRoute] = useState(() => readRoute(location.hash))
  useEffect(() => {
    const read = (): void => setRoute(readRoute(location.hash))
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])
  return route
}
