import { isToolPart, type MessagePart } from '@argot/core'
import { type ReactNode, useMemo, useSyncExternalStore } from 'react'
import { JsonBody } from '../bodies/json/json-body.tsx'
import { originalName } from '../bodies/original-name.ts'
import { GrowingText } from '../bodies/text/growing-text.tsx'
import type { ToolCallView } from '../hooks/use-tool-call.ts'
import { never } from '../hooks/use-value.ts'
import { usePartLocale } from '../locale/part-locale.ts'
import type { Subscribable } from '../store/topic.ts'

export interface GrowingInputProps {
  view: ToolCallView
  newestLines?: number | undefined
}

/**
 * An input that a model is still writing: completed keys, and the growing value with a caret. It renders when a key
 * begins; `GrowingText` writes the value itself into the page.
 */
export function GrowingInput({ view, newestLines }: GrowingInputProps): ReactNode {
  const { body } = usePartLocale()
  const { newest, invocation } = view
  const fixedInput = newest === undefined ? invocation.input : undefined
  const input = useMemo(() => followInput(newest, fixedInput), [newest, fixedInput])
  const shape = useMemo(() => followShape(input.get), [input])
  const { key, before, isText } = useSyncExternalStore(input.subscribe, shape, shape)
  const text = useMemo(() => ({ subscribe: input.subscribe, get: () => textAt(input.get(), key) }), [input, key])
  if (!isText) return <GrowingTree input={input} />
  const subject = originalName(view.description.subject)
  const otherEntries = Object.entries(before).filter(([, one]) => one !== subject)
  const name = otherEntries.length < Object.keys(before).length ? subject : key
  return (
    <>
      {otherEntries.length > 0 && <JsonBody value={Object.fromEntries(otherEntries)} name={body.input} />}
      <GrowingText key={key} text={text} name={name} newestLines={newestLines} />
    </>
  )
}

function GrowingTree({ input }: { input: Subscribable<unknown> }): ReactNode {
  const { body } = usePartLocale()
  const value = useSyncExternalStore(input.subscribe, input.get, input.get)
  // Nothing of it has been written yet.
  return value === undefined ? null : <JsonBody value={value} name={body.input} isGrowing />
}

/** The input, frame by frame inside a chat. */
function followInput(
  newest: Subscribable<MessagePart | undefined> | undefined,
  fixedInput: unknown,
): Subscribable<unknown> {
  if (newest === undefined) return { subscribe: never, get: () => fixedInput }
  let lastPart: MessagePart | undefined
  let input: unknown
  return {
    subscribe: newest.subscribe,
    get: () => {
      const part = newest.get()
      if (part !== lastPart && part !== undefined && isToolPart(part)) {
        lastPart = part
        input = part.toolInvocation.input
      }
      return input
    },
  }
}

interface Shape {
  /** The key whose value grows; undefined for an input that is one text. */
  key: string | undefined
  /** The keys before it, which are complete. */
  before: Readonly<Record<string, unknown>>
  isText: boolean
}

/** Which value grows. The same object until that changes. */
function followShape(get: () => unknown): () => Shape {
  let shape: Shape | undefined
  let count = -1
  return () => {
    const input = get()
    const isFields = typeof input === 'object' && input !== null && !Array.isArray(input)
    const keys = isFields ? Object.keys(input) : []
    const key = keys.at(-1)
    const isText = typeof textAt(input, key) === 'string' && (isFields || typeof input === 'string')
    if (shape !== undefined && count === keys.length && shape.key === key && shape.isText === isText) return shape
    count = keys.length
    const before = isFields ? Object.fromEntries(Object.entries(input).slice(0, -1)) : {}
    shape = { key, before, isText }
    return shape
  }
}

function textAt(input: unknown, key: string | undefined): string | undefined {
  const value: unknown =
    key === undefined
      ? input
      : typeof input === 'object' && input !== null && Object.hasOwn(input, key)
        ? (input as Record<string, unknown>)[key]
        : undefined
  return typeof value === 'string' ? value : undefined
}
