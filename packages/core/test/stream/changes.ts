import { isToolPart, type Message, type MessagePart } from '@argot/core'
import type { MessageChange } from '@argot/core/stream'
import { expect } from 'vitest'

/** What somebody keeps who hears of a stream only through `changes()`. */
export class Copy {
  readonly messages: (Message & { parts: MessagePart[] })[] = []

  get message(): Message | undefined {
    return this.messages.at(-1)
  }

  apply(changes: readonly MessageChange[]): void {
    for (const change of changes) this.#applyOne(change)
  }

  #applyOne(change: MessageChange): void {
    if (change.type === 'message') {
      const parts = change.begins ? [] : this.messages.pop()!.parts
      this.messages.push({ ...change.message, parts })
      return
    }
    const { parts } = this.messages.at(-1)!
    switch (change.type) {
      case 'added':
        if (change.index !== parts.length) throw new Error('A part was added that is not at the end.')
        parts.push(change.part)
        return
      case 'changed':
        if (change.index >= parts.length) throw new Error('A part changed that is not there.')
        if (change.grown !== undefined) expect(change.part).toEqual(withGrown(parts[change.index]!, change.grown))
        parts[change.index] = change.part
        return
      case 'removed':
        if (change.from >= parts.length) throw new Error('Nothing was removed.')
        parts.length = change.from
        return
      case 'appended': {
        const part = parts[change.index]
        if (part?.type !== 'text' && part?.type !== 'reasoning') throw new Error('Only texts can be appended to.')
        if (change.text === '') throw new Error('Nothing was appended.')
        parts[change.index] = { ...part, text: part.text + change.text }
      }
    }
  }
}

/** The part with a longer string in the input of its call. */
function withGrown(
  part: MessagePart,
  { path, text }: { path: readonly (string | number)[]; text: string },
): MessagePart {
  if (!isToolPart(part)) throw new Error('Only calls have an input.')
  const copy = structuredClone(part) as { toolInvocation: { input?: unknown } }
  let holder: Record<string | number, unknown> = copy.toolInvocation as Record<string, unknown>
  const keys = ['input', ...path]
  for (const key of keys.slice(0, -1)) holder = holder[key] as Record<string, unknown>
  const last = keys.at(-1)!
  const before = Object.getOwnPropertyDescriptor(holder, last)?.value as string
  Object.defineProperty(holder, last, { value: before + text, enumerable: true, writable: true, configurable: true })
  return copy as MessagePart
}
