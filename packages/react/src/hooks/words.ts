import type { ToolInvocation } from '@argot/core'
import { type CallDescription, type DescribeCallOptions, describeBy, type MoreWords } from '@argot/core/stream/internal'
import { useEffect, useSyncExternalStore } from 'react'
import { Value } from '../store/topic.ts'

/** The words for tools that nobody described. A page loads them after its first frame. */
const words = new Value<MoreWords | undefined>(undefined)
let loading: Promise<void> | undefined

/** A failure is tried again with the next card. */
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

/** The words, once they are there. What a server rendered is taken over without them. */
export function useWords(): MoreWords | undefined {
  useEffect(loadWords, [])
  return useSyncExternalStore(words.subscribe, words.get, none)
}

/** `describeCall` with the words that are there. For what is no part of a first render. */
export function describeCall(call: ToolInvocation, options?: DescribeCallOptions): CallDescription {
  return describeBy(words.get(), call, options)
}
