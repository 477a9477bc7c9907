import { basename, dirname, resolve } from 'node:path'
import { ArgotError } from '@argot/core'
import { type ChatDocument, parseChatMd } from '@argot/core/chatmd'
import { type ChatMdEntry, type ElementNode, entryOwners, withRecords } from '@argot/core/chatmd/internal'
import { readDocumentText, realFile } from '../../files/document-file.ts'
import { writeOrigin } from '../../store/branch-origin.ts'
import { type DocumentRecords, readRecords } from '../../store/element-records.ts'
import { folderStore } from '../../store/folder/folder-store.ts'
import { matchDocument } from '../../store/match-document.ts'
import type { Store } from '../../store/store.ts'
import { didYouMean } from '../../words/did-you-mean.ts'

export interface BranchOptions {
  /** Keep the message itself, too. By default the new document ends before it. */
  including?: boolean
  /** The document's store; the path is then the document's path in it. The file's folder by default. */
  store?: Store | undefined
}

/**
 * Writes a new document `NAME.N.chatmd` beside this one, with the history up to a message, for a retry or an edited
 * message. `messageId` is the message's id or its number: `2` is the document's second message. The original document
 * stays unchanged; both share the files of its calls. Returns the new path.
 */
export async function branchDocument(file: string, messageId: string, options: BranchOptions = {}): Promise<string> {
  const { store } = options
  if (store !== undefined) {
    const { text } = await store.documents.read(file)
    return makeBranch(store, file, text, messageId, options)
  }
  const real = await realFile(file)
  const result = await readDocumentText(real)
  if (!result.ok) throw new ArgotError(result.problem.code, result.problem.message)
  const folder = dirname(real)
  return resolve(folder, await makeBranch(folderStore(folder), basename(real), result.text, messageId, options))
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

/** A document's text up to a message, and its number of messages. Throws for an unknown message. */
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

/** Where the history ends, and the later responses that answer its calls. */
interface HistoryCut {
  at: number
  lateResponses: ElementNode[]
  keeps: number
}

/** The text up to the cut, followed by its settings, tools and responses from further down. */
function branchText(document: ChatDocument, { at, lateResponses }: HistoryCut): string {
  const { source } = document.tree
  const elements: ElementNode[] = [...(document.config === undefined ? [] : [document.config.node])]
  elements.push(...document.tools.map(tool => tool.node), ...lateResponses)
  const below = elements.filter(node => node.start >= at).sort((a, b) => a.start - b.start)
  const pieces = [source.slice(0, at).trimEnd(), ...below.map(node => source.slice(node.start, node.end))]
  return `${pieces.filter(text => text !== '').join('\n\n')}\n`
}

function toMessageIndex(number: string): number | undefined {
  return /^[1-9][0-9]{0,8}$/.test(number) ? Number(number) - 1 : undefined
}

function findCut(entries: readonly ChatMdEntry[], messageId: string, including: boolean): HistoryCut | undefined {
  const owners = entryOwners(entries)
  const byId = owners.findIndex(owner => owner?.message.id === messageId)
  const first = byId === -1 ? owners.findIndex(owner => owner?.message.index === toMessageIndex(messageId)) : byId
  if (first === -1) return undefined
  const { index } = owners[first]!.message
  // A response that belongs to no message stays with the one that it follows.
  const next = entries.findIndex(
    (entry, at) => at > first && (entry.type === 'import' || owners[at]?.startsMessage === true),
  )
  const end = !including ? first : next === -1 ? entries.length : next
  const lastIndex = including ? index : index - 1
  const lateEntries = entries.filter(
    (_, at) => at >= end && (owners[at]?.message.index ?? Number.POSITIVE_INFINITY) <= lastIndex,
  )
  return {
    at: including ? entries[end - 1]!.node.end : entries[first]!.node.start,
    lateResponses: lateEntries.map(({ node }) => node),
    keeps: lastIndex + 1,
  }
}
