export type PlannedWrite = {
  real: string
  /** The current path of a moved file. */
  from?: string
} & (
  | { /** The complete new content; undefined if the file is removed. */ after: string | undefined }
  | { /** The text to append. */ added: string }
)

/** Called before a change. Resolves once both contents are stored and the log has their hashes. */
export type KeepFiles = (writes: readonly PlannedWrite[]) => Promise<void>
