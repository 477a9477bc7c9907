import { basename, dirname, resolve } from 'node:path'
import { ArgotError } from 'argot'
import { type ChatDocument, type ElementNode, type Entry, parseChatMd } from 'argot/chatmd'
import { readDocumentText, realFile } from '../../files/document-file.ts'
import { folderStore } from '../../store/folder/folder-store.ts'
import { attributeOf } from '../../store/written-element.ts'

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
  const span = findMessage(document, messageId)
  if (span === undefined) {
    const message = `No message of \`${file}\` has the id \`${messageId.slice(0, 200)}\`.`
    throw new ArgotError('RUN_MESSAGE_NOT_FOUND', message)
  }
  const cut = options.including === true ? span.end : span.start
  const folder = dirname(real)
  const path = await folderStore(folder).documents.branch(basename(real), branchText(document, cut))
  return resolve(folder, path)
}

/** The text up to the cut, and after it the settings and tools that were further down. */
function branchText(document: ChatDocument, cut: number): string {
  const { source } = document.tree
  const declared: ElementNode[] = [...(document.config === undefined ? [] : [document.config.node])]
  declared.push(...document.tools.map(tool => tool.node))
  const below = declared.filter(node => node.start >= cut).sort((a, b) => a.start - b.start)
  const pieces = [source.slice(0, cut).trimEnd(), ...below.map(node => source.slice(node.start, node.end))]
  return `${pieces.filter(text => text !== '').join('\n\n')}\n`
}

/** Where the elements of a message start and end. */
function findMessage(document: ChatDocument, messageId: string): { start: number; end: number } | undefined {
  let span: { start: number; end: number } | undefined
  const idOf = messageIds()
  for (const [index, entry] of document.entries.entries()) {
    const { start, end } = entry.node
    if (idOf(entry, index) === messageId) span = { start: span?.start ?? start, end }
    else if (span !== undefined) return span
  }
  return span
}

/** Gives for each entry of a document, in order, the id of its message, by the rules by which documents are read. */
function messageIds(): (entry: Entry, index: number) => string | undefined {
  let message: { id: string | undefined; named: boolean; endsWithText: boolean } | undefined
  /** How many entries an import stands for is not known here, so messages after it have no number. */
  let counted = true
  return (entry, index) => {
    const { node } = entry
    const numbered = counted ? `chatmd-${index}` : undefined
    if (entry.type === 'import') counted = false
    if (entry.type === 'import' || (entry.type === 'message' && entry.role !== 'assistant')) {
      message = undefined
      return entry.type === 'import' ? undefined : attributeOf(node, 'id') || numbered
    }
    const id = attributeOf(node, 'message')
    if (entry.type === 'tool-response') return id ?? message?.id
    const isText = entry.type === 'message'
    const isOfRun = /^[0-9]{1,15}$/.test(attributeOf(node, 'offset') ?? '')
    const continues =
      id === undefined ? isOfRun || (message?.named === false && !(isText && message.endsWithText)) : message?.id === id
    if (!continues || message === undefined) message = { id: id ?? numbered, named: false, endsWithText: false }
    if (id !== undefined || isOfRun) message.named = true
    message.endsWithText = isText
    return message.id
  }
}
