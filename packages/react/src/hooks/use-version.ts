import { useSyncExternalStore } from 'react'
import type { Topic } from '../store/topic.ts'
import { never } from './use-value.ts'

const nothing = (): undefined => undefined

/** Renders when something changes, for example a call's UI state. */
export function useVersion(topic: Topic | undefined): void {
  const get = topic?.version ?? nothing
  useSyncExternalStore(topic?.subscribe ?? never, get, get)
}
