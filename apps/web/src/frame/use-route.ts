import { useEffect, useState } from 'react'

/** What the page shows: a document, and what is beside it; or everything that waits for somebody. */
export interface Route {
  document: string | undefined
  /** Of the time machine. */
  run: string | undefined
  isInbox: boolean
}

/** Documents end with `.chatmd`, so none has this address. */
export const inboxHref = '#/needs-you'

/**
 *   #/notes/plan.chatmd
 *   #/notes/plan.chatmd@RUN
 *   #/needs-you
 */
function readRoute(hash: string): Route {
  if (hash === inboxHref) return { document: undefined, run: undefined, isInbox: true }
  const text = decode(hash.replace(/^#\/?/, ''))
  const at = text.lastIndexOf('.chatmd@')
  if (at === -1) return { document: text === '' ? undefined : text, run: undefined, isInbox: false }
  return { document: text.slice(0, at + 7), run: text.slice(at + 8), isInbox: false }
}

/** An address that somebody mistyped is shown as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The token in the fragment of an address. What cannot be decoded is taken as it is, and the server refuses it. */
export function tokenIn(hash: string): string | undefined {
  const token = /^#token=(.+)$/s.exec(hash)?.[1]
  return token === undefined ? undefined : decode(token)
}

export function hrefOf(document: string, run?: string): string {
  const path = document.toWellFormed().split('/').map(encodeURIComponent).join('/')
  return `#/${path}${run === undefined ? '' : `@${encodeURIComponent(run.toWellFormed())}`}`
}

export function goTo(document: string, run?: string): void {
  location.hash = hrefOf(document, run)
}

/** The route in the address of the page. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash))
  useEffect(() => {
    const read = (): void => setRoute(readRoute(location.hash))
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])
  return route
}
