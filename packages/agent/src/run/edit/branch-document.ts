import { basename, dirname, resolve } from 'node:path'
import { ArgotError } from '@argot/core'
import { type ChatDocument, parseChatMd } from '@argot/core/chatmd'
import { type ChatMdEntry, type ElementNode, entryOwners, withRecords } from '@argot/core/chatmd/internal'
import { readDocumentText, realFile } from '../../files/document-file.ts'
import { writeOrigin } from '../../store/branch-origin.ts'
import { type DocumentRecords, readRecords } from '../../store/element-records.ts'
import { folderStore } from '../../store/folder/folder-store.ts'
import { matchDocument } from '../../store/match-records.ts'
import type { Store } from '../../store/store.ts'
import { didYouMean } from '../../words/did-you-mean.ts'

export interface BranchOptions {
  /** Keep the message itself too; by default the new document ends before it. */
  including?: boolean
  /** Where the document is; the path is then that in it. The folder of the file by default. */
  store?: Store | undefined
}

/**
 * Writes a new document `NAME.N.chatmd` beside this one, with the history up to a message, for a retry or an edited
 * message. `messageId` is the message's id or its number: `2` is the second message of the document. This document stays as
 * it is; the files of its calls serve both. Gives the path of the new one.
 */
export async function branchDocument(file: string, messageId: string, options: BranchOptions = {}): Promise<string> {
  const { store: given } = options
  if (given !== undefined) {
    const { text } = await given.documents.read(file)
    return makeBranch(given, file, text, messageId, options)
  }
  const real = await realFile(file)
  const read = await readDocumentText(real)
  if (!read.ok) throw new ArgotError(read.problem.code, read.problem.message)
  const folder = dirname(real)
  return resolve(folder, await makeBranch(folderStore(folder), basename(real), read.text, messageId, options))
}

async function makeBranch(
  store: Store,
  path: string,
  text: string,
  messageId: string,
  options: BranchOptions,
): Promise<string> {
  const records = await readRecords(store, path)
  const history = cutHistory({ text, file: path, records }, messageId, options)
  const branch = await store.documents.branch(path, history.text)
  await writeOrigin(store, branch, { of: basename(path), keeps: history.keeps, at: Date.now() })
  return branch
}

/** The text of a document up to a message, and how many messages it has. Throws for a message that it doesn't have. */
function cutHistory(
  { text, file, records }: { text: string; file: string; records: DocumentRecords },
  messageId: string,
  { including = false }: BranchOptions,
): { text: string; keeps: number } {
  const { document } = parseChatMd(text, { file })
  const { entries } = withRecords(document, matchDocument(document.tree, records))
  const cut = findCut(entries, messageId, including)
  if (cut !== undefined) return { text: branchText(document, cut), keeps: cut.keeps }
  const ids = entryOwners(entries).flatMap(owner => owner?.message.id ?? [])
  const message = `No message of \`${file}\` has the id or the number \`${messageId.slice(0, 200)}\`.${didYouMean(messageId, ids)}`
  throw new ArgotError('RUN_MESSAGE_NOT_FOUND', message)
}

/** Where the history ends, and the responses below that answer calls of it. */
interface Cut {
  at: number
  late: ElementNode[]
  /** How many messages are before it. */
  keeps: number
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

/** The place of the Nth message among those of the document. */
function toIndex(number: string): number | undefined {
  return /^[1-9][0-9]{0,8}$/.test(number) ? Number(number) - 1 : undefined
}

/** Where a document is cut before the message, or after it. */
function findCut(entries: readonly ChatMdEntry[], messageId: string, including: boolean): Cut | undefined {
  const owners = entryOwners(entries)
  const named = owners.findIndex(owner => owner?.message.id === messageId)
  const first = named === -1 ? owners.findIndex(owner => owner?.message.index === toIndex(messageId)) : named
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
    keeps: last + 1,
  }
}
