import { isToolPart, type ToolInvocation } from '@argot/core'
import { useMemo, useSyncExternalStore } from 'react'
import { useChatStore } from './chat-context.ts'

/** Some of a message's calls. The list changes when a call's state or time changes, not while an input streams. */
export function useCalls(messageId: string, indexes: readonly number[]): readonly ToolInvocation[] {
  const store = useChatStore()
  const names = indexes.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: `names` is what `indexes` says
  const source = useMemo(() => {
    const record = store.conversation.record(messageId)
    const places = indexes.map(index => record?.at(index))
    let signature: string | undefined
    let calls: readonly ToolInvocation[] = []
    return {
      subscribe: (listener: () => void) => {
        const leaves = places.map(place => place?.subscribe(listener))
        return () => {
          for (const leave of leaves) leave?.()
        }
      },
      get: () => {
        const now = places.flatMap(place => {
          const part = place?.get()
          return part !== undefined && isToolPart(part) ? [part.toolInvocation as ToolInvocation] : []
        })
        const next = now.map(toSignature).join()
        if (next !== signature) {
          signature = next
          calls = now
        }
        return calls
      },
    }
  }, [store, messageId, names])
  return useSyncExternalStore(source.subscribe, source.get, source.get)
}

function toSignature({ key, state, preliminary, startedAt, endedAt }: ToolInvocation): string {
  return `${key} ${state} ${preliminary} ${startedAt} ${endedAt}`
}
