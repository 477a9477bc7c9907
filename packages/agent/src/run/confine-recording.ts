import { parse, resolve } from 'node:path'
import { ArgotError } from '@argot/core'
import { locate, toRealPath } from '../files/local-file.ts'
import { SourceError } from '../files/source-error.ts'
import { findRecording } from '../model/choose-model.ts'

export interface RecordingPlace {
  /** The document's folder, where a relative path starts. */
  directory: string
  cwd: string
  allowPaths: readonly string[]
  /** The document came from the web, so no file of this machine can be its model. */
  remote: boolean
}

/**
 * Throws if a document or a project names a recording as its model (`replay:FILE`) that is outside the folders that the
 * document may read. Callers don't check a model that the user names.
 */
export async function confineRecording(model: string | undefined, place: RecordingPlace): Promise<void> {
  const file = findRecording(model)
  if (file === undefined) return
  try {
    await locate(file, {
      bases: [place.directory],
      roots: await Promise.all(recordingFolders(place).map(toRealPath)),
    })
  } catch (error) {
    if (error instanceof SourceError) throw new ArgotError(error.problem.code, error.problem.message, { cause: error })
    throw error
  }
}

export function recordingFolders({ directory, cwd, allowPaths, remote }: RecordingPlace): string[] {
  if (remote) return []
  const here = parse(cwd).root === cwd ? [] : [cwd]
  return [directory, ...here, ...allowPaths.map(path => resolve(cwd, path))]
}
