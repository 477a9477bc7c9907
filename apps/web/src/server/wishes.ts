import type { RunWishes } from '@argot/react'
import { useSyncExternalStore } from 'react'

const prefix = 'argot wishes '
const nothing: RunWishes = {}
const listeners = new Set<() => void>()
/** The last text of each document and its parsed value, so that the same text gives the same object. */
const cache = new Map<string, { text: string | null; wishes: RunWishes }>()

const fields = ['model', 'syntax', 'approve'] as const
const modes: readonly unknown[] = ['ask', 'readonly', 'none']

function parse(text: string | null): RunWishes {
  if (text === null) return nothing
  try {
    const stored = JSON.parse(text) as Record<string, unknown> | null
    const wishes: Record<string, unknown> = {}
    for (const field of fields) {
      const value = stored?.[field]
      if (typeof value === 'string' && (field !== 'approve' || modes.includes(value))) wishes[field] = value
    }
    return wishes
  } catch {
    return nothing
  }
}

function storage(): Storage | undefined {
  try {
    return localStorage
  } catch {
    return undefined
  }
}

export function getWishes(document: string): RunWishes {
  const text = storage()?.getItem(prefix + document) ?? null
  const cached = cache.get(document)
  if (cached !== undefined && cached.text === text) return cached.wishes
  const wishes = parse(text)
  cache.set(document, { text, wishes })
  return wishes
}

/** Overrides something from the next message on; undefined removes the override. */
export function wish(document: string, changes: RunWishes): void {
  const next = { ...getWishes(document), ...changes }
  const isEmpty = Object.values(next).every(value => value === undefined)
  if (isEmpty) storage()?.removeItem(prefix + document)
  else storage()?.setItem(prefix + document, JSON.stringify(next))
  for (const notify of listeners) notify()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

/** The overrides are the same in every tab. */
export function useWishes(document: string): RunWishes {
  const get = (): RunWishes => getWishes(document)
  return useSyncExternalStore(subscribe, get, get)
}
