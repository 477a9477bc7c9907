import { ArgotError } from '@argot/core'
import { Problem } from '@argot/server/internal'
import {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
} from '@modelcontextprotocol/server'
import type { ServedFolder } from './served-folder.ts'

const prefix = 'chatmd:///'
const mimeType = 'text/plain'
const PAGE_SIZE = 200

/** A document's address, for example `chatmd:///notes/tea.chatmd`. */
export function toUri(path: string): string {
  return prefix + path.split('/').map(encodeURIComponent).join('/')
}

/** The documents in pages, sorted by path. A page starts after the path in the cursor. */
export async function listResources(folder: ServedFolder, cursor: string | undefined): Promise<ListResourcesResult> {
  const after = cursor === undefined ? '' : Buffer.from(cursor, 'base64url').toString('utf8')
  const rest = (await folder.list()).filter(path => path > after)
  const page = rest.slice(0, PAGE_SIZE)
  const next = rest.length > PAGE_SIZE ? { nextCursor: Buffer.from(page.at(-1)!).toString('base64url') } : {}
  return { resources: page.map(path => ({ uri: toUri(path), name: path, mimeType })), ...next }
}

export function listTemplates(): ListResourceTemplatesResult {
  const description = 'A document, or the conversation of an earlier call below chats/.'
  return { resourceTemplates: [{ uriTemplate: `${prefix}{+path}`, name: 'document', description, mimeType }] }
}

/** Reads a document and nothing else: no other file, no hidden folder, and no links. */
export async function readResource(folder: ServedFolder, uri: string): Promise<ReadResourceResult> {
  try {
    const { text } = await folder.read(toPath(uri))
    return { contents: [{ uri, mimeType, text }] }
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    const isOurs = error instanceof ArgotError || error instanceof Problem
    const message = isOurs ? error.message : "The document can't be read."
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri: uri.slice(0, 500) })
  }
}

function toPath(uri: string): string {
  try {
    if (uri.startsWith(prefix)) return uri.slice(prefix.length).split('/').map(decodeURIComponent).join('/')
  } catch {
    // A percent sign that encodes nothing.
  }
  const message = `A document's address begins with ${prefix} and ends with .chatmd.`
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}
