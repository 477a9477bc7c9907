import { basename, dirname, resolve } from 'node:path'
import { ArgotError } from '@argot/core'
import { type ChatDocument, parseChatMd } from '@argot/core/chatmd'
import { type ElementNode, entryOwners } from '@argot/core/chatmd/internal'
import { readDocumentText, realFile } from '../../files/document-file.ts'
import { folderStore } from '../../store/folder/folder-store.ts'

export interface BranchOptions {
  /** Keep the message itself too; by default the new document ends before it. */
  including?: boolean
}

/**
 * Writes a new document `NAME.N.chatmd` beside this one, with the history up to a message, for a retry or an edited
 * message. This document stays as it is; the files of its calls serve both. Gives the path of the new one.
 */
export async function branchDocument(file: string, messageId: string, options: BranchOptions = {}): Promise<string> {
  const real = await realFile(file)
  const read = await readDocumentText(real)
  if (!read.ok) throw new ArgotError(read.problem.code, read.problem.message)
  const { document } = parseChatMd(read.text, { file: real })
  const cut = findCut(document, messageId, options.including === true)
  if (cut === undefined) {
    const message = `No message of \`${file}\` has the id \`${messageId.slice(0, 200)}\`.`
    throw new ArgotError('RUN_MESSAGE_NOT_FOUND', message)
  }
  const folder = dirname(real)
  const path = await folderStore(folder).documents.branch(basename(real), branchText(document, cut))
  return resolve(folder, path)
}

/** Where the history ends, and the responses below that answer calls of it. */
interface Cut {
  at: number
  late: ElementNode[]
}

/** The text up to the cut, and after it the settings, tools and responses of it that are further down. */
function branchText(document: ChatDocument, { at, late }: Cut): string {
  const { source } = document.tree
  const declared: ElementNode[] = [...(document.config === undefined ? [] : [document.config.node])]
  declared.push(...document.tools.map(tool => tool.node), ...late)
  const below = declared.filter(node => node.start >= at).sort((a, b) => a.start - b.start)
  const pieces = [source.slice(0, at).trimEnd(), ...below.map(node => source.slice(node.start, node.end))]
  return `${pieces.filter(text => text !== '').join('\n\n')}\n`
}

/** Where a document is cut before the message, or after it. */
function findCut({ entries }: ChatDocument, messageId: string, including: boolean): Cut | undefined {
  const owners = entryOwners(entries)
  const first = owners.findIndex(owner => owner?.message.id === messageId)
  if (first === -1) return undefined
  const { index } = owners[first]!.message
  // A response that belongs to no message stays with the one that it follows.
  const next = entries.findIndex((entry, at) => at > first && (entry.type === 'import' || owners[at]?.starts === true))
  const end = !including ? first : next === -1 ? entries.length : next
  const last = including ? index : index - 1
  const late = entries.filter((_, at) => at >= end && (owners[at]?.message.index ?? Number.POSITIVE_INFINITY) <= last)
  return {
    at: including ? entries[end - 1]!.node.end : entries[first]!.node.start,
    late: late.map(({ node }) => node),
  }
}
