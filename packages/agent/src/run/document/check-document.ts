import { access } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { ArgotError, type Diagnostic } from '@argot/core'
import { parseTree } from '@argot/core/chatmd'
import { parseChecked } from '@argot/core/chatmd/internal'
import { defined } from '@argot/core/stream/internal'
import { resolveModelName } from '../../settings/resolve-settings.ts'
import { type DocumentRecords, readRecords } from '../../store/element-records.ts'
import { folderStore } from '../../store/folder/folder-store.ts'
import type { Store } from '../../store/store.ts'
import { nothingToAnswer } from '../continuation.ts'
import { type DocumentMemory, openMemory } from '../open-memory.ts'
import type { RunOptions } from '../run-options.ts'
import { describeChange } from './describe-change.ts'
import type { DocumentOptions } from './document-options.ts'
import { findMissingSignature } from './missing-signature.ts'
import { toDiagnostics } from './range-problem.ts'
import { type DocumentReading, readDocument, sortDiagnostics } from './read-document.ts'

export interface DocumentCheck {
  diagnostics: Diagnostic[]
  /** The texts that the diagnostics point into, by file. */
  sources: Map<string | undefined, string>
}

async function openStoredState(
  path: string,
  name: string,
  options: RunOptions,
): Promise<{ memory: DocumentMemory; records?: DocumentRecords }> {
  const { store } = options
  const open = async (from: Store, storePath: string) => ({
    memory: await openMemory({ store: from, path: storePath, source: path, isNew: false }, options),
    records: await readRecords(from, storePath),
  })
  if (store !== undefined && store.root === undefined) return open(store, name)
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (!isThere) return { memory: {} }
  const { configFolder, env } = options
  return open(folderStore(dirname(path), { configFolder, env }), basename(path))
}

/**
 * Everything that a run of this document would refuse or warn about before it calls a model, and the sources of
 * answered turns that have changed. Starts nothing, writes nothing, and asks no server and no person, but uses a
 * `resolver` if you pass one. Doesn't check keys, trust or whether servers are up, because these depend on the machine.
 */
export async function checkDocument(
  source: { file: string; text: string },
  options: RunOptions = {},
): Promise<DocumentCheck> {
  const { cwd = process.cwd() } = options
  const path = resolve(cwd, source.file)
  const { memory, records } = await openStoredState(path, source.file, options)
  const tree = parseTree(source.text)
  const checkOptions: DocumentOptions = { ...options, ...memory, offline: true, isCheck: true }
  try {
    const reading = await readDocument({ ...source, tree, ...defined({ records }) }, checkOptions)
    const { problems, expanded, resolver } = reading
    const changed = (await checkOptions.frozen?.changes(resolver, source.file)) ?? []
    const changes = changed.map(one => describeChange(one, source.file))
    changes.push(...findMissingSignature(expanded, findRunModelName(reading, options)))
    if (source.text.trim() === '') {
      const { code, message } = nothingToAnswer([])
      changes.push({
        code,
        severity: 'info',
        message,
        cure: 'Write a `<user>`.',
        file: source.file,
        at: { start: 0, end: 0 },
      })
    }
    return {
      diagnostics: sortDiagnostics([...problems, ...toDiagnostics(changes, expanded.sources)]),
      sources: new Map([...expanded.sources, [source.file, source.text]]),
    }
  } catch (error) {
    // A settings file or a variable has no place in the document.
    if (!(error instanceof ArgotError)) throw error
    const { diagnostics } = parseChecked(tree, { file: source.file })
    const { code, message } = error
    const sources = new Map([[source.file as string | undefined, source.text]])
    return { diagnostics: [...diagnostics, { code, severity: 'error', message, file: source.file }], sources }
  }
}

/** Undefined for a model that isn't given by name. */
function findRunModelName(
  { expanded, settings }: DocumentReading,
  { model, env = process.env }: RunOptions,
): string | undefined {
  if (model !== undefined && typeof model !== 'string') return undefined
  return resolveModelName({ flag: model, document: expanded.config?.model, env, settings })?.value
}
