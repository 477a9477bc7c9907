import { existsSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { defined } from '@argot/core/stream/internal'
import type { PlannedWrite } from '../../files/keep-files.ts'
import { isInside } from '../../files/local-file.ts'
import { type FileRecord, hashContent } from '../../store/file-records.ts'
import type { FileVersions, Store } from '../../store/store.ts'
import { type FileState, readFileState } from './file-state.ts'

/**
 * Stores file contents before and after a tool changes them, and returns the records for the log. If content can't be
 * stored, because it is too large or the disk is full, the tool still runs, but that file can't be undone.
 */
export function createVersionKeeper({
  store,
  path,
  directory,
}: {
  store: Store
  path: string
  directory: string
}): (writes: readonly PlannedWrite[]) => Promise<readonly FileRecord[]> {
  const versions = store.versions?.(path)
  return async writes => {
    const records: FileRecord[] = []
    for (const write of writes) {
      const state = await readFileState(write.real)
      const after = contentAfter(write, state)
      const hash = after === undefined ? undefined : after === null ? null : hashContent(after)
      if (hash !== undefined && hash === state.hash) continue
      await keep(versions, state.hash, state.content)
      await keep(versions, hash, after)
      records.push({
        path: toRecordPath(directory, write.real),
        ...defined({
          before: state.hash,
          after: hash,
          mode: state.mode,
          folder: state.hash === null ? missingFolder(directory, write.real) : undefined,
          from: write.from === undefined ? undefined : toRecordPath(directory, write.from),
        }),
      })
    }
    return records
  }
}

/** Null for a file that is removed, undefined if the content is unknown. */
function contentAfter(write: PlannedWrite, { hash, content }: FileState): Uint8Array | null | undefined {
  if ('after' in write) return write.after === undefined ? null : Buffer.from(write.after)
  if (hash === undefined) return undefined
  return Buffer.concat([content ?? new Uint8Array(), Buffer.from(write.added)])
}

async function keep(
  versions: FileVersions | undefined,
  hash: string | null | undefined,
  content: Uint8Array | null | undefined,
): Promise<void> {
  if (typeof hash !== 'string' || !content) return
  await versions?.keep(hash, content).catch(() => false)
}

/** Relative inside the document's folder, so that the folder can be moved with its contents. */
function toRecordPath(directory: string, real: string): string {
  return isInside(directory, real) ? relative(directory, real) : real
}

export function fromRecordPath(directory: string, path: string): string {
  return resolve(directory, path)
}

function missingFolder(directory: string, real: string): string | undefined {
  let missing: string | undefined
  for (let at = dirname(real); !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing = at
  return missing === undefined ? undefined : toRecordPath(directory, missing)
}
