import { isToolPart, type MessagePart } from '@argot/core'
import { type ReactNode, useCallback, useState, useSyncExternalStore } from 'react'
import { ComponentChunk, FromChunk } from '../../bodies/component-chunk.tsx'
import { useIsClient } from '../../bodies/use-is-client.ts'
import { useChatStore } from '../../hooks/chat-context.ts'
import { useMessageHead } from '../../hooks/use-message.ts'
import type { TurnChangesProps } from '../changes/turn-changes.tsx'

/** Loaded on demand, because most turns change no files. */
export const turnChanges: ComponentChunk<TurnChangesProps> = new ComponentChunk(
  () => import('../changes/turn-changes.tsx'),
)

/** `write_file`, `apply_patch`, `find_and_replace`, `str_replace_editor`, `MultiEdit` and similar names. */
const edits =
  /(?:write|edit|append|create|delete|remove|move|rename)_?(?:to_?)?file|patch|replace|^(?:multi_?)?(?:edit|write|append)$/i
const reads = /^(?:get|read|list|search|find|grep|glob|fetch|look|view|show|ask|markdown|webpage)(?:$|[^a-z])/i

/**
 * The turn's changes, at its end. The line has its place from the first edit on, so that nothing moves when the turn is
 * over. A turn with other calls, such as agents, gets it when the server reports changed files.
 */
export function TurnEnd({ messageId }: { messageId: string }): ReactNode {
  const { conversation, adapter } = useChatStore()
  const isLive = useMessageHead(messageId)?.status === 'streaming'
  const record = conversation.ensureRecord(messageId)
  const canAsk = adapter.readChanges !== undefined
  const get = useCallback(() => guessChanges(record.message().parts, canAsk), [record, canAsk])
  const guess = useSyncExternalStore(record.countTopic.subscribe, get, get)
  const [wasLive] = useState(isLive)
  const isClient = useIsClient()
  if (guess === 'none') return null
  const place = guess === 'edits' ? <div className="argot-changes" data-empty="" /> : null
  if (isLive || !isClient) return place
  return <FromChunk chunk={turnChanges} props={{ messageId, hasPlace: wasLive && place !== null }} fallback={place} />
}

/** By the calls' names, because this runs with every new part. */
function guessChanges(parts: readonly MessagePart[], canAsk: boolean): 'edits' | 'maybe' | 'none' {
  let guess: 'maybe' | 'none' = 'none'
  for (const part of parts) {
    if (!isToolPart(part)) continue
    const { toolName } = part.toolInvocation
    if (edits.test(toolName)) return 'edits'
    if (canAsk && !reads.test(toolName)) guess = 'maybe'
  }
  return guess
}
