import type { FilePart } from '@argot/core/stream/internal'
import type { ChatDraftAttachment } from '../types/index.ts'

/** Attached files as message parts, with their data in the address. A file that can't be read is left out. */
export async function attachmentParts(attachments: readonly ChatDraftAttachment[]): Promise<FilePart[]> {
  const parts = await Promise.all(attachments.map(({ file }) => toPart(file)))
  return parts.filter(part => part !== undefined)
}

async function toPart(file: File): Promise<FilePart | undefined> {
  try {
    const url = await dataUrl(file)
    return { type: 'file', mediaType: file.type || 'application/octet-stream', url, filename: file.name }
  } catch {
    return undefined
  }
}

function dataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}
