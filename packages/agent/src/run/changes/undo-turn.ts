import { dirname } from 'node:path'
import { ArgotError } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import { makeFoldersFor, removeFolders, replaceFile, setMode } from '../../files/replace-file.ts'
import { type UndoneTurn, writeUndoneTurn } from '../../store/undone-turns.ts'
import { toMessage } from '../../words/to-message.ts'
import type { RunOptions } from '../run-options.ts'
import { checkUndo, type UndoCheck } from './check-undo.ts'
import { readTurn } from './read-turn.ts'
import { describeTurn, findUndone, isChange, type TurnUnit, toUnits } from './turn-changes.ts'
import type { TurnFile } from './turn-files.ts'
import { findTurnPlace, type TurnPlace } from './turn-place.ts'
import { fromRecordPath } from './version-keeper.ts'

export interface TurnUndo {
  run: string
  /** The outcome for each file. `already`: it already had the content from before the turn, so nothing was written. */
  files: { path: string; outcome: 'restored' | 'already' | 'refused'; reason?: string }[]
  /** The turn's other effects, which aren't undone. */
  effects: { toolName: string; text: string }[]
  /** Milliseconds since 1970. */
  undoneAt: number
}

/**
 * Restores a turn's files to their contents from before it. A file that has changed since, or that tools may not write,
 * stays unchanged, and the result says why. Meanwhile, nothing else runs the document. The document's sidecar records
 * the undo, and a second undo writes nothing. Throws `RUN_LOCKED` while a run has the document, and `RUN_PARKED` for a
 * turn that isn't over.
 */
export async function undoTurn(
  document: string,
  id: string | undefined,
  options: RunOptions & { by?: string | undefined } = {},
): Promise<TurnUndo> {
  const { now = Date.now, by } = options
  const place = await findTurnPlace(document, options)
  const { store, path } = place
  const lease = await store.leases.take(path, defined({ takeOver: options.takeOver }))
  try {
    const turn = await readTurn(store, path, id)
    if (!turn.isOver) {
      throw new ArgotError(
        'RUN_PARKED',
        "This turn isn't over: its run is working or waiting for an answer. Stop it first.",
      )
    }
    const earlier = await findUndone(place, turn.run)
    const outcomes = new Map<TurnUnit, TurnUndo['files'][number]>()
    // The last change first, so that a folder created for several files is empty when the first of them is removed.
    for (const unit of toUnits(turn.files).toReversed()) {
      const outcome = await undoUnit(unit, place, earlier)
      if (outcome !== undefined) outcomes.set(unit, outcome)
    }
    const units = [...outcomes].reverse()
    const isRestored = ([, { outcome }]: (typeof units)[number]): boolean => outcome !== 'refused'
    const listPaths = (subset: typeof units): string[] => subset.flatMap(([{ files }]) => files.map(one => one.path))
    const record: UndoneTurn = {
      run: turn.run,
      at: now(),
      after: (await newestRun(place)) ?? turn.run,
      files: listPaths(units.filter(isRestored)),
      left: listPaths(units.filter(one => !isRestored(one))),
      ...defined({ by }),
    }
    const isNews = units.some(([, { outcome }]) => outcome === 'restored') || earlier === undefined
    if (isNews && record.files.length > 0) await writeUndoneTurn(store, path, lease, record)
    const { effects } = await describeTurn({ ...turn, files: [] }, place, options)
    const undoneAt = isNews ? record.at : earlier.at
    return { run: turn.run, files: units.map(([, outcome]) => outcome), effects, undoneAt }
  } finally {
    await lease.release()
  }
}

async function newestRun({ store, path }: TurnPlace): Promise<string | undefined> {
  const runs = (await store.logs.list({ path })).map(({ run }) => run).filter(run => !run.endsWith('-settled'))
  return runs.sort().at(-1)
}

/** Undefined for a file that the turn didn't change in the end. */
async function undoUnit(
  unit: TurnUnit,
  place: TurnPlace,
  earlier: UndoneTurn | undefined,
): Promise<TurnUndo['files'][number] | undefined> {
  const { files } = unit
  const checks: UndoCheck[] = []
  for (const file of files) checks.push(await checkUndo(file, place))
  if (!isChange(unit, checks)) {
    const [file, check] = [files[0]!, checks[0]!]
    const isTakenBack = file.after[0] === file.before && check.state === 'same'
    // After an undo, such folders and permissions are someone else's.
    if (isTakenBack && earlier === undefined) await restoreModeAndFolders(file, check.real, place).catch(() => {})
    return undefined
  }
  const path = place.workspace.show(fromRecordPath(place.directory, files.at(-1)!.path))
  // If a later turn repeated the change, it is no longer this turn's to undo.
  const wasUndone = files.every(one => earlier?.files.includes(one.path) === true)
  if (wasUndone || checks.every(({ state }) => state === 'same')) return { path, outcome: 'already' }
  const refusal = checks.find(check => check.state === 'refused')
  if (refusal !== undefined) return { path, outcome: 'refused', reason: refusal.reason }
  const restored: { file: TurnFile; check: UndoCheck }[] = []
  try {
    for (const [index, file] of files.entries()) {
      const check = checks[index]!
      if (check.state !== 'ready') continue
      await restore(file, check, place)
      restored.push({ file, check })
    }
    return { path, outcome: 'restored' }
  } catch (error) {
    // A moved file is at one of the two paths, never at both.
    for (const { check } of restored.reverse()) await putBack(check, place).catch(() => {})
    return { path, outcome: 'refused', reason: toMessage(error) }
  }
}

async function restore(
  file: TurnFile,
  { real, before }: Extract<UndoCheck, { state: 'ready' }>,
  place: TurnPlace,
): Promise<void> {
  const { workspace } = place
  if (before === null) await workspace.remove(real)
  else {
    const name = workspace.show(real)
    await makeFoldersFor(real, name)
    if ((await workspace.locateNew(real)) !== real) throw new Error('A symbolic link has taken its place.')
    await replaceFile(real, before, name)
  }
  await restoreModeAndFolders(file, real, place)
}

/**
 * For a file with its earlier content: sets its permissions, or removes the folders that the turn created for it. A
 * folder that has other contents by now stays.
 */
async function restoreModeAndFolders(
  { before, folder, isReplaced, mode }: TurnFile,
  real: string,
  { workspace, directory }: TurnPlace,
): Promise<void> {
  const name = workspace.show(real)
  if (before !== null && isReplaced && mode !== undefined) await setMode(real, mode, name)
  if (before === null && folder !== undefined)
    await removeFolders(dirname(real), fromRecordPath(directory, folder), name).catch(() => {})
}

async function putBack({ real, now }: UndoCheck, { workspace }: TurnPlace): Promise<void> {
  if (now.content === undefined) await workspace.remove(real)
  else await replaceFile(real, now.content, workspace.show(real))
  if (now.content !== undefined && now.mode !== undefined) await setMode(real, now.mode, workspace.show(real))
}
