import { realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { MatchedRecords, Tree } from '@argot/core/chatmd/internal'
import { readRecords } from '../element-records.ts'
import { matchDocument } from '../match-document.ts'
import { type MessageFeedback, readFeedback } from '../message-feedback.ts'
import { type FolderStoreOptions, folderStore } from './folder-store.ts'

export async function readSidecarRecords(
  file: string,
  options: FolderStoreOptions = {},
): Promise<(tree: Tree) => MatchedRecords> {
  const real = await realpath(file)
  const records = await readRecords(folderStore(dirname(real), options), basename(real))
  return tree => matchDocument(tree, records)
}

export async function readSidecarFeedback(
  file: string,
  options: FolderStoreOptions = {},
): Promise<Map<string, MessageFeedback>> {
  const real = await realpath(file)
  return readFeedback(await folderStore(dirname(real), options).sidecars.read(basename(real)))
}
