import { useSyncExternalStore } from 'react'
import type { Topic } from '../store/topic.ts'
import { never } from './use-value.ts'

const nothing = (): undefined => undefined

/** Renders again when something changes: what the page knows of a call, for example. */
export function useVersion(topic: Topic | undefined): void {
  const get = topic?.version ?? nothing
  useSyncExternalStore(topic?.subscribe ?? never, get, get)
}
