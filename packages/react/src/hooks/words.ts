import type { ToolInvocation } from '@argot/core'
import {
  type CallDescription,
  type DescribeCallOptions,
  describeCallWith,
  type MoreWords,
} from '@argot/core/stream/internal'
import { startTransition, useEffect, useState, useSyncExternalStore } from 'react'
import { Value } from '../store/topic.ts'
import { never } from './use-value.ts'

/** The words for tools without a presentation. A page loads them after its first frame. */
const words = new Value<MoreWords | undefined>(undefined)
let loading: Promise<void> | undefined

/** If loading fails, the next card tries again. */
function loadWords(): void {
  if (loading !== undefined) return
  loading = import('./more-words.ts').then(
    module => words.set(module.default),
    () => {
      loading = undefined
    },
  )
}

const none = (): undefined => undefined

/**
 * The words, once loaded. Hydration runs without them. They arrive as a transition: an urgent update would make React
 * redraw what it is still hydrating.
 */
export function useWords(): MoreWords | undefined {
  const [, setLoaded] = useState(words.get)
  useEffect(() => {
    const take = (): void => startTransition(() => setLoaded(words.get))
    loadWords()
    take()
    return words.subscribe(take)
  }, [])
  return useSyncExternalStore(never, words.get, none)
}

/** `describeCall` with the words loaded so far. Don't use it in a first render. */
export function describeCall(call: ToolInvocation, options?: DescribeCallOptions): CallDescription {
  return describeCallWith(words.get(), call, options)
}
