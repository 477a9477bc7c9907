import { encodeBase64 } from '../source/base64.ts'
import { defined } from '../source/defined.ts'
import type { FilePart, Message } from './message.ts'

export type UserFile = { mediaType: string; filename?: string | undefined } & (
  | { /** An address, `data:` too. */ url: string }
  | { data: Uint8Array }
)

/** A user's message with a random id: its files, then its text. */
export function userMessage(text: string, files: readonly UserFile[] = []): Message {
  const id = `user-${Math.random().toString(36).slice(2, 12)}`
  const part = { type: 'text', id: `${id}:0`, text, state: 'done' } as const
  return { id, role: 'user', status: 'sent', parts: [...files.map(toPart), part] }
}

function toPart(file: UserFile): FilePart {
  const { mediaType, filename } = file
  const url = 'url' in file ? file.url : `data:${mediaType};base64,${encodeBase64(file.data)}`
  return { type: 'file', mediaType, url, ...defined({ filename }) }
}
