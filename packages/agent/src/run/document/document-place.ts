import { basename, dirname, resolve } from 'node:path'
import { type ChatDocument, printChatMd } from '@argot/core/chatmd'
import { realFile } from '../../files/document-file.ts'
import { makeFolders } from '../../files/make-folders.ts'
import { findConfigFolder } from '../../settings/config-folder.ts'
import { folderStore } from '../../store/folder/folder-store.ts'
import type { Store } from '../../store/store.ts'
import type { RunOptions } from '../run-options.ts'

export interface DocumentPlace {
  store: Store
  /** The transcript's path in the store. */
  path: string
  /** The named document and its transcript, as files. */
  source: string
  target: string
  /** The transcript is a copy that was just made. */
  isNew: boolean
}

/** With `output`, creates a copy of the document as its transcript. */
export async function findPlace(name: string, options: RunOptions): Promise<DocumentPlace> {
  const { cwd = process.cwd(), output } = options
  if (options.store !== undefined && options.store.root === undefined)
    return placeWithoutFiles(options.store, name, options)
  const source = await realFile(resolve(options.store?.root ?? cwd, name))
  const target = output === undefined ? source : resolve(options.store?.root ?? cwd, output)
  if (target === source) {
    if (options.store !== undefined) return { store: options.store, path: name, source, target, isNew: false }
    return { store: chooseFolder(source, options), path: basename(source), source, target, isNew: false }
  }
  makeFolders(dirname(target))
  const store = options.store ?? chooseFolder(target, options)
  const { text } = await store.documents.read(source)
  const path = await store.documents.branch(source, text, target)
  return { store, path, source, target, isNew: true }
}

/** Writes a parsed document to `output`, and returns its place. */
export async function createPlace(document: ChatDocument, options: RunOptions): Promise<DocumentPlace> {
  const { cwd = process.cwd(), output = '' } = options
  const target = resolve(options.store?.root ?? cwd, output)
  if (options.store === undefined) makeFolders(dirname(target))
  const store = options.store ?? chooseFolder(target, options)
  const name = store.root === undefined ? output : target
  const path = await store.documents.branch(name, printChatMd(document), name)
  return { store, path, source: target, target, isNew: true }
}

function chooseFolder(
  file: string,
  { env = process.env, now, configFolder = findConfigFolder({ env }) }: RunOptions,
): Store {
  return folderStore(dirname(file), { configFolder, env, now })
}

/** The place of a document that isn't a file: its references are resolved from the user's current folder. */
async function placeWithoutFiles(store: Store, name: string, options: RunOptions): Promise<DocumentPlace> {
  const { cwd = process.cwd(), output } = options
  const source = resolve(cwd, name)
  if (output === undefined || output === name) return { store, path: name, source, target: source, isNew: false }
  const { text } = await store.documents.read(name)
  const path = await store.documents.branch(name, text, output)
  return { store, path, source, target: resolve(cwd, path), isNew: true }
}
