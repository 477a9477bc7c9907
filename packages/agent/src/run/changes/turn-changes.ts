import { type ChangedFile, defined } from '@argot/core/stream/internal'
import { readUndoneTurns, type UndoneTurn } from '../../store/undone-turns.ts'
import { createRedactor } from '../../tool/output/redact.ts'
import type { RunOptions } from '../run-options.ts'
import { checkUndo, type UndoCheck } from './check-undo.ts'
import { diffVersions } from './diff-versions.ts'
import { type LoggedTurn, readTurn, type TurnEffect } from './read-turn.ts'
import type { TurnFile } from './turn-files.ts'
import { findTurnPlace, type TurnPlace } from './turn-place.ts'
import { fromRecordPath } from './version-keeper.ts'

export interface TurnChanges {
  run: string
  /** The turn's last assistant message. */
  message?: string
  /** False while its run works or waits. */
  isOver: boolean
  files: ChangedFile[]
  /** Its other effects, which can't be undone. */
  effects: TurnEffect[]
  /** When it was undone, in milliseconds. */
  undoneAt?: number
}

/** For all diffs of a response together. Files beyond it get no diff. */
const DIFF_CHARACTERS = 1024 * 1024

/** One or two paths that change together: a moved file has its old and its new one. */
export interface TurnUnit {
  operation: ChangedFile['operation']
  /** The last one gives the unit its name. */
  files: readonly TurnFile[]
}

/**
 * What a run's turn did, or that of the run that wrote a message; the last turn without `id`. Uses only log lines with
 * this user's signature. Throws `RUN_NOT_FOUND` if there is no such turn.
 */
export async function readTurnChanges(
  document: string,
  id: string | undefined,
  options: RunOptions = {},
): Promise<TurnChanges> {
  const place = await findTurnPlace(document, options)
  const turn = await readTurn(place.store, place.path, id)
  return describeTurn(turn, place, options)
}

export async function describeTurn(turn: LoggedTurn, place: TurnPlace, options: RunOptions): Promise<TurnChanges> {
  const undone = await findUndone(place, turn.run)
  const files: ChangedFile[] = []
  let room = DIFF_CHARACTERS
  for (const unit of toUnits(turn.files)) {
    const checks = await Promise.all(unit.files.map(file => checkUndo(file, place)))
    if (!isChange(unit, checks)) continue
    const file = await describeUnit(unit, checks, place, undone)
    room -= file.diff?.length ?? 0
    if (room < 0) delete file.diff
    files.push(file)
  }
  const { run, lastMessageId: message, isOver, effects } = turn
  const redact = createRedactor(options.env ?? process.env)
  const changes = { run, isOver, files, effects: [...effects], ...defined({ message, undoneAt: undone?.at }) }
  return redact(changes) as TurnChanges
}

export async function findUndone({ store, path }: TurnPlace, run: string): Promise<UndoneTurn | undefined> {
  return readUndoneTurns(await store.sidecars.read(path)).findLast(one => one.run === run)
}

export function toUnits(files: readonly TurnFile[]): TurnUnit[] {
  const byPath = new Map(files.map(file => [file.path, file]))
  const sources = new Map<TurnFile, TurnFile>()
  for (const file of files) {
    const source = file.from === undefined ? undefined : byPath.get(file.from)
    const isMove = source !== undefined && source.before !== null && source.after[0] === null
    if (isMove && file.before === null && file.after[0] !== null) sources.set(file, source)
  }
  const moved = new Set(sources.values())
  return files
    .filter(file => !moved.has(file))
    .map(file => {
      const source = sources.get(file)
      return { operation: findOperation(file, source), files: source === undefined ? [file] : [source, file] }
    })
}

function findOperation({ before, after }: TurnFile, source: TurnFile | undefined): ChangedFile['operation'] {
  if (source !== undefined) return 'move'
  return before === null ? 'add' : after[0] === null ? 'delete' : 'update'
}

/** False if the turn ended with the original content: it took its changes back, or its only change was never made. */
export function isChange({ files }: TurnUnit, checks: readonly UndoCheck[]): boolean {
  return files.some(({ before, after, isChangedByOthers }, index) => {
    if (isChangedByOthers || before === undefined) return true
    const { state, now } = checks[index]!
    return after.length === 1 ? after[0] !== before : state !== 'same' && now.hash !== before
  })
}

async function describeUnit(
  { operation, files }: TurnUnit,
  checks: readonly UndoCheck[],
  place: TurnPlace,
  undone: UndoneTurn | undefined,
): Promise<ChangedFile> {
  const firstFile = files[0]!
  const lastFile = files.at(-1)!
  const before = await readVersion(place, firstFile.before)
  const after = lastFile.after[0] === checks.at(-1)?.now.hash ? checks.at(-1)?.now.content : undefined
  const now = lastFile.after[0] === null ? null : (after ?? (await readVersion(place, lastFile.after[0])))
  const diff = before === undefined || now === undefined ? undefined : diffVersions(before, now)
  const refusal = checks.find(check => check.state === 'refused')
  const wasUndone = files.every(({ path }) => undone?.files.includes(path) === true)
  const isUndone = wasUndone || checks.every(({ state }) => state === 'same')
  const state = isUndone ? 'undone' : refusal === undefined ? 'ready' : 'refused'
  const from = operation === 'move' ? place.workspace.show(fromRecordPath(place.directory, firstFile.path)) : undefined
  return {
    path: place.workspace.show(fromRecordPath(place.directory, lastFile.path)),
    operation,
    state,
    ...defined({
      from,
      added: diff?.added,
      removed: diff?.removed,
      diff: diff?.text,
      reason: state === 'refused' ? refusal?.reason : undefined,
    }),
  }
}

async function readVersion(
  { versions }: TurnPlace,
  hash: string | null | undefined,
): Promise<Uint8Array | null | undefined> {
  return typeof hash === 'string' ? versions?.read(hash) : hash
}
