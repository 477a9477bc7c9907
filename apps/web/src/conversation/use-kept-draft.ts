import type { ChatStore } from '@argot/react'
import { useEffect } from 'react'

const prefix = 'argot message '
/** A message that is longer is not kept. */
const LONGEST = 200_000

/** Keeps what is half typed in this browser until it is sent, so that a reload or a lost server costs nothing. */
export function useKeptDraft(document: string, store: ChatStore): void {
  useEffect(() => {
    const key = prefix + document
    const stored = read(key)
    if (stored !== '' && store.draft.get() === '') store.draft.set(stored)
    const keep = (): void => {
      // The text of a message that is edited is in the document.
      if (store.editing.get() === undefined) write(key, store.draft.get() || unsentText(store))
    }
    const stops = [store.draft.subscribe(keep), store.error.subscribe(keep)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [document, store])
}

/** A message that the server did not take is on this page only. */
function unsentText({ error, conversation }: ChatStore): string {
  const last = error.get()?.code === 'SEND_ERROR' ? conversation.messages().at(-1) : undefined
  if (last?.role !== 'user') return ''
  return last.parts.map(part => (part.type === 'text' ? part.text : '')).join('')
}

function read(key: string): string {
  try {
    return localStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

function write(key: string, text: string): void {
  try {
    if (text === '' || text.length > LONGEST) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    // Without room in the browser it lives as long as the page.
  }
}
