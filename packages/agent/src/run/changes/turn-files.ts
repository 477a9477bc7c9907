import type { FileRecord } from '../../store/file-records.ts'

/** What a turn did to one file, from the first change to the last. */
export interface TurnFile {
  /** As in `FileRecord`. */
  path: string
  /** SHA-256; null if there was no file, undefined if it was too large to store. */
  before: string | null | undefined
  /** The hash after the last change. Two values if it is unknown whether that change was made. */
  after: readonly (string | null | undefined)[]
  /** Permission bits before the turn. */
  mode: number | undefined
  /** The file was removed or created during the turn, so its permissions may differ too. */
  isReplaced: boolean
  folder: string | undefined
  /** The earlier path of a moved file that didn't exist before. */
  from: string | undefined
  /** Something else changed it between two changes of the turn. */
  isChangedByOthers: boolean
}

/** A record, and whether its call reports success. If not, the call failed, or its process died. */
export type TurnRecord = FileRecord & { isDone: boolean }

/**
 * Folds a turn's records, file by file. A record is written before its change. So after a failed call, the next record
 * may start from the content before or after that change, and the file itself shows which.
 */
export function foldTurnFiles(records: Iterable<TurnRecord>): TurnFile[] {
  const files = new Map<string, TurnFile>()
  for (const record of records) {
    const { path, before, mode, folder, from } = record
    const after = record.isDone ? [record.after] : [record.after, before]
    const file = files.get(path)
    if (file === undefined) {
      const isReplaced = before === null || record.after === null
      files.set(path, { path, before, after, mode, isReplaced, folder, from, isChangedByOthers: false })
      continue
    }
    file.isChangedByOthers ||= before === undefined || !file.after.includes(before)
    file.after = after
    file.isReplaced ||= before === null || record.after === null
    file.from ??= file.before === null ? from : undefined
  }
  return [...files.values()]
}
