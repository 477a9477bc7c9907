import type { MessageChange } from '@argot/core/stream'

/** What was read; kept so that no reading can be optimised away. */
export let read = 0

/** Reads a change as somebody does who draws it. */
export function readChange(change: MessageChange): void {
  if (change.type === 'appended') read += change.text.charCodeAt(0)
  else if (change.type === 'changed' && change.grown !== undefined) touch(change.grown.text)
  else if (change.type === 'message') read += change.message.status.length
  else if (change.type !== 'removed') readPart(change.part as { type: string })
}

/** Reads a part of a message, ours or a peer's: its text, or the state of its call and the newest of its input. */
export function readPart(part: object): void {
  if ('text' in part) touch(part.text)
  else if ('toolInvocation' in part) readCall(part.toolInvocation as { state: string; input?: unknown })
  else if ('toolCallId' in part) readCall(part as unknown as { state: string; input?: unknown; args?: unknown })
}

function readCall(call: { state: string; input?: unknown; args?: unknown }): void {
  read += call.state.length
  readNewest(call.input ?? call.args)
}

/** Counts what was read elsewhere. */
export function count(things: number): void {
  read += things
}

/** Goes down to the newest value: the last entry of the last entry and so on. All older ones were read before. */
export function readNewest(value: unknown): void {
  let newest = value
  while (typeof newest === 'object' && newest !== null) {
    read++
    newest = Array.isArray(newest) ? newest[newest.length - 1] : lastOf(newest as Record<string, unknown>)
  }
  touch(newest)
}

function lastOf(object: Record<string, unknown>): unknown {
  let last: unknown
  for (const key in object) last = object[key]
  return last
}

/** Makes V8 join a string that was built by appending, as drawing it would. */
export function touch(value: unknown): void {
  if (typeof value === 'string') read += value.charCodeAt(value.length - 1) || 0
}
