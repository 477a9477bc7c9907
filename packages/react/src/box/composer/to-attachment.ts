import type { ChatDraftAttachment } from '../../types/index.ts'

/** A file that is to be sent, with a name of its own. */
export function toAttachment(file: File): ChatDraftAttachment {
  return { localId: `${file.name}-${file.size}-${Math.random().toString(36).slice(2, 8)}`, file }
}
