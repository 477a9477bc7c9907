import { ToolFailure } from '../../words/tool-failure.ts'
import { type FileState, readFileState } from './file-state.ts'
import type { TurnFile } from './turn-files.ts'
import type { TurnPlace } from './turn-place.ts'
import { fromRecordPath } from './version-keeper.ts'

export type UndoCheck =
  | { state: 'ready'; real: string; now: FileState; before: Uint8Array | null }
  /** The file already has its content from before the turn. */
  | { state: 'same'; real: string; now: FileState }
  | { state: 'refused'; real: string; now: FileState; reason: string }

/** Checks the current file. Changes nothing. */
export async function checkUndo(file: TurnFile, place: TurnPlace): Promise<UndoCheck> {
  const real = fromRecordPath(place.directory, file.path)
  const objection = await findObjection(real, place)
  const now: FileState = objection === undefined ? await readFileState(real) : { hash: undefined }
  const refuse = (reason: string): UndoCheck => ({ state: 'refused', real, now, reason })
  if (objection !== undefined) return refuse(objection)
  if (file.isChangedByOthers) return refuse('Something else changed it during the turn.')
  if (file.before === undefined) return refuse('It was too large to keep.')
  if (now.hash === file.before) return { state: 'same', real, now }
  if (now.hash === undefined || !file.after.includes(now.hash)) return refuse('It has changed since the turn.')
  if (file.before === null) return { state: 'ready', real, now, before: null }
  if (place.versions === undefined) return refuse("This document's store keeps no earlier versions of files.")
  const before = await place.versions.read(file.before)
  if (before === undefined) return refuse('Its earlier version is no longer kept.')
  return { state: 'ready', real, now, before }
}

/** Tool failures are worded for a model. */
function describeFailure({ code, message }: ToolFailure): string {
  if (code === 'TOOL_PATH_OUTSIDE') return 'It is outside the folders that tools may use.'
  return code === 'TOOL_PATH_PROTECTED' ? 'It is protected: no tool may write it.' : message
}

/** Why tools may not write there, including links on the way. */
async function findObjection(real: string, { workspace, findDenial }: TurnPlace): Promise<string | undefined> {
  try {
    if ((await workspace.locateNew(real)) !== real) return 'A symbolic link has taken its place.'
  } catch (error) {
    if (error instanceof ToolFailure) return describeFailure(error)
    throw error
  }
  const rule = await findDenial(real)
  return rule === undefined ? undefined : `A rule denies it: ${rule}.`
}
