import { access } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { ArgotError, type Diagnostic } from '@argot/core'
import { parseTree } from '@argot/core/chatmd'
import { parseChecked } from '@argot/core/chatmd/internal'
import { folderStore } from '../../store/folder/folder-store.ts'
import { nothingToAnswer } from '../continuation.ts'
import { type Memory, openMemory } from '../open-memory.ts'
import type { RunOptions } from '../run-options.ts'
import { describeChange } from './describe-change.ts'
import type { DocumentOptions } from './document-options.ts'
import { placed } from './place-of.ts'
import { inOrder, readDocument } from './read-document.ts'

/** What was found, and the texts that it points into, by file. */
export interface DocumentCheck {
  diagnostics: Diagnostic[]
  sources: Map<string | undefined, string>
}

/** What earlier runs keep beside the document. */
async function openKept(path: string, name: string, options: RunOptions): Promise<Memory> {
  const { store } = options
  if (store !== undefined && store.root === undefined) {
    return openMemory({ store, path: name, source: path, isNew: false }, options)
  }
  return access(path).then(
    () => {
      const folder = folderStore(dirname(path), { configFolder: options.configFolder, env: options.env })
      return openMemory({ store: folder, path: basename(path), source: path, isNew: false }, options)
    },
    () => ({}),
  )
}

/**
 * Everything that a run of this document would refuse or warn about before it asks a model, and which sources of answered
 * turns have changed. Starts nothing, asks no server and nobody, and writes nothing; a `resolver` that is given is asked. Keys, trust and servers that are
 * down are the machine's, and not looked at.
 */
export async function checkDocument(
  source: { file: string; text: string },
  options: RunOptions = {},
): Promise<DocumentCheck> {
  const { cwd = process.cwd() } = options
  const path = resolve(cwd, source.file)
  const memory = await openKept(path, source.file, options)
  const tree = parseTree(source.text)
  const own: DocumentOptions = { ...options, ...memory, offline: true, isCheck: true }
  try {
    const { problems, expanded, resolver } = await readDocument({ ...source, tree }, own)
    const changed = (await own.frozen?.changes(resolver, source.file)) ?? []
    const found = changed.map(one => describeChange(one, source.file))
    if (source.text.trim() === '') {
      const { code, message } = nothingToAnswer([])
      found.push({
        code,
        severity: 'info',
        message,
        cure: 'Write a `<user>`.',
        file: source.file,
        at: { start: 0, end: 0 },
      })
    }
    return {
      diagnostics: inOrder([...problems, ...placed(found, expanded.sources)]),
      sources: new Map([...expanded.sources, [source.file, source.text]]),
    }
  } catch (error) {
    // What a settings file or a variable says has no place in the document.
    if (!(error instanceof ArgotError)) throw error
    const { diagnostics } = parseChecked(tree, { file: source.file })
    const { code, message } = error
    const sources = new Map([[source.file as string | undefined, source.text]])
    return { diagnostics: [...diagnostics, { code, severity: 'error', message, file: source.file }], sources }
  }
}
