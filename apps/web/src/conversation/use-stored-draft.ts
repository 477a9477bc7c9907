import type { ChatStore } from '@argot/react'
import { useEffect } from 'react'

const prefix = 'argot message '
/** A longer message is not stored. */
const LONGEST = 200_000

/** Stores unsent text in this browser until it is sent, so that a reload or a lost server costs nothing. */
export function useStoredDraft(document: string, store: ChatStore): void {
  useEffect(() => {
    const key = prefix + document
    const stored = readStored(key)
    if (stored !== '' && store.draft.get() === '') store.draft.set(stored)
    const keep = (): void => {
      // The text of an edited message is in the document.
      if (store.editing.get() === undefined) writeStored(key, store.draft.get() || unsentText(store))
    }
    const stops = [store.draft.subscribe(keep), store.error.subscribe(keep)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [document, store])
}

/** A message that the server did not accept exists only on this page. */
function unsentText({ error, conversation }: ChatStore): string {
  const last = error.get()?.code === 'SEND_ERROR' ? conversation.messages().at(-1) : undefined
  if (last?.role !== 'user') return ''
  return last.parts.map(part => (part.type === 'text' ? part.text : '')).join('')
}

function readStored(key: string): string {
  try {
    return localStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

function writeStored(key: string, text: string): void {
  try {
    if (text === '' || text.length > LONGEST) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    // No storage left: the draft lasts as long as the page.
  }
}
